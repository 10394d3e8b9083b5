//! What comes of an answer to a start (R3.2, R3.3, R9.1, S2, S5).

use super::change::{Change, Decision};
use super::ending;
use super::row::{Answered, EndedBy, JobRow, OpenRow, OutcomeRow, Parking};
use super::rows::Rows;
use super::step::{Step, kind_of};
use crate::state::JobStatus;
use crate::store::StoreResult;
use crate::store::call::{Answer, Finish, Start};
use crate::store::reply::{Ending, FinishReply};
use crate::store::view::Outcome;
use crate::time::{self, Timestamp};

/// Stores the outcome of a start, or parks its target.
pub fn finish(rows: &impl Rows, call: &Finish) -> StoreResult<Decision<FinishReply>> {
    let start = &call.start;
    let Some(job) = rows.job(&start.job)?.filter(|job| start.index < job.total) else {
        return Ok(Decision::unchanged(FinishReply::NotFound));
    };
    if job.evicted {
        return Ok(Decision::unchanged(after_eviction(rows, &job, start)?));
    }
    if let Some(stored) = rows.outcome(job.rows, start.index)? {
        return Ok(Decision::unchanged(again(rows, &job, &stored, call)?));
    }
    match rows.open(job.rows, start.index)? {
        Some(open) if open.is_running(start) => answer(rows, job, open, call),
        Some(open) if was_answered(&open, call) => {
            let ended = ending_by(&job, start);
            Ok(Decision::unchanged(stored(rows, &job, ended)?))
        }
        _ => Ok(Decision::unchanged(FinishReply::Superseded)),
    }
}

/// S2: of an evicted job only the finish that ended it is remembered.
fn after_eviction(rows: &impl Rows, job: &JobRow, start: &Start) -> StoreResult<FinishReply> {
    match ending_by(job, start) {
        None => Ok(FinishReply::NotFound),
        ended => stored(rows, job, ended),
    }
}

/// S2, S5: the start that stored the outcome may say the same again; no other may speak,
/// nor one that was reaped (R9.1).
fn again(
    rows: &impl Rows,
    job: &JobRow,
    kept: &OutcomeRow,
    call: &Finish,
) -> StoreResult<FinishReply> {
    let start = &call.start;
    if kept.is_of_reap() || kept.fence != start.fence || kept.session != start.session {
        return Ok(FinishReply::Superseded);
    }
    let ended = ending_by(job, start);
    if outcome_of(&call.answer).as_ref() == Some(&kept.outcome) {
        stored(rows, job, ended)
    } else {
        Ok(FinishReply::Other {
            status: kept.status(),
            ended,
        })
    }
}

/// Whether this very answer of this start is the last one that parked the target.
fn was_answered(open: &OpenRow, call: &Finish) -> bool {
    open.last.as_ref().is_some_and(|last| {
        last.fence == call.start.fence
            && last.session == call.start.session
            && Some(last.answer) == parking_of(&call.answer)
    })
}

/// How the job ended, if the finish of this start ended it.
fn ending_by(job: &JobRow, start: &Start) -> Option<Ending> {
    match &job.ended_by {
        Some(EndedBy::Finish {
            index,
            session,
            fence,
        }) if *index == start.index && *session == start.session && *fence == start.fence => {
            Some(Ending {
                status: job.status,
                created_at: job.created,
            })
        }
        _ => None,
    }
}

fn stored(rows: &impl Rows, job: &JobRow, ended: Option<Ending>) -> StoreResult<FinishReply> {
    let terminal_bytes = kind_of(rows, job)?.stats.terminal_bytes;
    Ok(FinishReply::Stored {
        ended,
        terminal_bytes,
    })
}

/// Applies the answer of a running start.
fn answer(
    rows: &impl Rows,
    job: JobRow,
    open: OpenRow,
    call: &Finish,
) -> StoreResult<Decision<FinishReply>> {
    let mut step = Step::of(rows, job, call.now)?;
    step.job.running = step.job.running.saturating_sub(1);
    let by = EndedBy::Finish {
        index: open.index,
        session: call.start.session.clone(),
        fence: call.start.fence,
    };
    let others = rows
        .parked(step.job.rows, 1)?
        .first()
        .and_then(|other| other.due);
    let first = match outcome_of(&call.answer) {
        Some(outcome) => store(&mut step, &open, outcome, call),
        None => vec![park(&mut step, open, call, &by)],
    };
    let own = first.iter().find_map(due_of);
    step.settle([own, others].into_iter().flatten().min(), by);
    reply(rows, step, first)
}

fn due_of(change: &Change) -> Option<Timestamp> {
    match change {
        Change::PutOpen(open) => open.due,
        _ => None,
    }
}

fn reply(
    rows: &impl Rows,
    step: Step,
    mut changes: Vec<Change>,
) -> StoreResult<Decision<FinishReply>> {
    let ended = step.ending();
    changes.extend(step.into_changes(rows)?);
    let terminal_bytes = changes.iter().find_map(|change| match change {
        Change::PutKind(kind) => Some(kind.stats.terminal_bytes),
        _ => None,
    });
    let terminal_bytes = terminal_bytes.unwrap_or(0);
    Ok(Decision::new(
        FinishReply::Stored {
            ended,
            terminal_bytes,
        },
        changes,
    ))
}

/// R3.3: an outcome closes the target.
fn store(step: &mut Step, open: &OpenRow, outcome: Outcome, call: &Finish) -> Vec<Change> {
    let row = OutcomeRow {
        rows: open.rows,
        index: open.index,
        ordinal: step.job.stored(),
        fence: call.start.fence,
        session: call.start.session.clone(),
        outcome,
        tries: open.tries.saturating_add(1),
        elapsed: Some(time::whole(call.elapsed)),
        stored: call.now,
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

/// Counts an outcome; enough failures stop the job (R14).
pub(super) fn count_outcome(step: &mut Step, outcome: &Outcome) {
    match outcome {
        Outcome::Done { .. } => step.job.done += 1,
        Outcome::Failed { .. } => step.job.failed += 1,
    }
    step.job.bytes = step.job.bytes.saturating_add(outcome.bytes());
    step.move_lease();
    step.job.halting |= step.job.status.is_live() && ending::halts(&step.job);
}

/// R3.2, R9.6: the target is parked; whoever answered may say so again.
fn park(step: &mut Step, mut open: OpenRow, call: &Finish, by: &EndedBy) -> Change {
    let wait = match call.answer {
        Answer::Busy { wait } | Answer::HandBack { wait } => wait,
        _ => std::time::Duration::ZERO,
    };
    if matches!(call.answer, Answer::Busy { .. }) {
        open.tries = open.tries.saturating_add(1);
        open.busy_since = open.busy_since.or(Some(call.now));
        step.kind.stats.counters.targets_retried_later += 1;
    }
    open.last = parking_of(&call.answer).map(|answer| Answered {
        fence: call.start.fence,
        session: call.start.session.clone(),
        answer,
    });
    open.due = Some(call.now.after(wait));
    open.ticket = None;
    open.losses = 0;
    step.job.parked += 1;
    if matches!(call.answer, Answer::Refuse) && step.was_live() {
        step.end(JobStatus::Failed, Some(ending::UNKNOWN_CALLER), by.clone());
    }
    Change::PutOpen(open)
}

fn outcome_of(answer: &Answer) -> Option<Outcome> {
    match answer {
        Answer::Done { result } => Some(Outcome::Done {
            result: result.clone(),
        }),
        Answer::Failed { error, hint } => Some(Outcome::Failed {
            error: error.clone(),
            hint: hint.clone(),
        }),
        Answer::Busy { .. } | Answer::HandBack { .. } | Answer::Refuse => None,
    }
}

fn parking_of(answer: &Answer) -> Option<Parking> {
    match answer {
        Answer::Busy { wait } => Some(Parking::Busy(time::millis(*wait))),
        Answer::HandBack { wait } => Some(Parking::HandBack(time::millis(*wait))),
        Answer::Refuse => Some(Parking::Refuse),
        Answer::Done { .. } | Answer::Failed { .. } => None,
    }
}
