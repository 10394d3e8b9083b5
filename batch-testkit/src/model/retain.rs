//! Touch, sweep and evict: how long things are kept (R6.4, S6, S7, S13.3).

use batch_core::id::{JobId, Kind};
use batch_core::state::JobStatus;
use batch_core::store::call::{Evict, Sweep, Touch};
use batch_core::store::reply::{Evicted, TouchReply};
use batch_core::time::Timestamp;

use super::call::SweptAll;
use super::reap::ended;
use super::row::{EndedBy, JobRow};
use super::{Model, Reply, Verdict, verdict};

impl Model {
    /// R6.4: the lease of a job in any state moves, and never back.
    pub(super) fn touch(&mut self, call: &Touch) -> Verdict {
        let reply = match self.jobs.get_mut(&call.id) {
            Some(job) => {
                job.care(call.now);
                TouchReply::Touched { lease: job.lease }
            }
            None => TouchReply::NotFound,
        };
        verdict("R6.4", Reply::Touch(reply))
    }

    /// S6: what is over goes, or ends first; R1.10, S13.3: stages and kinds go too.
    pub(super) fn sweep(&mut self, call: &Sweep) -> Verdict {
        let mut swept = SweptAll::default();
        for id in self.over(call.now) {
            let live = self.jobs.get(&id).is_some_and(|job| job.status.is_live());
            if live {
                let ending = (JobStatus::Failed, Some("expired"));
                self.end(&id, EndedBy::Store, ending, call.now);
                let job = self.jobs.get(&id);
                swept.expired.extend(job.map(|job| ended(&id, job)));
            } else {
                self.forget(&id);
                swept.jobs += 1;
            }
        }
        self.free_abandoned_stages(call.now);
        self.forget_unused_kinds();
        verdict("S6.1", Reply::Sweep(swept))
    }

    /// S6.4: a job with a target in flight is put off.
    fn over(&self, now: Timestamp) -> Vec<JobId> {
        let over = |(_, job): &(&JobId, &JobRow)| job.is_over(now) && job.counts().running == 0;
        let jobs = self.jobs.iter().filter(over);
        jobs.map(|(id, _)| id.clone()).collect()
    }

    /// The job and, if it still names this one, its key.
    fn forget(&mut self, id: &JobId) {
        let Some(job) = self.jobs.remove(id) else {
            return;
        };
        let key = (job.kind.clone(), job.caller.name, job.key);
        if self.keys.get(&key) == Some(id) {
            self.keys.remove(&key);
        }
        self.counters(&job.kind).jobs_swept += 1;
    }

    fn forget_unused_kinds(&mut self) {
        let mut kinds = std::mem::take(&mut self.kinds);
        kinds.retain(|kind, _| {
            self.jobs.values().any(|job| job.kind == *kind)
                || self.sessions.values().any(|session| session.kind == *kind)
        });
        self.kinds = kinds;
    }

    /// S7.1: the oldest go until the rest fits. S7.2: the newest of them stays.
    pub(super) fn evict(&mut self, call: &Evict) -> Verdict {
        let mut evicted = Evicted::default();
        while self.terminal_bytes(&call.kind) > call.max_bytes {
            let mut freeable = self.freeable(&call.kind);
            if freeable.len() < 2 {
                break;
            }
            let (.., id) = freeable.swap_remove(0);
            if let Some(job) = self.jobs.get_mut(&id) {
                evicted.jobs += 1;
                evicted.bytes += job.bytes();
                job.evicted = true;
            }
            self.counters(&call.kind).jobs_evicted += 1;
        }
        verdict("S7.1", Reply::Evict(evicted))
    }

    /// Terminal, not evicted, nothing in flight: by lease, then sequence.
    fn freeable(&self, kind: &Kind) -> Vec<(Timestamp, u64, JobId)> {
        let free = |(_, job): &(&JobId, &JobRow)| {
            job.kind == *kind
                && job.status.is_terminal()
                && !job.evicted
                && job.counts().running == 0
        };
        let jobs = self.jobs.iter().filter(free);
        let mut jobs: Vec<_> = jobs
            .map(|(id, job): (&JobId, &JobRow)| (job.lease, job.seq, id.clone()))
            .collect();
        jobs.sort();
        jobs
    }
}
