//! How rows become a page of targets (R6).

use super::row::{JobRow, OpenRow, OutcomeRow};
use super::rows::Rows;
use crate::limits::{PAGE_BYTES, PAGE_ROWS};
use crate::state::TargetStatus;
use crate::store::StoreResult;
use crate::store::call::NewTarget;
use crate::store::error::{StoreError, StoreErrorKind};
use crate::store::query::{TargetOrder, TargetQuery};
use crate::store::reply::{TargetPage, TargetReply};
use crate::store::view::Target;

/// One page of a job's targets, read row by row.
///
/// A page of large results loads one more than it holds, at most.
pub fn targets(rows: &impl Rows, call: &TargetQuery) -> StoreResult<TargetReply> {
    let Some(job) = rows.job(&call.id)? else {
        return Ok(TargetReply::NotFound);
    };
    if job.evicted {
        return Ok(TargetReply::Evicted);
    }
    let end = match call.order {
        TargetOrder::Index => job.total,
        TargetOrder::Stored => job.stored(),
    };
    let mut budget = PageBudget::new(call.max.min(PAGE_ROWS));
    let mut targets = Vec::new();
    let mut at = call.from;
    while at < end {
        let target = target_at(rows, &job, call.order, at)?;
        if !budget.fits(&target) {
            break;
        }
        targets.push(target);
        at += 1;
    }
    let next = (at < end).then_some(at);
    Ok(TargetReply::Page(TargetPage { targets, next }))
}

/// A target by its index, or by the ordinal of its outcome.
fn target_at(rows: &impl Rows, job: &JobRow, order: TargetOrder, at: u64) -> StoreResult<Target> {
    let index = match order {
        TargetOrder::Index => at,
        TargetOrder::Stored => rows.stored(job.rows, at)?.ok_or_else(missing)?,
    };
    let target = rows.target(job.rows, index)?.ok_or_else(missing)?;
    let outcome = rows.outcome(job.rows, index)?;
    let open = match outcome {
        Some(_) => None,
        None => rows.open(job.rows, index)?,
    };
    Ok(show_target(index, target, open, outcome))
}

fn missing() -> StoreError {
    let reason = "a target of the job is missing";
    StoreError::new(StoreErrorKind::Corrupt, "targets", reason)
}

/// A target as reads show it, from its rows.
fn show_target(
    index: u64,
    target: NewTarget,
    open: Option<OpenRow>,
    outcome: Option<OutcomeRow>,
) -> Target {
    let mut shown = Target::pending(index, target);
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
struct PageBudget {
    rows: u32,
    bytes: u64,
}

impl PageBudget {
    /// A page of at most `max` rows.
    fn new(max: u32) -> Self {
        Self {
            rows: max.max(1),
            bytes: PAGE_BYTES,
        }
    }

    /// Whether a row still fits; the first one always does.
    fn fits(&mut self, target: &Target) -> bool {
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
