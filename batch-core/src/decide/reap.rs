//! What is taken back from a dead session (R9.3–R9.5).

use super::change::Change;
use super::ending;
use super::finish::count_outcome;
use super::row::{EndedBy, OpenRow, OutcomeRow, SessionRow};
use super::rows::Table;
use super::step::Step;
use crate::state::JobStatus;
use crate::store::StoreResult;
use crate::store::call::Reap;
use crate::store::reply::{Ended, ReapReply};
use crate::store::view::Outcome;
use crate::time::Timestamp;

/// Takes back at most `max` jobs and targets; marks the session dead first.
pub fn reap(table: &mut impl Table, call: &Reap) -> StoreResult<ReapReply> {
    match table.session(&call.session)? {
        Some(session) if !session.dead && session.beat != call.beat => {
            return Ok(ReapReply::Moved);
        }
        Some(session) if !session.dead => {
            table.apply(Change::PutSession(SessionRow {
                dead: true,
                ..session
            }))?;
        }
        _ => {}
    }
    let mut taken = Taken::default();
    if take_back(table, call, &mut taken)? {
        remove_session(table, call)?;
        return Ok(taken.reply(false));
    }
    Ok(taken.reply(true))
}

/// What one step of reap did.
#[derive(Default)]
struct Taken {
    ended: Vec<Ended>,
    returned: u64,
    interrupted: u64,
}

impl Taken {
    fn reply(self, more: bool) -> ReapReply {
        let Self {
            ended,
            returned,
            interrupted,
        } = self;
        ReapReply::Reaped {
            ended,
            returned,
            interrupted,
            more,
        }
    }
}

/// Takes back what fits into one step; whether that was everything.
///
/// Pinned jobs end first, so that their targets go back instead of failing.
fn take_back(table: &mut impl Table, call: &Reap, taken: &mut Taken) -> StoreResult<bool> {
    let mut left = call.max.max(1) as usize;
    let pinned = table.pinned(&call.session, left)?;
    left -= pinned.len().min(left);
    for job in pinned {
        let mut step = Step::of(table, job, call.now)?;
        step.end(JobStatus::Failed, Some(ending::INTERRUPTED), EndedBy::Reap);
        keep(table, step, Vec::new(), taken)?;
    }
    let held = table.held(&call.session, left)?;
    left -= held.len().min(left);
    for open in held {
        take_back_start(table, open, call.now, taken)?;
    }
    let stages = table.stages_of(&call.session, left)?;
    left -= stages.len().min(left);
    for stage in stages {
        table.apply(Change::AddDust { rows: stage.rows })?;
        table.apply(Change::RemoveStage(stage.id))?;
    }
    Ok(left > 0)
}

/// R9.5: a lost start parks its target, or fails it when too many were lost in a row.
fn take_back_start(
    table: &mut impl Table,
    open: OpenRow,
    now: Timestamp,
    taken: &mut Taken,
) -> StoreResult<()> {
    let Some(job) = table.job_at(open.seq)? else {
        return drop_stray(table, &open);
    };
    let losses = open.losses.saturating_add(1);
    let fails = job.status.is_live() && losses >= job.max_losses.max(1);
    let mut step = Step::of(table, job, now)?;
    step.job.running = step.job.running.saturating_sub(1);
    let others = table
        .parked(step.job.rows, 1)?
        .first()
        .and_then(|other| other.due);
    if fails {
        taken.interrupted += 1;
        let changes = fail(&mut step, &open, now);
        step.settle(others, EndedBy::Reap);
        return keep(table, step, changes, taken);
    }
    taken.returned += 1;
    step.job.parked += 1;
    let earliest = others.map_or(now, |due| due.min(now));
    let parked = OpenRow {
        losses,
        ticket: None,
        due: Some(now),
        ..open
    };
    step.settle(Some(earliest), EndedBy::Reap);
    keep(table, step, vec![Change::PutOpen(parked)], taken)
}

/// A start whose job is missing is damage; it must not keep the others from going back.
fn drop_stray(table: &mut impl Table, open: &OpenRow) -> StoreResult<()> {
    tracing::warn!(seq = open.seq, "a start without its job was dropped");
    let (rows, index) = (open.rows, open.index);
    table.apply(Change::RemoveOpen { rows, index })?;
    table.apply(Change::AddDust { rows })
}

fn fail(step: &mut Step, open: &OpenRow, now: Timestamp) -> Vec<Change> {
    let outcome = Outcome::Failed {
        error: ending::INTERRUPTED.to_owned(),
        hint: None,
    };
    let row = OutcomeRow {
        rows: open.rows,
        index: open.index,
        ordinal: step.job.stored(),
        fence: open.fence,
        session: open.session.clone(),
        outcome,
        tries: open.tries.saturating_add(1),
        elapsed: None,
        stored: now,
    };
    count_outcome(step, &row.outcome);
    vec![
        Change::RemoveOpen {
            rows: open.rows,
            index: open.index,
        },
        Change::AddOutcome(row),
    ]
}

fn keep(
    table: &mut impl Table,
    step: Step,
    mut changes: Vec<Change>,
    taken: &mut Taken,
) -> StoreResult<()> {
    taken.ended.extend(step.ended());
    changes.extend(step.into_changes(table)?);
    for change in changes {
        table.apply(change)?;
    }
    Ok(())
}

/// The last step: the session is gone, and counted as reaped.
fn remove_session(table: &mut impl Table, call: &Reap) -> StoreResult<()> {
    let Some(session) = table.session(&call.session)? else {
        return Ok(());
    };
    if let Some(mut kind) = table.kind(&session.kind)? {
        kind.sessions = kind.sessions.saturating_sub(1);
        kind.stats.counters.sessions_reaped += 1;
        table.apply(Change::PutKind(kind))?;
    }
    table.apply(Change::RemoveSession(session.id))
}
