//! The background of retention: sweeping old jobs, evicting over the byte budget.

use std::sync::Arc;

use super::recover::tell_all;
use super::shared::Shared;
use crate::store::call::{Evict, Sweep};

/// Jobs and rows of one step.
const STEP: u32 = 200;

/// Sweeps periodically and after submits (R1.9, R11.4).
pub(super) async fn sweep(shared: Arc<Shared>) {
    loop {
        tokio::select! {
            biased;
            () = shared.signals.sweep.notified() => {}
            () = shared.clock.sleep(shared.config.sweep_every) => {}
        }
        sweep_all(&shared).await;
    }
}

async fn sweep_all(shared: &Shared) {
    loop {
        let call = Sweep {
            now: shared.now(),
            max: STEP,
        };
        // An error was logged; what is left is swept next time.
        let Ok(swept) = shared.send("sweep", || shared.store.sweep(call)).await else {
            return;
        };
        tell_all(shared, &swept.expired);
        if !swept.more {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// Evicts when a reply said that the budget is exceeded, one at a time (R3.4).
pub(super) async fn evict(shared: Arc<Shared>) {
    loop {
        shared.signals.evict.notified().await;
        evict_all(&shared).await;
    }
}

async fn evict_all(shared: &Shared) {
    loop {
        let call = Evict {
            kind: shared.config.kind.clone(),
            max_bytes: shared.config.max_bytes,
            max: STEP,
        };
        let Ok(evicted) = shared
            .send("evict", || shared.store.evict(call.clone()))
            .await
        else {
            return;
        };
        if evicted.jobs > 0 {
            tracing::debug!(jobs = evicted.jobs, bytes = evicted.bytes, "evicted");
        }
        if !evicted.more {
            return;
        }
        tokio::task::yield_now().await;
    }
}
