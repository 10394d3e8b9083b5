//! How a store call is sent until it is answered (R8.2, S2).

use std::future::Future;
use std::time::Duration;

use rand::RngExt;

use super::shared::Shared;
use crate::id::JobId;
use crate::store::StoreResult;
use crate::store::error::{StoreError, StoreErrorKind};

/// The first wait between two sendings.
const FIRST_WAIT: Duration = Duration::from_millis(50);
/// The longest wait between two sendings.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// How long a renewal may stay unanswered, at least.
const SHORTEST_CALL: Duration = Duration::from_secs(1);
/// How long one sending may stay unanswered, at most.
const LONGEST_CALL: Duration = Duration::from_secs(15);

impl Shared {
    /// Sends a call again, with growing and jittered waits, until it is answered or
    /// refused for good, or `store_retry_for` has passed.
    pub(super) async fn send<T, F, Fut>(&self, call: F) -> StoreResult<T>
    where
        F: Fn() -> Fut + Send,
        Fut: Future<Output = StoreResult<T>> + Send,
        T: Send,
    {
        let begun = self.clock.elapsed();
        let mut tries = 0;
        loop {
            let error = match self.send_once(call()).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            let wait = backoff(tries);
            let passed = self.clock.elapsed().saturating_sub(begun);
            warn(&error);
            if !error.kind().may_retry() || passed + wait > self.config.store_retry_for {
                return Err(error);
            }
            self.clock.sleep(wait).await;
            tries += 1;
        }
    }

    /// The same, for a call about one job, which its errors name (R8.4).
    pub(super) async fn send_about<T, F, Fut>(&self, id: &JobId, call: F) -> StoreResult<T>
    where
        F: Fn() -> Fut + Send + Sync,
        Fut: Future<Output = StoreResult<T>> + Send,
        T: Send,
    {
        let call = &call;
        let named = || async move { call().await.map_err(|error| error.about(id)) };
        self.send(named).await
    }

    /// Sends a call once; one that stays unanswered may have been applied.
    pub(super) async fn send_once<T>(
        &self,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        let limit = (self.config.store_retry_for / 4).min(LONGEST_CALL);
        self.answered_in(limit, call).await
    }

    /// Sends a call that the next beat makes up for: it may take no longer than a beat.
    pub(super) async fn send_for_a_beat<T>(
        &self,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        let limit = self.config.beat.max(SHORTEST_CALL);
        self.answered_in(limit, call).await
    }

    async fn answered_in<T>(
        &self,
        limit: Duration,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        tokio::select! {
            biased;
            reply = call => reply,
            () = self.clock.sleep(limit) => Err(StoreError::new(
                StoreErrorKind::Unknown,
                "store call",
                "no answer in time",
            )),
        }
    }
}

/// The wait before sending number `tries + 2`: doubled each time, half of it random.
fn backoff(tries: u32) -> Duration {
    let full = FIRST_WAIT
        .saturating_mul(1 << tries.min(16))
        .min(LONGEST_WAIT);
    full.mul_f64(rand::rng().random_range(0.5..1.0))
}

/// R8.4: job id, operation and kind; nothing else.
pub(super) fn warn(error: &StoreError) {
    tracing::warn!(
        operation = error.operation(),
        kind = error.kind().as_str(),
        id = error.id().unwrap_or_default(),
        "store call failed"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R8.2
    #[test]
    fn waits_grow_and_stay_bounded() {
        for tries in [0, 1, 5, 20, u32::MAX] {
            let wait = backoff(tries);

            assert!(wait >= FIRST_WAIT / 2);
            assert!(wait <= LONGEST_WAIT);
        }
    }
}
