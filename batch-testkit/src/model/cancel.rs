//! Cancel and its resend (R5, S2.5).

use batch_core::state::JobStatus;
use batch_core::store::call::Cancel;
use batch_core::store::reply::CancelReply;

use super::row::EndedBy;
use super::{Model, Reply, Verdict, verdict};

impl Model {
    /// Ends a live job; its targets in flight go on and are stored (R5.1).
    pub(super) fn cancel(&mut self, call: &Cancel) -> Verdict {
        let Some(job) = self.jobs.get(&call.id) else {
            return answer("R5.1", CancelReply::NotFound);
        };
        let by = EndedBy::Cancel(call.request.clone());
        let created_at = job.created_at;
        if job.status.is_live() {
            self.end(&call.id, by, (JobStatus::Cancelled, None), call.now);
            return answer("R5.1", CancelReply::Cancelled { created_at });
        }
        if job.ended_by.as_ref() == Some(&by) {
            return answer("S2.5", CancelReply::Cancelled { created_at });
        }
        answer("S2.5", CancelReply::Already { status: job.status })
    }
}

fn answer(rule: &'static str, reply: CancelReply) -> Verdict {
    verdict(rule, Reply::Cancel(reply))
}
