//! What a runner counts of calls that changed nothing in the store (R7.4).

use std::sync::atomic::{AtomicU64, Ordering};

/// A reading of the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Submits that were answered with an earlier job.
    pub reused: u64,
    /// Submits that a cap refused.
    pub refused: u64,
    /// Outcomes that came too late: their starts were superseded.
    pub superseded: u64,
    /// Outcomes that the store refused for good.
    pub not_stored: u64,
}

/// The counts themselves.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) reused: AtomicU64,
    pub(super) refused: AtomicU64,
    pub(super) superseded: AtomicU64,
    pub(super) not_stored: AtomicU64,
}

impl Counts {
    pub(super) fn read(&self) -> Tally {
        Tally {
            reused: self.reused.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            superseded: self.superseded.load(Ordering::Relaxed),
            not_stored: self.not_stored.load(Ordering::Relaxed),
        }
    }
}

/// Counts one more.
pub(super) fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}
