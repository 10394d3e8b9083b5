//! How a store call is sent until it is answered (R8.2, S2).

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use rand::RngExt;

use super::gauges::let_go;
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

/// What a call is, for its errors and the log (R8.4).
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    operation: &'static str,
    id: Option<&'a JobId>,
}

impl From<&'static str> for Named<'_> {
    fn from(operation: &'static str) -> Self {
        let id = None;
        Self { operation, id }
    }
}

/// A call about one job.
impl<'a> From<(&'static str, &'a JobId)> for Named<'a> {
    fn from((operation, id): (&'static str, &'a JobId)) -> Self {
        let id = Some(id);
        Self { operation, id }
    }
}

impl Shared {
    /// Sends a call once; one that stays unanswered may have been applied.
    pub(super) async fn send_once<'a, T>(
        &self,
        named: impl Into<Named<'a>>,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        self.answered_in(self.patience(), named.into(), call).await
    }

    /// Sends a call that the next beat makes up for: it may take no longer than a beat.
    pub(super) async fn send_for_a_beat<'a, T>(
        &self,
        named: impl Into<Named<'a>>,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        let limit = self.config.beat.max(SHORTEST_CALL);
        self.answered_in(limit, named.into(), call).await
    }

    /// Sends a call again, with growing and jittered waits, until it is answered or
    /// refused for good, or `store_retry_for` has passed.
    pub(super) async fn send<'a, T, F, Fut>(
        &self,
        named: impl Into<Named<'a>>,
        call: F,
    ) -> StoreResult<T>
    where
        F: Fn() -> Fut + Send,
        Fut: Future<Output = StoreResult<T>> + Send,
        T: Send,
    {
        let named = named.into();
        let begun = self.clock.elapsed();
        let (mut tries, mut applied) = (0, false);
        loop {
            let error = match self.answered_in(self.patience(), named, call()).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            applied |= error.kind() == StoreErrorKind::Unknown;
            let wait = backoff(tries);
            let passed = self.clock.elapsed().saturating_sub(begun);
            if !error.kind().may_retry() || passed + wait > self.config.store_retry_for {
                return Err(if applied {
                    error.after_unknown()
                } else {
                    error
                });
            }
            self.clock.sleep(wait).await;
            tries += 1;
        }
    }

    /// How long one sending may stay unanswered.
    fn patience(&self) -> Duration {
        (self.config.store_retry_for / 4).min(LONGEST_CALL)
    }

    /// One sending. Whatever goes wrong with it is named and logged here.
    async fn answered_in<T>(
        &self,
        limit: Duration,
        named: Named<'_>,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        let unknown = |reason| StoreError::new(StoreErrorKind::Unknown, named.operation, reason);
        let answer = tokio::select! {
            biased;
            answer = AssertUnwindSafe(call).catch_unwind() => answer.unwrap_or_else(|panic| {
                let_go(panic);
                Err(unknown("the store panicked"))
            }),
            () = self.clock.sleep(limit) => Err(unknown("no answer in time")),
        };
        answer.map_err(|error| {
            let error = match named.id {
                Some(id) => error.about(id),
                None => error,
            };
            warn(&error);
            error
        })
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
fn warn(error: &StoreError) {
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
