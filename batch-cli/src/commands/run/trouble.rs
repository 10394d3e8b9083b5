//! Notices that a store takes nothing any more, before outcomes are given up.

use std::time::Duration;

use batch_core::clock::{Clock, SystemClock};
use batch_core::id::JobId;
use batch_core::store::call::Touch;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::{Store, StoreResult};

use crate::exit::{Exit, Failure};
use crate::reads::Reads;

/// How often the store is asked to write something small.
const EVERY: Duration = Duration::from_secs(5);
/// How long one such write may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How long it may fail; less than the runner's own patience with an outcome.
const PATIENCE: Duration = Duration::from_secs(40);

/// Resolves when nothing of this job could be written for too long. Safe to drop.
pub(super) async fn trouble(reads: &Reads, id: &JobId) -> Failure {
    let clock = SystemClock::new();
    let mut good = clock.elapsed();
    loop {
        clock.sleep(EVERY).await;
        let call = Touch {
            id: id.clone(),
            now: reads.now(),
        };
        match touch(reads.store().as_ref(), call, clock).await {
            Ok(()) => good = clock.elapsed(),
            Err(error) if clock.elapsed().saturating_sub(good) >= PATIENCE => {
                return Failure::new(
                    Exit::Unavailable,
                    format!("store: {error}; mend it, then give the same command again"),
                );
            }
            Err(_) => {}
        }
    }
}

async fn touch(store: &dyn Store, call: Touch, clock: SystemClock) -> StoreResult<()> {
    tokio::select! {
        touched = store.touch(call) => touched.map(|_| ()),
        () = clock.sleep(LIMIT) => {
            Err(StoreError::new(StoreErrorKind::Unavailable, "touch", "no answer in time"))
        }
    }
}
