//! Take, finish, and both in one step (R2, R3).

use batch_core::decide::{self, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::{Finish, Take, Turn};
use batch_core::store::reply::{FinishReply, TakeReply, TurnReply};

use crate::handle::{Handle, Operation};
use crate::step::Step;
use crate::writer::After;

/// R2.6: a take that finds nothing writes nothing.
pub(crate) async fn take(handle: &Handle, call: Take) -> StoreResult<TakeReply> {
    let operation = Operation::on("take", &call.session);
    handle
        .bring(0, After::Nothing, operation, move |step| {
            step.keep(decide::take(step, &call)?)
        })
        .await
}

pub(crate) async fn finish(handle: &Handle, call: Finish) -> StoreResult<FinishReply> {
    let operation = Operation::on("finish", &call.start.job);
    let brought = call.answer.outcome_bytes();
    let finish = move |step: &mut Step<'_>| step.keep(decide::finish(step, &call)?);
    match brought {
        Some(bytes) => handle.bring(bytes, After::Wake, operation, finish).await,
        None => handle.write_and_wake(operation, finish).await,
    }
}

/// R2.7: one batch for both.
pub(crate) async fn turn(handle: &Handle, call: Turn) -> StoreResult<TurnReply> {
    let operation = Operation::on("turn", &call.finish.start.job);
    let bytes = call.finish.answer.outcome_bytes().unwrap_or(0);
    handle
        .bring(bytes, After::Wake, operation, move |step| {
            let finish = step.keep(decide::finish(step, &call.finish)?)?;
            let take = step.keep(decide::take(step, &call.take)?)?;
            Ok(TurnReply { finish, take })
        })
        .await
}
