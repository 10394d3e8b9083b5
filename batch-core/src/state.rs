//! The states of jobs and targets, and the one table of transitions.
//!
//! Who makes a transition, and when, is decided in `decide/`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a job stands.
///
/// ```text
/// queued ─► running ─► done | partial | failed
///    └────────┴──────► cancelled | failed
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobStatus {
    /// No target was started yet.
    Queued,
    /// At least one target was started.
    Running,
    /// Every target is done.
    Done,
    /// Some targets are done, others failed or never ran.
    Partial,
    /// No target is done, or the job was ended from outside.
    Failed,
    /// Somebody cancelled it.
    Cancelled,
}

impl JobStatus {
    /// Every status, in the order of [`JobStatus::index`].
    pub const ALL: [Self; 6] = [
        Self::Queued,
        Self::Running,
        Self::Done,
        Self::Partial,
        Self::Failed,
        Self::Cancelled,
    ];

    /// The name as it is stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }

    /// The place in [`JobStatus::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Whether the status never changes again.
    pub const fn is_terminal(self) -> bool {
        !self.is_live()
    }

    /// Whether the job counts against the caps.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }

    /// Whether a job of this status may become `next`.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Queued => matches!(next, Self::Running | Self::Failed | Self::Cancelled),
            Self::Running => next.is_terminal(),
            _ => false,
        }
    }
}

impl fmt::Display for JobStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where a target stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetStatus {
    /// Not started, or parked.
    Pending,
    /// A session holds a start of it.
    Running,
    /// Its result is stored.
    Done,
    /// Its error is stored.
    Failed,
}

impl TargetStatus {
    /// The name as it is stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

impl fmt::Display for TargetStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R4: a terminal state never changes.
    #[test]
    fn nothing_follows_a_terminal_status() {
        for from in JobStatus::ALL.into_iter().filter(|s| s.is_terminal()) {
            for next in JobStatus::ALL {
                assert!(!from.may_become(next), "{from} became {next}");
            }
        }
    }

    #[test]
    fn every_status_is_found_by_its_name_and_index() {
        for status in JobStatus::ALL {
            assert_eq!(JobStatus::parse(status.as_str()), Some(status));
            assert_eq!(JobStatus::ALL[status.index()], status);
        }
    }
}
