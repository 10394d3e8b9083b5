//! Notices that a store takes nothing any more, before outcomes are given up.
//!
//! A store that fills up goes on taking what frees, and what is as small as a touch. So it
//! is asked to take a target, too: for a session that is not there, so that none is kept.

use std::time::Duration;

use batch_core::clock::{Clock, SystemClock};
use batch_core::id::{JobId, SessionId};
use batch_core::store::call::{NewTarget, Stage, Touch};
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::{Store, StoreResult};

use crate::exit::{Exit, Failure};
use crate::reads::{Reads, store_time};

/// How often the store is asked to write.
const EVERY: Duration = Duration::from_secs(5);
/// How long that may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How long it may fail; less than the runner's own patience with an outcome.
const PATIENCE: Duration = Duration::from_secs(40);

/// Bytes of the target that is offered: less than any outcome needs with its row.
const OFFERED: usize = 64;

/// Resolves when nothing of this job could be written for too long. Safe to drop.
pub(super) async fn trouble(reads: &Reads, id: &JobId) -> Failure {
    let clock = SystemClock::new();
    let mut good = clock.elapsed();
    loop {
        clock.sleep(EVERY).await;
        match offer(reads.store().as_ref(), id, clock).await {
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

/// Offers a store a touch and a target; it keeps the touch.
async fn offer(store: &dyn Store, id: &JobId, clock: SystemClock) -> StoreResult<()> {
    let offered = async {
        let now = store_time(store).await?;
        let id = id.clone();
        store.touch(Touch { id, now }).await?;
        let nobody = Stage {
            id: JobId::random(),
            session: SessionId::random(),
            first: 0,
            targets: vec![NewTarget::new("-".repeat(OFFERED))],
            now,
        };
        store.stage(nobody).await.map(|_| ())
    };
    tokio::select! {
        taken = offered => taken,
        () = clock.sleep(LIMIT) => {
            Err(StoreError::new(StoreErrorKind::Unavailable, "touch", "no answer in time"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use batch_core::memory::MemoryStore;
    use batch_testkit::fault::{Fault, FaultStore, Often, Plan};

    use super::*;

    /// S12.2, B40
    #[tokio::test]
    async fn b40_a_store_that_takes_no_target_is_in_trouble_though_it_takes_a_touch() {
        let store = FaultStore::new(Arc::new(MemoryStore::new()));
        let id = JobId::random();
        let clock = SystemClock::new();
        offer(&store, &id, clock).await.unwrap();
        store.plan(Plan {
            operation: Some("stage"),
            call: 1,
            often: Often::FromThenOn,
            fault: Fault::Before(StoreErrorKind::Full),
        });

        let refused = offer(&store, &id, clock).await.unwrap_err();

        assert_eq!(refused.kind(), StoreErrorKind::Full);
    }
}
