//! Submit and stage (R1).

use batch_core::decide::{self, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::{Stage, Submit};
use batch_core::store::reply::{StageReply, SubmitReply};

use crate::handle::{Handle, Operation};

pub(crate) async fn submit(handle: &Handle, call: Submit) -> StoreResult<SubmitReply> {
    let operation = Operation::on("submit", &call.id);
    handle
        .write_and_wake(operation, move |step| {
            step.keep(decide::submit(step, &call)?)
        })
        .await
}

pub(crate) async fn stage(handle: &Handle, call: Stage) -> StoreResult<StageReply> {
    let operation = Operation::on("stage", &call.id);
    handle
        .write(operation, move |step| {
            step.keep(decide::stage(step, &call)?)
        })
        .await
}
