//! Cancel (R5).

use batch_core::decide::{self, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::Cancel;
use batch_core::store::reply::CancelReply;

use crate::handle::{Handle, Operation};

pub(crate) async fn cancel(handle: &Handle, call: Cancel) -> StoreResult<CancelReply> {
    let operation = Operation::on("cancel", &call.id);
    handle
        .write(operation, move |step| {
            step.keep(decide::cancel(step, &call)?)
        })
        .await
}
