//! Submit and stage (R1).

use batch_core::decide::{self, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::{NewTarget, Stage, Submit};
use batch_core::store::reply::{StageReply, SubmitReply};

use crate::handle::{Handle, Operation};
use crate::writer::After;

pub(crate) async fn submit(handle: &Handle, call: Submit) -> StoreResult<SubmitReply> {
    let operation = Operation::on("submit", &call.id);
    let bytes = call.targets.bytes();
    handle
        .bring(bytes, After::Wake, operation, move |step| {
            step.keep(decide::submit(step, &call)?)
        })
        .await
}

pub(crate) async fn stage(handle: &Handle, call: Stage) -> StoreResult<StageReply> {
    let operation = Operation::on("stage", &call.id);
    let bytes = call.targets.iter().map(NewTarget::bytes).sum();
    handle
        .bring(bytes, After::Nothing, operation, move |step| {
            step.keep(decide::stage(step, &call)?)
        })
        .await
}
