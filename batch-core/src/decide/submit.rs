//! Whether a submit makes a job (R1.3–R1.7, R1.10).

use super::change::{Change, Decision};
use super::place;
use super::row::{CallerRow, JobRow, KindRow};
use super::rows::Rows;
use super::stage::{check_chunk, invalid, is_live, is_usable};
use crate::limits::NOTE_BYTES;
use crate::state::JobStatus;
use crate::store::StoreResult;
use crate::store::call::{KeySpace, Reuse, Submit, Targets};
use crate::store::reply::SubmitReply;
use crate::time;

/// Makes a job, or says why not, in the order of precedence of the trait's page.
pub fn submit(rows: &impl Rows, call: &Submit) -> StoreResult<Decision<SubmitReply>> {
    check_submit(call)?;
    if let Some(job) = rows.job(&call.id)? {
        return Ok(Decision::unchanged(again(&job, call)));
    }
    if let Some(session) = call.settings.recovery.pin()
        && !is_live(rows, session)?
    {
        return Ok(Decision::unchanged(SubmitReply::Gone));
    }
    if let Some(decision) = reuse(rows, call)? {
        return Ok(decision);
    }
    let known = rows.kind(&call.kind)?;
    let kind = known.unwrap_or_else(|| KindRow {
        name: call.kind.clone(),
        ..KindRow::default()
    });
    if let Some(refusal) = over_cap(rows, call, &kind)? {
        return Ok(Decision::unchanged(refusal));
    }
    create(rows, call, kind)
}

/// The limits of the contract that a submit must keep, before any row is read.
pub fn check_submit(call: &Submit) -> StoreResult<()> {
    check(call).map_err(|error| error.in_operation("submit"))
}

fn check(call: &Submit) -> StoreResult<()> {
    if call.total == 0 {
        return Err(invalid("a job has at least one target"));
    }
    if call.settings.note.len() > NOTE_BYTES {
        return Err(invalid("a note holds at most 64 KiB; shorten it"));
    }
    match &call.targets {
        Targets::Inline(targets) if targets.len() as u64 != call.total => {
            Err(invalid("the total differs from the number of targets"))
        }
        Targets::Inline(targets) => check_chunk(targets),
        Targets::NotYet | Targets::Staged => Ok(()),
    }
}

/// S2: the same submit sent again; another one may not use its id.
fn again(job: &JobRow, call: &Submit) -> SubmitReply {
    let same = job.kind == call.kind
        && job.caller == call.caller
        && job.key == call.key
        && job.digest == call.digest;
    if same {
        SubmitReply::Created { seq: job.seq }
    } else {
        SubmitReply::IdTaken
    }
}

/// R1.3, R1.5: the newest job under the key, if it still serves the request.
fn reuse(rows: &impl Rows, call: &Submit) -> StoreResult<Option<Decision<SubmitReply>>> {
    if call.reuse == Reuse::Fresh {
        return Ok(None);
    }
    let newest = match rows.key(&call.kind, &call.caller.name, &call.key)? {
        Some(seq) => rows.job_at(seq)?,
        None => None,
    };
    let Some(job) = newest.filter(|job| is_reusable(job, call)) else {
        return Ok(None);
    };
    if call.key.space == KeySpace::Client && job.digest != call.digest {
        return Ok(Some(Decision::unchanged(SubmitReply::KeyConflict {
            id: job.id,
        })));
    }
    let reply = SubmitReply::Reused {
        id: job.id.clone(),
        status: job.status,
    };
    if job.lease >= call.now {
        return Ok(Some(Decision::unchanged(reply)));
    }
    let mut after = job.clone();
    after.lease = call.now;
    let change = Change::PutJob {
        before: Box::new(job),
        after: Box::new(after),
    };
    Ok(Some(Decision::new(reply, vec![change])))
}

/// R1.3, S6: live, or complete, kept and not past its ttl.
fn is_reusable(job: &JobRow, call: &Submit) -> bool {
    let complete = match job.status {
        JobStatus::Queued | JobStatus::Running => return true,
        JobStatus::Done => true,
        JobStatus::Partial => job.stored() == job.total,
        JobStatus::Failed | JobStatus::Cancelled => false,
    };
    complete && !job.evicted && !job.is_past_ttl(call.now)
}

/// R1.4: the caps, in their order.
fn over_cap(rows: &impl Rows, call: &Submit, kind: &KindRow) -> StoreResult<Option<SubmitReply>> {
    let caps = &call.caps;
    Ok(if call.total > caps.targets_per_job {
        Some(SubmitReply::TooMany)
    } else if rows.caller_live(&call.kind, &call.caller.name)? >= caps.jobs_per_caller {
        Some(SubmitReply::CallerBusy)
    } else if kind.stats.live >= caps.jobs_total {
        Some(SubmitReply::Busy)
    } else {
        None
    })
}

/// R1.7: the job with everything that counts and names it.
fn create(
    rows: &impl Rows,
    call: &Submit,
    mut kind: KindRow,
) -> StoreResult<Decision<SubmitReply>> {
    let seq = rows.sequence()? + 1;
    let mut changes = vec![Change::Sequence(seq)];
    let Some((own_rows, bytes)) = bring_targets(rows, call, seq, &mut changes)? else {
        return Ok(Decision::unchanged(SubmitReply::Send));
    };
    let mut job = new_job(call, seq, own_rows, bytes);
    job.place = place::tail(&mut kind);
    kind.stats.live += 1;
    kind.stats.counters.jobs_submitted += 1;
    if let Some(queued) = kind.stats.jobs.get_mut(JobStatus::Queued.index()) {
        *queued += 1;
    }
    changes.push(Change::PutKind(kind));
    changes.push(Change::PutCaller(CallerRow {
        kind: call.kind.clone(),
        name: call.caller.name.clone(),
        live: rows.caller_live(&call.kind, &call.caller.name)? + 1,
    }));
    changes.extend(link_to_origin(rows, call)?);
    changes.push(Change::AddJob {
        job: Box::new(job),
        note: call.settings.note.clone(),
    });
    Ok(Decision::new(SubmitReply::Created { seq }, changes))
}

/// Where the job's targets are, and their bytes; `None` when they must be staged first.
fn bring_targets(
    rows: &impl Rows,
    call: &Submit,
    seq: u64,
    changes: &mut Vec<Change>,
) -> StoreResult<Option<(u64, u64)>> {
    match &call.targets {
        Targets::Inline(targets) => {
            let bytes = call.targets.bytes();
            changes.push(Change::PutTargets {
                rows: seq,
                first: 0,
                targets: targets.clone(),
            });
            Ok(Some((seq, bytes)))
        }
        Targets::NotYet => Ok(None),
        Targets::Staged => {
            let Some(stage) = rows.stage(&call.id)? else {
                return Ok(None);
            };
            if stage.count > call.total {
                return Err(
                    invalid("more targets are staged than the total says").in_operation("submit")
                );
            }
            if stage.count < call.total || !is_usable(rows, &stage, call.now)? {
                return Ok(None);
            }
            changes.push(Change::RemoveStage(stage.id));
            Ok(Some((stage.rows, stage.bytes)))
        }
    }
}

/// R12: the job that is run again names its newest rerun.
fn link_to_origin(rows: &impl Rows, call: &Submit) -> StoreResult<Option<Change>> {
    let origin = match &call.settings.rerun_of {
        Some(id) => rows.job(id)?,
        None => None,
    };
    Ok(origin.map(|before| {
        let mut after = before.clone();
        after.newest_rerun = Some(call.id.clone());
        Change::PutJob {
            before: Box::new(before),
            after: Box::new(after),
        }
    }))
}

fn new_job(call: &Submit, seq: u64, rows: u64, bytes: u64) -> JobRow {
    let settings = &call.settings;
    JobRow {
        seq,
        rows,
        id: call.id.clone(),
        kind: call.kind.clone(),
        caller: call.caller.clone(),
        key: call.key.clone(),
        digest: call.digest.clone(),
        width: settings.width.max(1),
        halt: settings.halt,
        pin: settings.recovery.pin().cloned(),
        ttl: time::whole(settings.ttl),
        max_losses: settings.max_losses.max(1),
        rerun_of: settings.rerun_of.clone(),
        newest_rerun: None,
        created: call.now,
        started: None,
        finished: None,
        lease: call.now,
        expiry: call.now.after(settings.ttl),
        status: JobStatus::Queued,
        error: None,
        ended_by: None,
        total: call.total,
        next: 0,
        done: 0,
        failed: 0,
        running: 0,
        parked: 0,
        halting: false,
        evicted: false,
        bytes,
        place: super::row::Place::Nowhere,
    }
}
