//! Submit and stage (R1).

use std::time::Duration;

use batch_core::decide;
use batch_core::id::{JobId, SessionId};
use batch_core::limits::STAGE_LIFE;
use batch_core::store::StoreResult;
use batch_core::store::call::{Halt, NewTarget, Reuse, Stage, Submit, Targets};
use batch_core::store::reply::{StageReply, SubmitReply};
use batch_core::time::{self, Timestamp};

use crate::codec::{Fields, length_text, maybe_text, target_text, time_text};
use crate::connection::Connection;
use crate::error::damaged;
use crate::rows::{space, status_of};
use crate::scripts::SCRIPTS;

pub(crate) async fn submit(connection: &Connection, call: &Submit) -> StoreResult<SubmitReply> {
    decide::check_submit(call)?;
    let reply = connection
        .write(&SCRIPTS.submit, &submit_args(call))
        .await?;
    submit_reply(reply)
}

fn submit_args(call: &Submit) -> Vec<String> {
    let settings = &call.settings;
    let (brought, targets) = match &call.targets {
        Targets::Inline(targets) => ("inline", targets.as_slice()),
        Targets::NotYet => ("not-yet", &[][..]),
        Targets::Staged => ("staged", &[][..]),
    };
    let (halt, halt_at) = halt(settings.halt);
    let mut args = vec![
        call.id.to_string(),
        call.kind.to_string(),
        call.caller.name.clone(),
        call.caller.class.clone(),
        space(call.key.space).to_owned(),
        call.key.text.clone(),
        call.digest.clone(),
        u8::from(call.reuse == Reuse::Allowed).to_string(),
        settings.width.to_string(),
        halt.to_owned(),
        halt_at.to_string(),
        maybe_text('@', settings.recovery.pin().map(SessionId::as_str)),
        length_text(settings.ttl),
        settings.max_losses.to_string(),
        maybe_text('@', settings.rerun_of.as_ref().map(JobId::as_str)),
        settings.note.clone(),
        call.total.to_string(),
        brought.to_owned(),
        call.targets.bytes().to_string(),
        u8::from(call.total > call.caps.targets_per_job).to_string(),
        call.caps.jobs_per_caller.to_string(),
        call.caps.jobs_total.to_string(),
        time_text(call.now),
        length_text(STAGE_LIFE),
    ];
    args.extend(targets.iter().map(target_text));
    args
}

/// The name of a halt, and its limit.
fn halt(halt: Halt) -> (&'static str, u64) {
    match halt {
        Halt::Never => ("never", 0),
        Halt::Failures(limit) => ("failures", limit),
        Halt::Percent(percent) => ("percent", u64::from(percent)),
    }
}

/// A time moved earlier, or the earliest time.
pub(crate) fn before(time: Timestamp, by: Duration) -> Timestamp {
    Timestamp::from_millis(time.as_millis().saturating_sub(time::millis(by)))
}

fn submit_reply(mut reply: Fields) -> StoreResult<SubmitReply> {
    Ok(match reply.text()?.as_str() {
        "created" => SubmitReply::Created {
            seq: reply.number()?,
        },
        "reused" => SubmitReply::Reused {
            id: JobId::new(reply.text()?),
            status: status_of(&reply.text()?)?,
        },
        "conflict" => SubmitReply::KeyConflict {
            id: JobId::new(reply.text()?),
        },
        "send" => SubmitReply::Send,
        "too-many" => SubmitReply::TooMany,
        "caller-busy" => SubmitReply::CallerBusy,
        "busy" => SubmitReply::Busy,
        "id-taken" => SubmitReply::IdTaken,
        "gone" => SubmitReply::Gone,
        _ => return Err(damaged()),
    })
}

pub(crate) async fn stage(connection: &Connection, call: &Stage) -> StoreResult<StageReply> {
    decide::check_stage(call)?;
    let bytes: u64 = call.targets.iter().map(NewTarget::bytes).sum();
    let mut args = vec![
        call.id.to_string(),
        call.session.to_string(),
        call.first.to_string(),
        time_text(call.now),
        bytes.to_string(),
    ];
    args.extend(call.targets.iter().map(target_text));
    let mut reply = connection.write(&SCRIPTS.stage, &args).await?;
    Ok(match reply.text()?.as_str() {
        "staged" => StageReply::Staged,
        "id-taken" => StageReply::IdTaken,
        "gone" => StageReply::Gone,
        _ => return Err(damaged()),
    })
}
