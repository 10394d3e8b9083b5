//! Touch, sweep (S6) and evict (S7).

use batch_core::decide;
use batch_core::store::StoreResult;
use batch_core::store::call::{Evict, Sweep, Touch};
use batch_core::store::reply::{Evicted, Swept, TouchReply};

use crate::handle::{Handle, Operation};

pub(crate) async fn touch(handle: &Handle, call: Touch) -> StoreResult<TouchReply> {
    handle
        .decide(
            None,
            |call: &Touch| Operation::on("touch", &call.id),
            call,
            |tables, call| decide::touch(tables, call),
        )
        .await
}

pub(crate) async fn sweep(handle: &Handle, call: Sweep) -> StoreResult<Swept> {
    handle
        .write(Operation::of("sweep"), move |tables| {
            decide::sweep(tables, &call)
        })
        .await
}

pub(crate) async fn evict(handle: &Handle, call: Evict) -> StoreResult<Evicted> {
    handle
        .write(Operation::of("evict"), move |tables| {
            decide::evict(tables, &call)
        })
        .await
}
