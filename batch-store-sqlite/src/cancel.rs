//! Cancel (R5).

use batch_core::decide;
use batch_core::store::StoreResult;
use batch_core::store::call::Cancel;
use batch_core::store::reply::CancelReply;

use crate::handle::{Handle, Operation};

pub(crate) async fn cancel(handle: &Handle, call: Cancel) -> StoreResult<CancelReply> {
    handle
        .decide(
            None,
            |call: &Cancel| Operation::on("cancel", &call.id),
            call,
            |tables, call| decide::cancel(tables, call),
        )
        .await
}
