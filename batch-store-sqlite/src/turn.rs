//! Take, finish, and both in one step (R2, R3).

use batch_core::decide::{self, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::{Finish, Take, Turn};
use batch_core::store::reply::{FinishReply, TakeReply, TurnReply};

use crate::handle::{Handle, Operation};
use crate::tables::Tables;

/// R2.6: a take that finds nothing writes nothing, and takes no lock either.
pub(crate) async fn take(handle: &Handle, call: Take) -> StoreResult<TakeReply> {
    handle
        .decide(
            Some(0),
            |call: &Take| Operation::on("take", &call.session),
            call,
            |tables, call| decide::take(tables, call),
        )
        .await
}

pub(crate) async fn finish(handle: &Handle, call: Finish) -> StoreResult<FinishReply> {
    let operation = Operation::on("finish", &call.start.job);
    let brought = call.answer.outcome_bytes();
    let finish = move |tables: &mut Tables<'_>| tables.keep(decide::finish(tables, &call)?);
    match brought {
        Some(bytes) => handle.bring(bytes, operation, finish).await,
        None => handle.write(operation, finish).await,
    }
}

/// R2.7: one commit for both.
pub(crate) async fn turn(handle: &Handle, call: Turn) -> StoreResult<TurnReply> {
    let operation = Operation::on("turn", &call.finish.start.job);
    let bytes = call.finish.answer.outcome_bytes().unwrap_or(0);
    handle
        .bring(bytes, operation, move |tables| {
            let finish = tables.keep(decide::finish(tables, &call.finish)?)?;
            let take = tables.keep(decide::take(tables, &call.take)?)?;
            Ok(TurnReply { finish, take })
        })
        .await
}
