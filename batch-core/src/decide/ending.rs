//! How a job ends by itself: by its outcomes (R4), or halted by failures (R14).
//!
//! Endings from outside are in `cancel.rs`, `reap.rs`, `retain.rs` and, for a
//! refusal, `finish.rs`.

use super::row::JobRow;
use crate::state::JobStatus;
use crate::store::call::Halt;

/// The error of a job that failures stopped.
pub(super) const HALTED: &str = "halted";
/// The error of a job, and of a target, whose runner is gone.
pub(super) const INTERRUPTED: &str = "interrupted";
/// The error of a live job that nobody cared for.
pub(super) const EXPIRED: &str = "expired";
/// The error of a job whose caller cannot be rebuilt.
pub(super) const UNKNOWN_CALLER: &str = "unknown caller";

/// The status and error with which a live job ends now, if it does.
pub(super) fn verdict(job: &JobRow) -> Option<(JobStatus, Option<&'static str>)> {
    if job.status.is_terminal() {
        None
    } else if job.stored() == job.total {
        Some((by_outcomes(job), None))
    } else if job.halting && job.running == 0 {
        let status = if job.done == 0 {
            JobStatus::Failed
        } else {
            JobStatus::Partial
        };
        Some((status, Some(HALTED)))
    } else {
        None
    }
}

/// R4: all done, all failed, or a mix.
fn by_outcomes(job: &JobRow) -> JobStatus {
    if job.failed == 0 {
        JobStatus::Done
    } else if job.done == 0 {
        JobStatus::Failed
    } else {
        JobStatus::Partial
    }
}

/// R14: whether the job has failed often enough to stop.
pub(super) fn halts(job: &JobRow) -> bool {
    match job.halt {
        Halt::Never => false,
        Halt::Failures(limit) => job.failed >= limit.max(1),
        Halt::Percent(percent) => {
            let failed = u128::from(job.failed) * 100;
            failed >= u128::from(percent.max(1)) * u128::from(job.total)
        }
    }
}
