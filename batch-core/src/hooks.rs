//! What a deployment may observe of its runner, for metrics (R3.4, R4.2, R7).
//!
//! A hook is called after the write, with no lock held. A slow one delays its
//! worker only; a panic in one harms nothing.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::caller::BoxError;
use crate::state::JobStatus;

/// What happened to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobEvent {
    /// It was made.
    Created,
    /// A submit was answered with it.
    Reused,
    /// It ended with this status.
    Ended(JobStatus),
}

impl JobEvent {
    /// The name: `created`, `reused`, or that of the status.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Reused => "reused",
            Self::Ended(status) => status.as_str(),
        }
    }
}

/// Told of a job.
pub type JobHook = Arc<dyn Fn(JobEvent) + Send + Sync>;
/// Told of a stored target: its error if it failed, the time of this try, bytes of its result.
pub type TargetHook = Arc<dyn Fn(Option<&BoxError>, Duration, usize) + Send + Sync>;
/// Told how long a job took from submit to end.
pub type JobSecondsHook = Arc<dyn Fn(Duration) + Send + Sync>;
/// Told of a gauge whenever it changes.
pub type GaugeHook = Arc<dyn Fn(usize) + Send + Sync>;

/// What to call; any may be absent.
#[derive(Clone, Default)]
pub struct Hooks {
    /// Created or ended: at most once a job over all processes. Reused: each time.
    pub job: Option<JobHook>,
    /// Once per target that this runner stored.
    pub target: Option<TargetHook>,
    /// Once per job that this runner ended.
    pub job_seconds: Option<JobSecondsHook>,
    /// Live jobs that this runner has to do with.
    pub depth: Option<GaugeHook>,
    /// Targets that it is fetching.
    pub inflight: Option<GaugeHook>,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
