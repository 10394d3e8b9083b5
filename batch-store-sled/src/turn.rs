//! Take, finish, and both in one step (R2, R3).

use batch_core::decide::{self, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::{Finish, Take, Turn};
use batch_core::store::reply::{FinishReply, TakeReply, TurnReply};

use crate::handle::{Handle, Operation};

/// R2.6: a take that finds nothing writes nothing.
pub(crate) async fn take(handle: &Handle, call: Take) -> StoreResult<TakeReply> {
    let operation = Operation::on("take", &call.session);
    handle
        .write(operation, move |step| step.keep(decide::take(step, &call)?))
        .await
}

pub(crate) async fn finish(handle: &Handle, call: Finish) -> StoreResult<FinishReply> {
    let operation = Operation::on("finish", &call.start.job);
    handle
        .write_and_wake(operation, move |step| {
            step.keep(decide::finish(step, &call)?)
        })
        .await
}

/// R2.7: one batch for both.
pub(crate) async fn turn(handle: &Handle, call: Turn) -> StoreResult<TurnReply> {
    let operation = Operation::on("turn", &call.finish.start.job);
    handle
        .write_and_wake(operation, move |step| {
            let finish = step.keep(decide::finish(step, &call.finish)?)?;
            let take = step.keep(decide::take(step, &call.take)?)?;
            Ok(TurnReply { finish, take })
        })
        .await
}
