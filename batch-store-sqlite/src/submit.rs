//! Submit and stage (R1).

use batch_core::decide::{self, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::{NewTarget, Stage, Submit};
use batch_core::store::reply::{StageReply, SubmitReply};

use crate::handle::{Handle, Operation};
use crate::keys::{MAX_TARGETS, too_many};

pub(crate) async fn submit(handle: &Handle, call: Submit) -> StoreResult<SubmitReply> {
    let operation = Operation::on("submit", &call.id);
    let bytes = call.targets.bytes();
    handle
        .bring(bytes, operation, move |tables| {
            let reply = tables.keep(decide::submit(tables, &call)?)?;
            check_total(&reply, call.total)?;
            Ok(reply)
        })
        .await
}

/// A job that this store cannot key is refused before its targets are sent.
fn check_total(reply: &SubmitReply, total: u64) -> StoreResult<()> {
    let makes = matches!(reply, SubmitReply::Created { .. } | SubmitReply::Send);
    if makes && total > MAX_TARGETS {
        return Err(too_many());
    }
    Ok(())
}

pub(crate) async fn stage(handle: &Handle, call: Stage) -> StoreResult<StageReply> {
    let operation = Operation::on("stage", &call.id);
    let bytes = call.targets.iter().map(NewTarget::bytes).sum();
    handle
        .bring(bytes, operation, move |tables| {
            tables.keep(decide::stage(tables, &call)?)
        })
        .await
}
