//! Clocks that a test moves by hand (S15).
//!
//! A [`ShiftedClock`] lies about the hour while its waits take their real time; on a
//! [`ManualClock`] nothing passes unless the test says so.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use batch_core::clock::{Clock, SystemClock};
use batch_core::time::{Timestamp, millis};
use tokio::sync::watch;

/// The host's clock with a wall clock that jumps.
#[derive(Debug, Default)]
pub struct ShiftedClock {
    host: SystemClock,
    shift: AtomicI64,
}

impl ShiftedClock {
    /// Sets the wall clock forward.
    pub fn forward(&self, by: Duration) {
        self.shift.fetch_add(millis(by), Ordering::SeqCst);
    }

    /// Sets the wall clock back.
    pub fn back(&self, by: Duration) {
        self.shift.fetch_sub(millis(by), Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for ShiftedClock {
    fn now(&self) -> Timestamp {
        let host = self.host.now().as_millis();
        Timestamp::from_millis(host.saturating_add(self.shift.load(Ordering::SeqCst)))
    }

    fn elapsed(&self) -> Duration {
        self.host.elapsed()
    }

    async fn sleep(&self, length: Duration) {
        self.host.sleep(length).await;
    }
}

/// A clock that stands still until it is advanced.
#[derive(Debug)]
pub struct ManualClock {
    start: Timestamp,
    elapsed: watch::Sender<Duration>,
}

impl ManualClock {
    /// A clock that shows `start`.
    pub fn new(start: Timestamp) -> Self {
        let elapsed = watch::Sender::new(Duration::ZERO);
        Self { start, elapsed }
    }

    /// Moves time on; everything that slept until then wakes.
    pub fn advance(&self, by: Duration) {
        self.elapsed.send_modify(|elapsed| *elapsed += by);
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        self.start.after(self.elapsed())
    }

    fn elapsed(&self) -> Duration {
        *self.elapsed.borrow()
    }

    async fn sleep(&self, length: Duration) {
        let until = self.elapsed().saturating_add(length);
        // The sender lives as long as this clock: waiting cannot fail.
        let _ = self.elapsed.subscribe().wait_for(|now| *now >= until).await;
    }
}
