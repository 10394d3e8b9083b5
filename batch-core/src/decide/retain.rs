//! How long jobs are kept: touch, sweep (S6) and evict (S7).

use std::time::Duration;

use super::change::{Change, Decision};
use super::ending;
use super::row::{EndedBy, JobRow};
use super::rows::{Rows, Table};
use super::step::{Step, kind_of};
use crate::limits::STAGE_LIFE;
use crate::state::JobStatus;
use crate::store::StoreResult;
use crate::store::call::{Evict, Sweep, Touch};
use crate::store::reply::{Evicted, Swept, TouchReply};
use crate::time::{self, Timestamp};

/// Moves the lease of an existing job to `now`, never back.
pub fn touch(rows: &impl Rows, call: &Touch) -> StoreResult<Decision<TouchReply>> {
    let Some(job) = rows.job(&call.id)? else {
        return Ok(Decision::unchanged(TouchReply::NotFound));
    };
    if job.lease >= call.now {
        return Ok(Decision::unchanged(TouchReply::Touched {
            lease: job.lease,
        }));
    }
    let mut after = job.clone();
    after.lease = call.now;
    let change = Change::PutJob {
        before: Box::new(job),
        after: Box::new(after),
    };
    Ok(Decision::new(
        TouchReply::Touched { lease: call.now },
        vec![change],
    ))
}

/// Looks at no more than `max` jobs, stages and rows that are past their time.
pub fn sweep(table: &mut impl Table, call: &Sweep) -> StoreResult<Swept> {
    let max = call.max.max(1);
    let mut swept = Swept::default();
    let due = table.expiring(call.now, max as usize)?;
    let mut left = max.saturating_sub(u32::try_from(due.len()).unwrap_or(max));
    for job in due {
        sweep_job(table, job, call.now, &mut swept)?;
    }
    while left > 0 && give_up_stage(table, call.now)? {
        left -= 1;
    }
    while left > 0 && remove_empty_kind(table)? {
        left -= 1;
    }
    if left > 0 {
        let freed = table.free_dust(left)?;
        left = left.saturating_sub(freed.rows);
        swept.more = freed.more;
    }
    swept.more |= left == 0;
    Ok(swept)
}

/// S6: gone, expired, or looked at again when its own time comes.
fn sweep_job(
    table: &mut impl Table,
    job: JobRow,
    now: Timestamp,
    swept: &mut Swept,
) -> StoreResult<()> {
    let changes = if job.running > 0 {
        let later = now.after(job.ttl.max(Duration::from_millis(1)));
        file_again(job, later)
    } else if !job.is_past_ttl(now) {
        let own = job.lease.after(job.ttl);
        file_again(job, own)
    } else if job.status.is_terminal() {
        swept.jobs += 1;
        removal(table, job)?
    } else {
        let mut step = Step::of(table, job, now)?;
        step.end(JobStatus::Failed, Some(ending::EXPIRED), EndedBy::Expiry);
        swept.expired.extend(step.ended());
        step.into_changes(table)?
    };
    for change in changes {
        table.apply(change)?;
    }
    Ok(())
}

fn file_again(job: JobRow, expiry: Timestamp) -> Vec<Change> {
    let mut after = job.clone();
    after.expiry = expiry;
    vec![Change::PutJob {
        before: Box::new(job),
        after: Box::new(after),
    }]
}

/// R1.10: an hour after its last chunk a stage is given up.
fn give_up_stage(table: &mut impl Table, now: Timestamp) -> StoreResult<bool> {
    let latest = Timestamp::from_millis(now.as_millis().saturating_sub(time::millis(STAGE_LIFE)));
    let Some(stage) = table.stage_before(latest)? else {
        return Ok(false);
    };
    table.apply(Change::AddDust { rows: stage.rows })?;
    table.apply(Change::RemoveStage(stage.id))?;
    Ok(true)
}

fn remove_empty_kind(table: &mut impl Table) -> StoreResult<bool> {
    let Some(kind) = table.empty_kind()? else {
        return Ok(false);
    };
    table.apply(Change::RemoveKind(kind.name))?;
    Ok(true)
}

/// Frees targets of the oldest freeable jobs while the total is over `max_bytes`.
///
/// The last freeable job is the one with the newest lease: it stays (S7).
pub fn evict(table: &mut impl Table, call: &Evict) -> StoreResult<Evicted> {
    let mut evicted = Evicted::default();
    if !is_over(table, call)? {
        return Ok(evicted);
    }
    let max = call.max.max(1) as usize;
    let oldest = table.freeable(&call.kind, max.saturating_add(2))?;
    let freeable = oldest.len().saturating_sub(1);
    for job in oldest.into_iter().take(freeable.min(max)) {
        if !is_over(table, call)? {
            return Ok(evicted);
        }
        evicted.jobs += 1;
        evicted.bytes += job.bytes;
        evict_job(table, job)?;
    }
    evicted.more = freeable > max && is_over(table, call)?;
    Ok(evicted)
}

fn is_over(rows: &impl Rows, call: &Evict) -> StoreResult<bool> {
    let kind = rows.kind(&call.kind)?;
    Ok(kind.is_some_and(|kind| kind.stats.terminal_bytes > call.max_bytes))
}

fn evict_job(table: &mut impl Table, job: JobRow) -> StoreResult<()> {
    let dust = job.rows;
    let mut step = Step::of(table, job, Timestamp::default())?;
    step.job.evicted = true;
    step.job.bytes = 0;
    step.kind.stats.counters.jobs_evicted += 1;
    for change in step.into_changes(table)? {
        table.apply(change)?;
    }
    table.apply(Change::AddDust { rows: dust })
}

/// Takes a terminal job away in one step; its rows become dust (S1).
fn removal(rows: &impl Rows, job: JobRow) -> StoreResult<Vec<Change>> {
    let mut kind = kind_of(rows, &job)?;
    let stats = &mut kind.stats;
    stats.terminal_bytes = stats.terminal_bytes.saturating_sub(job.bytes);
    stats.counters.jobs_swept += 1;
    if let Some(jobs) = stats.jobs.get_mut(job.status.index()) {
        *jobs = jobs.saturating_sub(1);
    }
    let mut changes = Vec::with_capacity(3);
    if !job.evicted {
        changes.push(Change::AddDust { rows: job.rows });
    }
    changes.push(Change::RemoveJob(Box::new(job)));
    changes.push(if kind.is_empty() {
        Change::RemoveKind(kind.name)
    } else {
        Change::PutKind(kind)
    });
    Ok(changes)
}
