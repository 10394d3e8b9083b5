//! Touch, sweep (S6) and evict (S7).

use batch_core::decide::{self, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::{Evict, Sweep, Touch};
use batch_core::store::reply::{Evicted, Swept, TouchReply};

use crate::handle::{Handle, Operation};

pub(crate) async fn touch(handle: &Handle, call: Touch) -> StoreResult<TouchReply> {
    let operation = Operation::on("touch", &call.id);
    handle
        .write(operation, move |step| {
            step.keep(decide::touch(step, &call)?)
        })
        .await
}

pub(crate) async fn sweep(handle: &Handle, call: Sweep) -> StoreResult<Swept> {
    handle
        .write(Operation::of("sweep"), move |step| {
            decide::sweep(step, &call)
        })
        .await
}

pub(crate) async fn evict(handle: &Handle, call: Evict) -> StoreResult<Evicted> {
    handle
        .write(Operation::of("evict"), move |step| {
            decide::evict(step, &call)
        })
        .await
}
