//! What a deployment sets. Zero, or nothing, means the default (R11).
//!
//! Fixed limits of the contract are in `limits.rs`.

use std::time::Duration;

use crate::id::Kind;
use crate::limits::MOST_TARGETS;
use crate::store::call::{Caps, Halt};

/// The settings of a runner.
///
/// Every field left at zero takes its default; absurd values are clamped.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Which work this runner serves.
    pub kind: Kind,
    /// How long a job is kept after its lease; 24 h, at least 2 × `store_retry_for`.
    pub ttl: Duration,
    /// Targets of one job; 32, at most [`MOST_TARGETS`].
    pub targets_per_job: u64,
    /// Live jobs of one caller; 1.
    pub jobs_per_caller: u64,
    /// Live jobs of the kind; 8.
    pub jobs_total: u64,
    /// Targets fetched at once; 1, at most `worker_ceiling`.
    pub workers: usize,
    /// The most `workers` that this deployment allows; 2.
    pub worker_ceiling: usize,
    /// Bytes that terminal jobs of the kind may keep; 64 MiB.
    pub max_bytes: u64,
    /// Bytes of one result; `max_bytes`.
    pub max_result_bytes: u64,
    /// How long a busy target is parked; 2 s.
    pub retry_wait: Duration,
    /// How long a target may keep coming back busy; 10 min.
    pub retry_for: Duration,
    /// How long a store call is sent again; 60 s.
    pub store_retry_for: Duration,
    /// How often the session is renewed; 2 s.
    pub beat: Duration,
    /// Own renewals without a beat of another session, after which that is dead; 3.
    pub missed_beats: u32,
    /// Lost starts in a row after which a target is stored as failed; 3.
    pub max_losses: u32,
    /// How often an idle runner asks a store that cannot wake it; 250 ms.
    pub poll: Duration,
    /// How often old jobs are swept; 60 s.
    pub sweep_every: Duration,
    /// The greatest width that a submit may ask for; `worker_ceiling`.
    pub max_width: u32,
    /// How long one try may take; no limit.
    pub target_timeout: Option<Duration>,
    /// When failures stop a job, unless its submit says otherwise; never.
    pub halt: Halt,
    /// Where this runner runs, as `sessions` shows it; display only.
    pub host: String,
}

const DAY: Duration = Duration::from_hours(24);
/// The longest wait that is ever passed to a timer or added to a stamp.
const LONGEST: Duration = Duration::from_hours(24 * 365 * 100);
/// The most tasks that any ceiling allows; each holds a target and its result.
const MOST_WORKERS: usize = 4_096;
/// The shortest wait, so that nothing spins.
const SHORTEST: Duration = Duration::from_millis(1);

impl Config {
    /// The same settings with defaults filled in and absurd values clamped.
    #[must_use]
    pub fn resolved(self) -> Self {
        let worker_ceiling = or(self.worker_ceiling, 2).min(MOST_WORKERS);
        let max_bytes = or(self.max_bytes, 64 << 20);
        let store_retry_for = wait_or(self.store_retry_for, Duration::from_mins(1));
        let width = u32::try_from(worker_ceiling).unwrap_or(u32::MAX);
        Self {
            kind: self.kind,
            ttl: wait_or(self.ttl, DAY).max(store_retry_for.saturating_mul(2)),
            targets_per_job: or(self.targets_per_job, 32).min(MOST_TARGETS),
            jobs_per_caller: or(self.jobs_per_caller, 1),
            jobs_total: or(self.jobs_total, 8),
            workers: or(self.workers, 1).min(worker_ceiling),
            worker_ceiling,
            max_bytes,
            max_result_bytes: or(self.max_result_bytes, max_bytes),
            retry_wait: wait_or(self.retry_wait, Duration::from_secs(2)),
            retry_for: wait_or(self.retry_for, Duration::from_mins(10)),
            store_retry_for,
            beat: wait_or(self.beat, Duration::from_secs(2)),
            missed_beats: or(self.missed_beats, 3),
            max_losses: or(self.max_losses, 3),
            poll: wait_or(self.poll, Duration::from_millis(250)),
            sweep_every: wait_or(self.sweep_every, Duration::from_mins(1)),
            max_width: or(self.max_width, width),
            target_timeout: self
                .target_timeout
                .map(|limit| limit.clamp(SHORTEST, LONGEST)),
            halt: self.halt,
            host: self.host,
        }
    }

    /// The limits that a submit is held to.
    pub(crate) fn caps(&self) -> Caps {
        Caps {
            targets_per_job: self.targets_per_job,
            jobs_per_caller: self.jobs_per_caller,
            jobs_total: self.jobs_total,
        }
    }
}

fn or<T: Default + PartialEq>(value: T, default: T) -> T {
    if value == T::default() {
        default
    } else {
        value
    }
}

fn wait_or(value: Duration, default: Duration) -> Duration {
    or(value, default).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R11.1
    #[test]
    fn zero_means_the_default() {
        let config = Config::default().resolved();

        assert_eq!(config.ttl, DAY);
        assert_eq!(
            config.caps(),
            Caps {
                targets_per_job: 32,
                jobs_per_caller: 1,
                jobs_total: 8
            }
        );
        assert_eq!(config.workers, 1);
        assert_eq!(config.max_result_bytes, 64 << 20);
        assert_eq!(config.max_width, 2);
    }

    /// R11.3
    #[test]
    fn absurd_values_are_clamped() {
        let config = Config {
            ttl: Duration::MAX,
            workers: usize::MAX,
            worker_ceiling: usize::MAX,
            beat: Duration::from_nanos(1),
            store_retry_for: Duration::MAX,
            ..Config::default()
        }
        .resolved();

        assert_eq!(config.workers, MOST_WORKERS);
        assert_eq!(config.beat, SHORTEST);
        assert!(config.ttl >= config.store_retry_for);
        assert_eq!(config.store_retry_for, LONGEST);
    }

    /// R11.2
    #[test]
    fn ttl_outlives_every_resend() {
        let config = Config {
            ttl: SHORTEST,
            ..Config::default()
        }
        .resolved();

        assert_eq!(config.ttl, Duration::from_mins(2));
    }
}
