//! S1.1: a close waits for what was begun, and takes nothing more.

use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::SubmitReply;
use futures_util::poll;

use crate::place::{Place, job};

/// S1.1
#[tokio::test]
async fn a_close_waits_for_a_call_that_was_begun() {
    let place = Place::new();
    let store = place.store("p").await;
    place.server().freeze().unwrap();
    let mut begun = std::pin::pin!(store.submit(job("begun", 1)));
    assert!(poll!(begun.as_mut()).is_pending());

    let mut closing = std::pin::pin!(store.close());
    let waits = poll!(closing.as_mut()).is_pending();
    let late = store.submit(job("late", 1));
    place.server().thaw().unwrap();
    let (begun, closed, late) = tokio::join!(begun, closing, late);

    assert!(waits);
    assert_eq!(begun.unwrap(), SubmitReply::Created { seq: 1 });
    assert_eq!(late.unwrap_err().kind(), StoreErrorKind::Closed);
    closed.unwrap();
}
