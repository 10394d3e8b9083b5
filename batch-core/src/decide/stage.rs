//! How a long list comes into the store before its job exists (R1.10).

use super::change::{Change, Decision};
use super::row::StageRow;
use super::rows::Rows;
use crate::id::SessionId;
use crate::limits::{INLINE_BYTES, INLINE_TARGETS, STAGE_LIFE};
use crate::store::StoreResult;
use crate::store::call::{NewTarget, Stage};
use crate::store::error::{StoreError, StoreErrorKind};
use crate::store::reply::StageReply;
use crate::time::Timestamp;

/// The limits of the contract that a stage must keep, before any row is read.
pub fn check_stage(call: &Stage) -> StoreResult<()> {
    check_chunk(&call.targets)
}

/// Keeps a chunk; rows that were there before are overwritten.
pub fn stage(rows: &impl Rows, call: &Stage) -> StoreResult<Decision<StageReply>> {
    check_stage(call)?;
    if rows.job(&call.id)?.is_some() {
        return Ok(Decision::unchanged(StageReply::IdTaken));
    }
    if !is_live(rows, &call.session)? {
        return Ok(Decision::unchanged(StageReply::Gone));
    }
    let mut changes = Vec::new();
    let own = match rows.stage(&call.id)? {
        Some(stage) if stage.session == call.session => Some(stage),
        Some(stage) if is_live(rows, &stage.session)? => {
            return Ok(Decision::unchanged(StageReply::IdTaken));
        }
        Some(abandoned) => {
            changes.push(Change::AddDust {
                rows: abandoned.rows,
            });
            None
        }
        None => None,
    };
    grow(rows, call, own, &mut changes)?;
    Ok(Decision::new(StageReply::Staged, changes))
}

/// Adds the chunk to its stage, which is begun when there is none.
fn grow(
    rows: &impl Rows,
    call: &Stage,
    own: Option<StageRow>,
    changes: &mut Vec<Change>,
) -> StoreResult<()> {
    let mut stage = match own {
        Some(stage) => stage,
        None => begin(rows, call, changes)?,
    };
    if call.first > stage.count {
        return Err(invalid(
            "the chunk leaves a gap; stage from the first missing target",
        ));
    }
    for (index, target) in (call.first..).zip(&call.targets) {
        if index < stage.count {
            let old = rows.target(stage.rows, index)?;
            stage.bytes = stage
                .bytes
                .saturating_sub(old.as_ref().map_or(0, NewTarget::bytes));
        }
        stage.bytes = stage.bytes.saturating_add(target.bytes());
    }
    stage.count = stage.count.max(call.first + call.targets.len() as u64);
    stage.last = stage.last.max(call.now);
    changes.push(Change::PutTargets {
        rows: stage.rows,
        first: call.first,
        targets: call.targets.clone(),
    });
    changes.push(Change::PutStage(stage));
    Ok(())
}

fn begin(rows: &impl Rows, call: &Stage, changes: &mut Vec<Change>) -> StoreResult<StageRow> {
    let number = rows.sequence()? + 1;
    changes.push(Change::Sequence(number));
    Ok(StageRow {
        id: call.id.clone(),
        rows: number,
        session: call.session.clone(),
        count: 0,
        bytes: 0,
        last: call.now,
    })
}

/// Whether a session exists and is not being reaped.
pub(super) fn is_live(rows: &impl Rows, session: &SessionId) -> StoreResult<bool> {
    Ok(rows.session(session)?.is_some_and(|session| !session.dead))
}

/// Whether a stage may still be committed.
pub(super) fn is_usable(rows: &impl Rows, stage: &StageRow, now: Timestamp) -> StoreResult<bool> {
    Ok(now < stage.last.after(STAGE_LIFE) && is_live(rows, &stage.session)?)
}

/// R1.10: at most 1,000 targets and 1 MiB, but one target whatever its size.
pub(super) fn check_chunk(targets: &[NewTarget]) -> StoreResult<()> {
    let bytes: u64 = targets.iter().map(NewTarget::bytes).sum();
    if targets.is_empty() {
        Err(invalid("a chunk holds at least one target"))
    } else if targets.len() > INLINE_TARGETS {
        Err(invalid(
            "more than 1,000 targets in one call; stage them in chunks",
        ))
    } else if targets.len() > 1 && bytes > INLINE_BYTES as u64 {
        Err(invalid(
            "more than 1 MiB of targets in one call; stage them in chunks",
        ))
    } else {
        Ok(())
    }
}

pub(super) fn invalid(reason: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Invalid, "stage", reason)
}
