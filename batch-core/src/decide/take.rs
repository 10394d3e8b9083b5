//! Which target is started next (R2).

use super::change::{Change, Decision};
use super::place;
use super::row::{JobRow, KindRow, OpenRow, Place};
use super::rows::Rows;
use super::step::Step;
use crate::id::SessionId;
use crate::state::JobStatus;
use crate::store::StoreResult;
use crate::store::call::{Start, Take};
use crate::store::error::{StoreError, StoreErrorKind};
use crate::store::reply::{Started, TakeReply};
use crate::time::Timestamp;

/// Starts the next target of the session's kind.
pub fn take(rows: &impl Rows, call: &Take) -> StoreResult<Decision<TakeReply>> {
    let Some(session) = rows.session(&call.session)?.filter(|session| !session.dead) else {
        return Ok(Decision::unchanged(TakeReply::Gone));
    };
    if let Some(open) = rows.held_under(&call.session, &call.ticket)? {
        return replay(rows, &open);
    }
    let Some(mut kind) = rows.kind(&session.kind)? else {
        return Ok(Decision::unchanged(TakeReply::Idle { ready_at: None }));
    };
    let shared = Front::of(rows, &mut kind, None, call.now)?;
    let pinned = Front::of(rows, &mut kind, Some(&call.session), call.now)?;
    match first(&shared, &pinned) {
        Some(job) => start(rows, call, kind, job, [shared.promoted, pinned.promoted]),
        None => Ok(Decision::unchanged(TakeReply::Idle {
            ready_at: earlier(shared.waits_until, pinned.waits_until),
        })),
    }
}

/// S2: the same start again, as long as it is open.
fn replay(rows: &impl Rows, open: &OpenRow) -> StoreResult<Decision<TakeReply>> {
    let job = rows
        .job_at(open.seq)?
        .ok_or_else(|| corrupt("a start without its job"))?;
    Ok(Decision::unchanged(started(rows, &job, open)?))
}

/// The front of one set: shared, or pinned to the session.
struct Front {
    /// The waiting job that this take moved to the tail, before and after.
    promoted: Option<(JobRow, JobRow)>,
    /// The job at the head of the rotation.
    head: Option<JobRow>,
    /// When the next waiting job is due.
    waits_until: Option<Timestamp>,
}

impl Front {
    /// R2.5: the earliest due waiting job moves to the tail, then the head counts.
    fn of(
        rows: &impl Rows,
        kind: &mut KindRow,
        pin: Option<&SessionId>,
        now: Timestamp,
    ) -> StoreResult<Self> {
        let head = rows.ready_head(&kind.name, pin)?;
        let Some(waiting) = rows.waiting_head(&kind.name, pin)? else {
            return Ok(Self {
                promoted: None,
                head,
                waits_until: None,
            });
        };
        match waiting.place {
            Place::Waiting { due } if due > now => Ok(Self {
                promoted: None,
                head,
                waits_until: Some(due),
            }),
            _ => {
                let mut after = waiting.clone();
                after.place = place::tail(kind);
                let head = head.or_else(|| Some(after.clone()));
                Ok(Self {
                    promoted: Some((waiting, after)),
                    head,
                    waits_until: None,
                })
            }
        }
    }
}

/// The head with the smaller position.
fn first(shared: &Front, pinned: &Front) -> Option<JobRow> {
    [&shared.head, &pinned.head]
        .into_iter()
        .flatten()
        .min_by_key(|job| job.position())
        .cloned()
}

fn earlier(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    [one, other].into_iter().flatten().min()
}

/// Starts one target of `job`, which leaves its place.
fn start(
    rows: &impl Rows,
    call: &Take,
    kind: KindRow,
    job: JobRow,
    promoted: [Option<(JobRow, JobRow)>; 2],
) -> StoreResult<Decision<TakeReply>> {
    let seq = job.seq;
    let parked = rows.parked(job.rows, 2)?;
    let mut step = Step::with_kind(job, kind, call.now);
    let (open, next_due) = open_one(&mut step.job, call, parked)?;
    begin(&mut step.job, call.now);
    step.job.place = Place::Nowhere;
    place::settle(&mut step.job, &mut step.kind, next_due, call.now);
    let reply = started(rows, &step.job, &open)?;

    let mut changes = vec![Change::PutOpen(open)];
    changes.extend(step.into_changes(rows)?);
    put_promoted(&mut changes, promoted, seq);
    Ok(Decision::new(reply, changes))
}

/// R2.1: the job turns `running` at its first start.
fn begin(job: &mut JobRow, now: Timestamp) {
    job.status = JobStatus::Running;
    job.started = job.started.or(Some(now));
}

/// R2.2: a parked target that is due goes first; at width, the first parked one.
///
/// Answers with the start, and when the earliest of the other parked ones is due.
fn open_one(
    job: &mut JobRow,
    call: &Take,
    parked: Vec<OpenRow>,
) -> StoreResult<(OpenRow, Option<Timestamp>)> {
    let mut parked = parked.into_iter();
    let head = parked.next();
    let head_due = head.as_ref().and_then(|open| open.due);
    let is_due = head_due.is_some_and(|due| due <= call.now);
    if !is_due && place::may_start_new(job) {
        let open = unstarted(job, call);
        job.next += 1;
        job.running += 1;
        return Ok((open, head_due));
    }
    let mut open = head.ok_or_else(|| corrupt("a job in the rotation that may start nothing"))?;
    open.fence += 1;
    open.session = call.session.clone();
    open.ticket = Some(call.ticket.clone());
    open.due = None;
    job.parked = job.parked.saturating_sub(1);
    job.running += 1;
    Ok((open, parked.next().and_then(|open| open.due)))
}

/// The first start of the job's next target.
fn unstarted(job: &JobRow, call: &Take) -> OpenRow {
    OpenRow {
        rows: job.rows,
        seq: job.seq,
        index: job.next,
        fence: 1,
        session: call.session.clone(),
        ticket: Some(call.ticket.clone()),
        due: None,
        last: None,
        losses: 0,
        tries: 0,
        busy_since: None,
    }
}

fn started(rows: &impl Rows, job: &JobRow, open: &OpenRow) -> StoreResult<TakeReply> {
    let target = rows
        .target(open.rows, open.index)?
        .ok_or_else(|| corrupt("a start without its target").with_id(&job.id))?;
    Ok(TakeReply::Started(Box::new(Started {
        start: Start {
            session: open.session.clone(),
            job: job.id.clone(),
            index: open.index,
            fence: open.fence,
        },
        origin: target.origin.unwrap_or(open.index),
        url: target.url,
        options: target.options,
        caller: job.caller.clone(),
        tries: open.tries,
        busy_since: open.busy_since,
    })))
}

/// Moves promoted jobs to the tail; the one that was taken has moved on already.
fn put_promoted(changes: &mut Vec<Change>, promoted: [Option<(JobRow, JobRow)>; 2], taken: u64) {
    for (before, after) in promoted.into_iter().flatten() {
        let own = changes.iter_mut().find_map(|change| match change {
            Change::PutJob { before, .. } if before.seq == after.seq => Some(before),
            _ => None,
        });
        match own {
            Some(kept) if after.seq == taken => **kept = before,
            _ => changes.push(Change::PutJob {
                before: Box::new(before),
                after: Box::new(after),
            }),
        }
    }
}

fn corrupt(what: &'static str) -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, "take", what)
}
