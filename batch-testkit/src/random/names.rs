//! The names and payloads of the small world: what number 2 is called.
//!
//! Names are chosen to be mistaken for syntax (S9.3).

use std::time::Duration;

use batch_core::id::{JobId, Kind, SessionId, Ticket};
use batch_core::store::call::{
    Answer, CallerName, Caps, Halt, Key, KeySpace, NewTarget, Recovery, Reuse, Settings, Submit,
    Targets,
};
use batch_core::time::Timestamp;

use super::program::{AnswerOf, HaltOf, KeyOf, NewJob, ReuseOf, StagedOf};
use super::world::FIRST_STAGED;
use crate::model::Model;

pub(super) fn kind(number: u8) -> Kind {
    Kind::new(match number % 3 {
        0 => "",
        1 => "a:b",
        _ => "{*}'; --",
    })
}

pub(super) fn caller(number: u8) -> CallerName {
    let (name, class) = match number % 3 {
        0 => ("ann", "user"),
        1 => ("ann:", ""),
        _ => ("é\u{0}😀", "service"),
    };
    CallerName {
        name: name.to_owned(),
        class: class.to_owned(),
    }
}

pub(super) fn job(number: u8) -> JobId {
    JobId::new(format!("job-{number}"))
}

pub(super) fn session(slot: u8, generation: u32) -> SessionId {
    SessionId::new(format!("s{slot}.{generation}"))
}

/// Tickets whose order is not that of their takes.
pub(super) fn ticket(number: u32) -> Ticket {
    let scattered = number.wrapping_mul(0x9E37_79B1);
    Ticket::new(format!("{scattered:08x}"))
}

pub(super) fn answer(answer: AnswerOf) -> Answer {
    match answer {
        AnswerOf::Done(0) => Answer::Done {
            result: "1.0".to_owned(),
        },
        AnswerOf::Done(number) => Answer::Done {
            result: format!("[{number},9007199254740993,\"\u{0}é\"]"),
        },
        AnswerOf::Failed(0) => Answer::Failed {
            error: "refused".to_owned(),
            hint: None,
        },
        AnswerOf::Failed(number) => Answer::Failed {
            error: format!("error {number}"),
            hint: Some("try {x}".to_owned()),
        },
        AnswerOf::Busy(wait) => Answer::Busy {
            wait: Duration::from_millis(u64::from(wait)),
        },
        AnswerOf::HandBack => Answer::HandBack {
            wait: Duration::from_millis(100),
        },
        AnswerOf::Refuse => Answer::Refuse,
    }
}

/// The list of a staged job: two targets, or three.
pub(super) fn staged_targets(number: u8) -> Vec<NewTarget> {
    targets("staged", number, 2 + u64::from(number % 2), None)
}

fn targets(name: &str, content: u8, total: u64, shift: Option<u64>) -> Vec<NewTarget> {
    let target = |index: u64| NewTarget {
        url: match (content, index) {
            (0, 0) => String::new(),
            _ => format!("{name}/{content}/{index}"),
        },
        options: format!("{{\"n\":{content}}}"),
        origin: shift.map(|shift| index + shift),
    };
    (0..total).map(target).collect()
}

/// The submit of a symbolic job. A number whose id is taken asks for other targets, so that
/// it is not taken for a resend.
pub(super) fn submit(
    new: &NewJob,
    session: Option<SessionId>,
    model: &Model,
    now: Timestamp,
) -> Submit {
    let caller = caller(new.caller);
    let mut content = content(new);
    let digest = |content: &(Vec<NewTarget>, u8)| {
        format!("{}/{}/{}", caller.name, content.1, content.0.len())
    };
    if model.digest_of(&job(new.job)) == Some(digest(&content).as_str()) {
        content.1 += 100;
    }
    let digest = digest(&content);
    let kind = session.as_ref().and_then(|session| model.kind_of(session));
    Submit {
        id: job(new.job),
        kind: kind.cloned().unwrap_or_else(|| self::kind(new.kind)),
        key: key(new.key, &digest),
        digest,
        reuse: match new.reuse {
            ReuseOf::Allowed => Reuse::Allowed,
            ReuseOf::Fresh => Reuse::Fresh,
        },
        settings: settings(new, session),
        total: content.0.len() as u64,
        targets: match (new.job >= FIRST_STAGED, new.staged) {
            (false, _) => Targets::Inline(content.0),
            (true, StagedOf::NotYet) => Targets::NotYet,
            (true, StagedOf::Staged) => Targets::Staged,
        },
        caller,
        caps: caps(new.caps),
        now,
    }
}

/// The targets and a number that stands for them.
fn content(new: &NewJob) -> (Vec<NewTarget>, u8) {
    if new.job >= FIRST_STAGED {
        return (staged_targets(new.job), new.job);
    }
    if let KeyOf::Rerun(origin) = new.key {
        let total = 1 + u64::from(origin % 2);
        return (targets("again", origin, total, Some(1)), 50 + origin);
    }
    let content = new.content % 4;
    (targets("u", content, 1 + u64::from(content), None), content)
}

fn key(key: KeyOf, digest: &str) -> Key {
    let (space, text) = match key {
        KeyOf::Content => (KeySpace::Content, digest.to_owned()),
        KeyOf::Client(number) => (KeySpace::Client, format!("key {number}")),
        KeyOf::Rerun(origin) => (KeySpace::Rerun, format!("{origin}/{digest}")),
    };
    Key { space, text }
}

fn settings(new: &NewJob, session: Option<SessionId>) -> Settings {
    Settings {
        width: u32::from(new.width.max(1)),
        halt: match new.halt {
            HaltOf::Never => Halt::Never,
            HaltOf::Failures(number) => Halt::Failures(u64::from(number)),
            HaltOf::Percent(percent) => Halt::Percent(percent),
        },
        recovery: match session {
            Some(session) => Recovery::Interrupt { session },
            None => Recovery::Resume,
        },
        ttl: Duration::from_millis(u64::from(new.ttl.max(1))),
        max_losses: u32::from(new.losses.max(1)),
        rerun_of: match new.key {
            KeyOf::Rerun(origin) if origin != new.job => Some(job(origin)),
            _ => None,
        },
        note: format!("note {}", new.content),
    }
}

fn caps([targets, caller, total]: [u8; 3]) -> Caps {
    Caps {
        targets_per_job: u64::from(targets),
        jobs_per_caller: u64::from(caller),
        jobs_total: u64::from(total),
    }
}
