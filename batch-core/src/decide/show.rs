//! How rows become a page of targets (R6).

use super::row::{OpenRow, OutcomeRow};
use crate::limits::PAGE_BYTES;
use crate::state::TargetStatus;
use crate::store::call::NewTarget;
use crate::store::view::Target;

/// A target as reads show it, from its rows.
pub fn show_target(
    index: u64,
    target: NewTarget,
    open: Option<OpenRow>,
    outcome: Option<OutcomeRow>,
) -> Target {
    let mut shown = Target {
        index,
        origin: target.origin.unwrap_or(index),
        url: target.url,
        options: target.options,
        status: TargetStatus::Pending,
        outcome: None,
        ordinal: None,
        fence: 0,
        tries: 0,
        elapsed: None,
        stored_at: None,
        busy_since: None,
        due: None,
        session: None,
    };
    if let Some(stored) = outcome {
        shown.status = stored.status();
        shown.ordinal = Some(stored.ordinal);
        shown.fence = stored.fence;
        shown.tries = stored.tries;
        shown.elapsed = stored.elapsed;
        shown.stored_at = Some(stored.stored);
        shown.session = Some(stored.session);
        shown.outcome = Some(stored.outcome);
    } else if let Some(open) = open {
        shown.fence = open.fence;
        shown.tries = open.tries;
        shown.busy_since = open.busy_since;
        shown.due = open.due;
        if open.due.is_none() {
            shown.status = TargetStatus::Running;
            shown.session = Some(open.session);
        }
    }
    shown
}

/// Decides where a page ends: at its rows, or at 4 MiB, never before its first row.
#[derive(Debug)]
pub struct PageBudget {
    rows: u32,
    bytes: u64,
}

impl PageBudget {
    /// A page of at most `max` rows.
    pub fn new(max: u32) -> Self {
        Self {
            rows: max.max(1),
            bytes: PAGE_BYTES,
        }
    }

    /// Whether a row still fits; the first one always does.
    pub fn fits(&mut self, target: &Target) -> bool {
        let first = self.bytes == PAGE_BYTES;
        let bytes = target.bytes().max(1);
        if self.rows == 0 || (!first && bytes > self.bytes) {
            return false;
        }
        self.rows -= 1;
        self.bytes = self.bytes.saturating_sub(bytes);
        true
    }
}
