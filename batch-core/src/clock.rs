//! The clock that a runner is given, so that tests can move time (S15).
//!
//! This is the only file that reads the host's time or sleeps.

use std::fmt;
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;

use crate::time::{Timestamp, millis};

/// Tells the time, and waits.
#[async_trait]
pub trait Clock: Send + Sync + fmt::Debug + 'static {
    /// The host's wall clock.
    fn now(&self) -> Timestamp;

    /// Time since some fixed point; never goes back.
    fn elapsed(&self) -> Duration;

    /// Resolves after `length`. Safe to drop.
    async fn sleep(&self, length: Duration);
}

/// The host's clocks.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// The host's clocks; `elapsed` begins now.
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the host's time"
    )]
    fn now(&self) -> Timestamp {
        match SystemTime::now().duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => Timestamp::from_millis(millis(since)),
            Err(before) => Timestamp::from_millis(-millis(before.duration())),
        }
    }

    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    #[expect(clippy::disallowed_methods, reason = "the one place that sleeps")]
    async fn sleep(&self, length: Duration) {
        tokio::time::sleep(length).await;
    }
}
