//! Compares what was observed with what the model expects, and names the broken rule.
//!
//! A read that differs is blamed on the rule of the first field that differs.

use std::fmt::Debug;

use batch_core::store::reply::{FinishReply, JobReply, Stats, SubmitReply, TakeReply, TurnReply};
use batch_core::store::view::{Job, Session, Target};

use super::call::TargetRows;
use super::{Breach, Call, Reply, Verdict};

/// Texts longer than this are cut.
const TEXT: usize = 400;

pub(super) fn compare(call: &Call, verdict: &Verdict, seen: &Reply) -> Result<(), Breach> {
    let expected = verdict.reply.canonical();
    let seen = seen.canonical();
    if expected == seen {
        return Ok(());
    }
    Err(match (&expected, &seen) {
        (Reply::Job(JobReply::Found(a)), Reply::Job(JobReply::Found(b))) => job(call, a, b),
        (Reply::List(a), Reply::List(b)) => list(call, verdict.rule, a, b),
        (Reply::Targets(TargetRows::Found(a)), Reply::Targets(TargetRows::Found(b))) => {
            targets(call, a, b)
        }
        (Reply::Stats(a), Reply::Stats(b)) => stats(call, a, b),
        (Reply::Sessions(a), Reply::Sessions(b)) => {
            rows(call, "R9.2", a, b).unwrap_or_else(|| differ(call, "R9.2", "it", a, b))
        }
        (Reply::Turn(a), Reply::Turn(b)) => turn(call, verdict, a, b),
        (a, b) => Breach::new(
            blame(verdict.rule, a, b),
            format!("{} → {}", name(call), text(a)),
            format!("→ {}", text(b)),
        ),
    })
}

/// R2.7: the part that differs is to blame, and the turn itself when it took nothing because
/// its finish was refused.
fn turn(call: &Call, verdict: &Verdict, a: &TurnReply, b: &TurnReply) -> Breach {
    let finish = [&a.finish, &b.finish].map(|part| Reply::Finish(part.clone()));
    let take = [&a.take, &b.take].map(|part| Reply::Take(part.clone()));
    let (part, rule, [a, b]) = if a.finish != b.finish {
        (
            "finish",
            blame(verdict.rule, &finish[0], &finish[1]),
            finish,
        )
    } else if verdict.take_rule != Some("S2.2") && gave_up(a, b) {
        ("take", "R2.7", take)
    } else {
        let rule = verdict.take_rule.unwrap_or("R2.7");
        ("take", blame(rule, &take[0], &take[1]), take)
    };
    Breach::new(
        rule,
        format!("the {part} of {} → {}", name(call), text(&a)),
        format!("→ {}", text(&b)),
    )
}

fn gave_up(expected: &TurnReply, seen: &TurnReply) -> bool {
    let refused = !matches!(expected.finish, FinishReply::Stored { .. });
    refused && !matches!(seen.take, TakeReply::Started(_))
}

/// The rule of a refusal that was or should have been answered.
fn blame(rule: &'static str, expected: &Reply, seen: &Reply) -> &'static str {
    match (expected, seen) {
        (_, Reply::Error(_)) => "S12.1",
        (Reply::Submit(SubmitReply::Created { .. }), Reply::Submit(seen)) if rule != "S2.1" => {
            refused(rule, seen)
        }
        (Reply::Submit(a), Reply::Submit(SubmitReply::Reused { .. })) if is_after_reuse(a) => {
            "R1.3"
        }
        (Reply::Submit(a), Reply::Submit(SubmitReply::KeyConflict { .. })) if is_after_reuse(a) => {
            "R1.5"
        }
        (
            Reply::Finish(FinishReply::Stored { ended: a, .. }),
            Reply::Finish(FinishReply::Stored { ended: b, .. }),
        ) if a == b => "R4.1",
        (Reply::Reap(Some(_)), Reply::Reap(None)) => "R9.3",
        (Reply::Reap(Some(a)), Reply::Reap(Some(b))) if a.interrupted != b.interrupted => "R9.5",
        (Reply::Sweep(a), Reply::Sweep(b)) if a.expired != b.expired => "S6.3",
        (Reply::Take(TakeReply::Idle { .. }), Reply::Take(TakeReply::Started(_))) => "S4.3",
        (Reply::Take(TakeReply::Started(a)), Reply::Take(TakeReply::Started(b)))
            if a.start == b.start =>
        {
            let counted = a.tries != b.tries || a.busy_since != b.busy_since;
            if counted { "R3.2" } else { "S9.1" }
        }
        (Reply::Take(TakeReply::Started(a)), Reply::Take(TakeReply::Started(b)))
            if rule != "S2.2" && a.start.job == b.start.job =>
        {
            "R2.2"
        }
        _ => rule,
    }
}

/// Replies that come into question only when nothing is reused.
fn is_after_reuse(reply: &SubmitReply) -> bool {
    matches!(
        reply,
        SubmitReply::TooMany | SubmitReply::CallerBusy | SubmitReply::Busy | SubmitReply::Send
    )
}

/// A refusal where a job was to be made.
fn refused(rule: &'static str, seen: &SubmitReply) -> &'static str {
    match seen {
        SubmitReply::Reused { .. } if rule == "R1.5" => rule,
        SubmitReply::Reused { .. } => "R1.3",
        SubmitReply::KeyConflict { .. } => "R1.5",
        SubmitReply::TooMany | SubmitReply::CallerBusy | SubmitReply::Busy => "R1.4",
        SubmitReply::Gone => "R1.7",
        SubmitReply::Send => "R1.10",
        SubmitReply::Created { .. } | SubmitReply::IdTaken => "S4.1",
    }
}

fn list(call: &Call, rule: &'static str, expected: &[Job], seen: &[Job]) -> Breach {
    let ids = |jobs: &[Job]| {
        jobs.iter()
            .map(|job| job.id.to_string())
            .collect::<Vec<_>>()
    };
    if ids(expected) != ids(seen) {
        return differ(call, rule, "jobs", &ids(expected), &ids(seen));
    }
    let pair = expected.iter().zip(seen).find(|(a, b)| a != b);
    match pair {
        Some((a, b)) => job(call, a, b),
        None => differ(call, rule, "jobs", &expected, &seen),
    }
}

/// Blames the first field that differs.
macro_rules! fields {
    ($call:expr, $a:expr, $b:expr, $last:expr, $($rule:literal: $($field:ident)+;)*) => {{
        $($(if $a.$field != $b.$field {
            return differ($call, $rule, stringify!($field), &$a.$field, &$b.$field);
        })+)*
        $last
    }};
}

fn job(call: &Call, a: &Job, b: &Job) -> Breach {
    let last = differ(call, "S9.1", "it", a, b);
    fields!(call, a, b, last,
        "S4.1": seq;
        "R14.1": halting;
        "R4.1": status error counts total finished_at;
        "R2.1": started_at;
        "R6.4": lease;
        "S7.3": evicted;
        "R4.1": bytes;
        "R12.3": newest_rerun rerun_of;
        "R1.7": created_at pin ttl max_losses width halt;
    )
}

fn targets(call: &Call, expected: &[Target], seen: &[Target]) -> Breach {
    let pair = expected.iter().zip(seen).find(|(a, b)| a != b);
    let Some((a, b)) = pair else {
        let (a, b) = (expected.len(), seen.len());
        return differ(call, "R6.3", "number of targets", &a, &b);
    };
    let last = differ(call, "S9.1", "it", a, b);
    fields!(call, a, b, last,
        "R6.3": index;
        "R5.1": status;
        "R3.3": outcome ordinal stored_at elapsed;
        "R9.1": fence session;
        "R3.2": tries busy_since due;
        "R12.3": origin;
    )
}

fn stats(call: &Call, a: &Stats, b: &Stats) -> Breach {
    if a.caller_live != b.caller_live {
        return differ(call, "S3.2", "caller_live", &a.caller_live, &b.caller_live);
    }
    let (a, b) = (&a.kind, &b.kind);
    let last = differ(call, "S13.1", "it", a, b);
    fields!(call, a, b, last,
        "S3.2": live;
        "R4.1": jobs terminal_bytes;
        "S13.1": counters;
    )
}

fn rows(call: &Call, rule: &'static str, a: &[Session], b: &[Session]) -> Option<Breach> {
    let (a, b) = a.iter().zip(b).find(|(a, b)| a != b)?;
    Some(differ(call, rule, "session", a, b))
}

fn differ<T: Debug>(call: &Call, rule: &'static str, field: &str, a: &T, b: &T) -> Breach {
    Breach::new(
        rule,
        format!("{} shows {field} {}", name(call), text(a)),
        format!("{field} {}", text(b)),
    )
}

/// The operation and the job or session that it is about.
fn name(call: &Call) -> String {
    match (call, call.job(), call.session()) {
        (Call::Finish(finish), ..) => finished(&finish.start),
        (Call::Turn(turn), ..) => format!("turn with {}", finished(&turn.finish.start)),
        (_, Some(job), _) => format!("{} of {job}", call.name()),
        (_, None, Some(session)) => format!("{} by {session}", call.name()),
        _ => call.name().to_owned(),
    }
}

fn finished(start: &batch_core::store::call::Start) -> String {
    format!(
        "finish target {} of {} under ({}, {})",
        start.index, start.job, start.session, start.fence
    )
}

fn text<T: Debug>(value: &T) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(TEXT) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text,
    }
}
