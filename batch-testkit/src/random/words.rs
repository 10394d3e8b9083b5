//! Calls and replies in words, for the steps of a report.

use batch_core::store::call::{Answer, Finish, Settings, Start, Submit, Take, Targets};
use batch_core::store::reply::{
    CancelReply, EnterReply, FinishReply, RenewReply, StageReply, SubmitReply, TakeReply,
    TouchReply,
};

use crate::model::{Call, Reply};

pub(super) fn call(call: &Call) -> String {
    match call {
        Call::Submit(call) => submit(call),
        Call::Stage(call) => format!(
            "stage {} by {}: {} targets from {}",
            call.id,
            call.session,
            call.targets.len(),
            call.first
        ),
        Call::Enter(call) => format!("enter {} for kind {:?}", call.session, call.kind.as_str()),
        Call::Renew(call) => format!("renew {}", call.session),
        Call::Reap(call) => format!("reap {} at beat {}", call.session, call.beat),
        Call::Take(call) => take(call),
        Call::Finish(call) => finish(call),
        Call::Turn(call) => format!("turn: {}, {}", finish(&call.finish), take(&call.take)),
        Call::Cancel(call) => format!("cancel {} ({})", call.id, call.request),
        Call::Touch(call) => format!("touch {}", call.id),
        Call::Sweep(call) => format!("sweep by {}", call.max),
        Call::Evict(call) => format!(
            "evict kind {:?} to {} bytes by {}",
            call.kind.as_str(),
            call.max_bytes,
            call.max
        ),
        other => other.name().to_owned(),
    }
}

fn submit(call: &Submit) -> String {
    let place = match call.targets {
        Targets::Inline(_) => "inline",
        Targets::NotYet => "not yet",
        Targets::Staged => "staged",
    };
    format!(
        "submit {} ({} targets {place}) for kind {:?} by {:?} under {:?} {:?}, {:?}, {}",
        call.id,
        call.total,
        call.kind.as_str(),
        call.caller.name,
        call.key.space,
        call.key.text,
        call.reuse,
        settings(&call.settings)
    )
}

fn settings(settings: &Settings) -> String {
    let pin = match settings.recovery.pin() {
        Some(session) => format!("pinned to {session}"),
        None => "resumable".to_owned(),
    };
    format!(
        "{pin}, width {}, halt {:?}, ttl {} ms, max losses {}",
        settings.width,
        settings.halt,
        settings.ttl.as_millis(),
        settings.max_losses
    )
}

fn take(call: &Take) -> String {
    format!("take by {} with ticket {}", call.session, call.ticket)
}

fn finish(call: &Finish) -> String {
    let answer = match &call.answer {
        Answer::Done { result } => format!("done {result:?}"),
        Answer::Failed { error, .. } => format!("failed {error:?}"),
        Answer::Busy { wait } => format!("busy for {} ms", wait.as_millis()),
        Answer::HandBack { wait } => format!("hand back for {} ms", wait.as_millis()),
        Answer::Refuse => "refuse".to_owned(),
    };
    format!("finish {}: {answer}", start(&call.start))
}

fn start(start: &Start) -> String {
    format!(
        "target {} of {} under ({}, {})",
        start.index, start.job, start.session, start.fence
    )
}

/// The reply's variant, and what of it matters in a step.
pub(super) fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Submit(SubmitReply::Created { seq }) => format!("Created {seq}"),
        Reply::Submit(reply) => debug(reply),
        Reply::Stage(reply) => debug::<StageReply>(reply),
        Reply::Enter(EnterReply::Entered { .. }) => "Entered".to_owned(),
        Reply::Renew(RenewReply::Beat { beat, starts, .. }) => {
            format!("Beat {beat}, {} starts", starts.len())
        }
        Reply::Enter(EnterReply::Gone) | Reply::Renew(RenewReply::Gone) => "Gone".to_owned(),
        Reply::Reap(None) => "Moved".to_owned(),
        Reply::Reap(Some(reaped)) => debug(reaped),
        Reply::Take(reply) => taken(reply),
        Reply::Finish(reply) => finished(reply),
        Reply::Turn(reply) => format!("{} and {}", finished(&reply.finish), taken(&reply.take)),
        Reply::Cancel(reply) => debug::<CancelReply>(reply),
        Reply::Touch(reply) => debug::<TouchReply>(reply),
        Reply::Sweep(swept) => format!("Swept {}, expired {}", swept.jobs, swept.expired.len()),
        Reply::Evict(evicted) => format!("Evicted {}, {} bytes", evicted.jobs, evicted.bytes),
        Reply::Error(kind) => format!("error {kind}"),
        _ => "rows".to_owned(),
    }
}

fn taken(reply: &TakeReply) -> String {
    match reply {
        TakeReply::Started(started) => format!("Started {}", start(&started.start)),
        other => debug(other),
    }
}

fn finished(reply: &FinishReply) -> String {
    match reply {
        FinishReply::Stored { ended: None, .. } => "Stored".to_owned(),
        FinishReply::Stored {
            ended: Some(ending),
            ..
        } => format!("Stored and ended {}", ending.status),
        other => debug(other),
    }
}

fn debug<T: std::fmt::Debug>(value: &T) -> String {
    format!("{value:?}")
}
