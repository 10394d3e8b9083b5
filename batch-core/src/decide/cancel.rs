//! What a cancel does (R5).

use super::change::Decision;
use super::row::EndedBy;
use super::rows::Rows;
use super::step::Step;
use crate::state::JobStatus;
use crate::store::StoreResult;
use crate::store::call::Cancel;
use crate::store::reply::CancelReply;

/// Ends a live job at once; targets in flight finish and are stored.
pub fn cancel(rows: &impl Rows, call: &Cancel) -> StoreResult<Decision<CancelReply>> {
    let Some(job) = rows.job(&call.id)? else {
        return Ok(Decision::unchanged(CancelReply::NotFound));
    };
    let created_at = job.created;
    let by = EndedBy::Cancel {
        request: call.request.as_str().to_owned(),
    };
    if job.status.is_terminal() {
        let reply = if job.ended_by.as_ref() == Some(&by) {
            CancelReply::Cancelled { created_at }
        } else {
            CancelReply::Already { status: job.status }
        };
        return Ok(Decision::unchanged(reply));
    }
    let mut step = Step::of(rows, job, call.now)?;
    step.end(JobStatus::Cancelled, None, by);
    Ok(Decision::new(
        CancelReply::Cancelled { created_at },
        step.into_changes(rows)?,
    ))
}
