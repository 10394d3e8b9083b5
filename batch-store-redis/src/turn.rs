//! Take, finish, and both in one step (R2, R3).

use std::time::Duration;

use batch_core::id::JobId;
use batch_core::state::TargetStatus;
use batch_core::store::StoreResult;
use batch_core::store::call::{Answer, CallerName, Finish, Start, Take, Turn};
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::reply::{Ending, FinishReply, Started, TakeReply, TurnReply};

use crate::codec::{Fields, length_text, maybe_text, target_of, time_text};
use crate::connection::Connection;
use crate::error::damaged;
use crate::rows::status_of;
use crate::scripts::SCRIPTS;

pub(crate) async fn take(connection: &Connection, call: &Take) -> StoreResult<TakeReply> {
    let reply = connection.write(&SCRIPTS.take, &take_args(call)).await?;
    take_reply(reply, call)
}

fn take_args(call: &Take) -> [String; 3] {
    [
        call.session.to_string(),
        call.ticket.to_string(),
        time_text(call.now),
    ]
}

fn take_reply(mut reply: Fields, call: &Take) -> StoreResult<TakeReply> {
    match reply.text()?.as_str() {
        "started" => started(reply),
        "idle" => Ok(TakeReply::Idle {
            ready_at: reply.maybe_time()?,
        }),
        "gone" => {
            tracing::debug!(session = %call.session, "the session is gone");
            Ok(TakeReply::Gone)
        }
        _ => Err(damaged()),
    }
}

fn started(mut reply: Fields) -> StoreResult<TakeReply> {
    let start = Start {
        session: reply.text()?.into(),
        job: JobId::new(reply.text()?),
        index: reply.number()?,
        fence: reply.number()?,
    };
    let caller = CallerName {
        name: reply.text()?,
        class: reply.text()?,
    };
    let (tries, busy_since) = (reply.parsed()?, reply.maybe_time()?);
    let target = target_of(&reply.text()?)?;
    Ok(TakeReply::Started(Box::new(Started {
        origin: target.origin.unwrap_or(start.index),
        start,
        url: target.url,
        options: target.options,
        caller,
        tries,
        busy_since,
    })))
}

/// An answer without an outcome is taken above the server's memory limit too.
pub(crate) async fn finish(connection: &Connection, call: &Finish) -> StoreResult<FinishReply> {
    let script = match call.answer {
        Answer::Done { .. } | Answer::Failed { .. } => &SCRIPTS.finish,
        Answer::Busy { .. } | Answer::HandBack { .. } | Answer::Refuse => &SCRIPTS.park,
    };
    finish_reply(connection.write(script, &finish_args(call)).await?)
}

fn finish_args(call: &Finish) -> Vec<String> {
    let none = String::new;
    let (answer, text, hint, wait) = match &call.answer {
        Answer::Done { result } => ("done", result.clone(), none(), none()),
        Answer::Failed { error, hint } => (
            "failed",
            error.clone(),
            maybe_text('!', hint.as_deref()),
            none(),
        ),
        Answer::Busy { wait } => ("busy", none(), none(), length_text(*wait)),
        Answer::HandBack { wait } => ("hand-back", none(), none(), length_text(*wait)),
        Answer::Refuse => ("refuse", none(), none(), length_text(Duration::ZERO)),
    };
    vec![
        call.start.job.to_string(),
        call.start.session.to_string(),
        call.start.index.to_string(),
        call.start.fence.to_string(),
        answer.to_owned(),
        text,
        hint,
        wait,
        length_text(call.elapsed),
        time_text(call.now),
    ]
}

fn finish_reply(mut reply: Fields) -> StoreResult<FinishReply> {
    Ok(match reply.text()?.as_str() {
        "stored" => FinishReply::Stored {
            ended: ending(&mut reply)?,
            terminal_bytes: reply.number()?,
        },
        "other" => FinishReply::Other {
            status: match reply.text()?.as_str() {
                "done" => TargetStatus::Done,
                "failed" => TargetStatus::Failed,
                _ => return Err(damaged()),
            },
            ended: ending(&mut reply)?,
        },
        "superseded" => FinishReply::Superseded,
        "missing" => FinishReply::NotFound,
        _ => return Err(damaged()),
    })
}

/// How the job ended, if it did, and when it was made.
fn ending(reply: &mut Fields) -> StoreResult<Option<Ending>> {
    let (status, created_at) = (reply.text()?, reply.time()?);
    if status.is_empty() {
        return Ok(None);
    }
    Ok(Some(Ending {
        status: status_of(&status)?,
        created_at,
    }))
}

/// R2.7: one script for both. At the memory limit it is refused before it did anything:
/// then the finish may pass alone.
pub(crate) async fn turn(connection: &Connection, call: &Turn) -> StoreResult<TurnReply> {
    let mut args = finish_args(&call.finish);
    args.extend(take_args(&call.take));
    match connection.write(&SCRIPTS.turn, &args).await {
        Ok(mut reply) => Ok(TurnReply {
            finish: finish_reply(reply.list()?)?,
            take: take_reply(reply.list()?, &call.take)?,
        }),
        Err(full) if full.kind() == StoreErrorKind::Full => {
            let finish = finish(connection, &call.finish).await?;
            // The finish is stored: whatever comes of the take must not hide that.
            let take = match take(connection, &call.take).await {
                Err(full) if full.kind() == StoreErrorKind::Full => {
                    TakeReply::Idle { ready_at: None }
                }
                take => take.map_err(StoreError::after_unknown)?,
            };
            Ok(TurnReply { finish, take })
        }
        Err(other) => Err(other),
    }
}
