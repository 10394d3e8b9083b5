//! Submit: its replay, its refusals in their order, and the new job (R1, S2.1, S3).

use batch_core::limits::{INLINE_BYTES, INLINE_TARGETS, NOTE_BYTES};
use batch_core::state::JobStatus;
use batch_core::store::call::{KeySpace, NewTarget, Reuse, Submit, Targets};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::SubmitReply;
use batch_core::time::Timestamp;

use super::row::{JobRow, KeyName, Place, TargetRow};
use super::{Model, Reply, Verdict, verdict};

impl Model {
    /// The refusals in their order of precedence, then the job.
    pub(super) fn submit(&mut self, call: &Submit, seen: Option<&Reply>) -> Verdict {
        if breaks_a_limit(call) {
            return verdict("S12.1", Reply::Error(StoreErrorKind::Invalid));
        }
        if let Some(verdict) = self.submitted_before(call) {
            return verdict;
        }
        let pin = call.settings.recovery.pin();
        if pin.is_some_and(|session| !self.sessions.contains_key(session)) {
            return answer("R1.7", SubmitReply::Gone);
        }
        if let Some(verdict) = self.reuse(call) {
            return verdict;
        }
        if let Some(reply) = self.over_a_cap(call) {
            return answer("R1.4", reply);
        }
        let Some(targets) = self.targets_of(call) else {
            return answer("R1.10", SubmitReply::Send);
        };
        let seq = self.next_seq(seen);
        self.create(call, &targets, seq);
        let rule = match call.reuse {
            Reuse::Allowed => "S4.1",
            Reuse::Fresh => "R1.5",
        };
        answer(rule, SubmitReply::Created { seq })
    }

    /// S2.1: the job's row remembers its submit, in any state, until it is swept.
    fn submitted_before(&self, call: &Submit) -> Option<Verdict> {
        let job = self.jobs.get(&call.id)?;
        let reply = if job.digest == call.digest {
            SubmitReply::Created { seq: job.seq }
        } else {
            SubmitReply::IdTaken
        };
        Some(answer("S2.1", reply))
    }

    /// R1.3, R1.5, S6: only the newest job of the key is looked at.
    fn reuse(&mut self, call: &Submit) -> Option<Verdict> {
        if call.reuse == Reuse::Fresh {
            return None;
        }
        let id = self.keys.get(&key_name(call))?.clone();
        let job = self.jobs.get_mut(&id)?;
        if !may_be_reused(job, call.now) {
            return None;
        }
        if call.key.space == KeySpace::Client && job.digest != call.digest {
            return Some(answer("R1.5", SubmitReply::KeyConflict { id }));
        }
        job.care(call.now);
        let status = job.status;
        Some(answer("R1.3", SubmitReply::Reused { id, status }))
    }

    /// R1.4: in this order; the caps count live jobs.
    fn over_a_cap(&self, call: &Submit) -> Option<SubmitReply> {
        let caps = &call.caps;
        let live = || {
            let of_kind = |job: &&JobRow| job.kind == call.kind && job.status.is_live();
            self.jobs.values().filter(of_kind)
        };
        let own = live().filter(|job| job.caller.name == call.caller.name);
        if call.total > caps.targets_per_job {
            Some(SubmitReply::TooMany)
        } else if own.count() as u64 >= caps.jobs_per_caller {
            Some(SubmitReply::CallerBusy)
        } else if live().count() as u64 >= caps.jobs_total {
            Some(SubmitReply::Busy)
        } else {
            None
        }
    }

    /// R1.10: the list, unless it is still with the client, incomplete or abandoned.
    fn targets_of(&mut self, call: &Submit) -> Option<Vec<NewTarget>> {
        match &call.targets {
            Targets::Inline(targets) => Some(targets.clone()),
            Targets::NotYet => None,
            Targets::Staged => self.commit_stage(&call.id, call.total, call.now),
        }
    }

    /// S4.1: a store may leave out numbers, but never goes back.
    fn next_seq(&self, seen: Option<&Reply>) -> u64 {
        match (seen, self.last_seq) {
            (Some(Reply::Submit(SubmitReply::Created { seq })), last) if Some(*seq) > last => *seq,
            (_, last) => last.map_or(0, |last| last + 1),
        }
    }

    /// R1.7: queued, with its lease at now, at the tail of the rotation.
    fn create(&mut self, call: &Submit, targets: &[NewTarget], seq: u64) {
        self.last_seq = Some(seq);
        let job = JobRow {
            seq,
            kind: call.kind.clone(),
            caller: call.caller.clone(),
            key: call.key.clone(),
            digest: call.digest.clone(),
            settings: call.settings.clone(),
            status: JobStatus::Queued,
            error: None,
            halting: false,
            place: Place::Ready(self.next_position()),
            targets: (0..)
                .zip(targets)
                .map(|(index, target)| TargetRow::new(target, index))
                .collect(),
            created_at: call.now,
            started_at: None,
            finished_at: None,
            lease: call.now,
            evicted: false,
            newest_rerun: None,
            ended_by: None,
        };
        self.jobs.insert(call.id.clone(), job);
        self.keys.insert(key_name(call), call.id.clone());
        self.counters(&call.kind).jobs_submitted += 1;
        self.note_rerun(call);
    }

    /// R12.3: the origin names its newest rerun.
    fn note_rerun(&mut self, call: &Submit) {
        let origin = call.settings.rerun_of.as_ref();
        if let Some(origin) = origin.and_then(|id| self.jobs.get_mut(id)) {
            origin.newest_rerun = Some(call.id.clone());
        }
    }
}

/// R1.3: live, done, or partial with nothing pending; neither evicted nor past its ttl.
/// S6.2: a live job always matches.
fn may_be_reused(job: &JobRow, now: Timestamp) -> bool {
    let complete = match job.status {
        JobStatus::Queued | JobStatus::Running => return true,
        JobStatus::Done => true,
        JobStatus::Partial => job.counts().pending == 0,
        JobStatus::Failed | JobStatus::Cancelled => false,
    };
    complete && !job.evicted && !job.is_over(now)
}

/// The limits of one submit (`limits.rs`).
fn breaks_a_limit(call: &Submit) -> bool {
    let inline = match &call.targets {
        Targets::Inline(targets) => {
            targets.len() as u64 != call.total || is_over_inline_limits(targets)
        }
        Targets::NotYet | Targets::Staged => false,
    };
    call.total == 0 || call.settings.note.len() > NOTE_BYTES || inline
}

/// R1.10: a single target may be larger than the limit; it then travels alone.
pub(super) fn is_over_inline_limits(targets: &[NewTarget]) -> bool {
    let bytes: usize = targets.iter().map(|t| t.url.len() + t.options.len()).sum();
    targets.len() > INLINE_TARGETS || (targets.len() > 1 && bytes > INLINE_BYTES)
}

fn key_name(call: &Submit) -> KeyName {
    (
        call.kind.clone(),
        call.caller.name.clone(),
        call.key.clone(),
    )
}

fn answer(rule: &'static str, reply: SubmitReply) -> Verdict {
    verdict(rule, Reply::Submit(reply))
}
