//! What reads must show: jobs, targets, lists, counts, kinds, sessions (R6, S8, S13).

use batch_core::id::{JobId, SessionId};
use batch_core::store::call::{Settings, Submit};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{
    JobFilter, JobOrder, JobQuery, StatsQuery, TargetOrder, TargetQuery,
};
use batch_core::store::reply::{JobReply, Stats};
use batch_core::store::view::{Job, KindStats, Session, SessionLock, Target};
use batch_core::time::Timestamp;

use super::call::{Listing, TargetRows};
use super::row::{JobRow, Place, SessionRow, TargetRow, TargetState};
use super::{Model, Reply, Verdict, verdict};

impl Model {
    /// One job with its note, by its id or as the newest of a key.
    pub(super) fn read_job(&self, query: &JobQuery) -> Verdict {
        let id = match query {
            JobQuery::Id(id) => Some(id),
            JobQuery::Key { kind, caller, key } => {
                self.keys.get(&(kind.clone(), caller.clone(), key.clone()))
            }
        };
        let found = id.and_then(|id| Some((id, self.jobs.get(id)?)));
        let reply = found.map_or(JobReply::NotFound, |(id, job)| {
            JobReply::Found(Box::new(show(id, job)))
        });
        verdict("R6.1", Reply::Job(reply))
    }

    /// R6.3: the targets from a place on, or why there are none.
    pub(super) fn read_targets(&self, query: &TargetQuery) -> Verdict {
        let rows = match self.jobs.get(&query.id) {
            None => TargetRows::NotFound,
            Some(job) if job.evicted => TargetRows::Evicted,
            Some(job) => TargetRows::Found(targets(job, query)),
        };
        verdict("R6.3", Reply::Targets(rows))
    }

    /// S4: by sequence, or as the next turns come.
    pub(super) fn read_list(&self, listing: &Listing) -> Verdict {
        let rotation = listing.order == JobOrder::Rotation;
        if rotation && listing.filter.kind.is_none() {
            return verdict("S12.1", Reply::Error(StoreErrorKind::Invalid));
        }
        let wanted = |(_, job): &(&JobId, &JobRow)| matches(job, &listing.filter);
        let place = |(id, job)| Some((order(job, listing.order)?, id, job));
        let mut jobs: Vec<(u64, &JobId, &JobRow)> =
            self.jobs.iter().filter(wanted).filter_map(place).collect();
        jobs.sort_by_key(|(place, ..)| *place);
        let jobs = jobs.into_iter().map(|(_, id, job)| Job {
            note: String::new(),
            ..show(id, job)
        });
        let rule = if rotation { "S4.2" } else { "S8.3" };
        verdict(rule, Reply::List(jobs.collect()))
    }

    /// S3.2, S13.1: counts that agree with a recount, and counters.
    pub(super) fn read_stats(&self, query: &StatsQuery) -> Verdict {
        let jobs = || self.jobs.values().filter(|job| job.kind == query.kind);
        let live = || jobs().filter(|job| job.status.is_live());
        let of_caller = |job: &&JobRow| Some(&job.caller.name) == query.caller.as_ref();
        let mut kind = KindStats {
            live: live().count() as u64,
            terminal_bytes: self.terminal_bytes(&query.kind),
            counters: self.kinds.get(&query.kind).copied().unwrap_or_default(),
            ..KindStats::default()
        };
        for job in jobs() {
            if let Some(count) = kind.jobs.get_mut(job.status.index()) {
                *count += 1;
            }
        }
        let stats = Stats {
            kind,
            caller_live: live().filter(of_caller).count() as u64,
        };
        verdict("S13.1", Reply::Stats(stats))
    }

    /// S13.3: a kind is there from its first job or session until a sweep finds neither.
    pub(super) fn read_kinds(&self) -> Verdict {
        verdict("S13.3", Reply::Kinds(self.kinds.keys().cloned().collect()))
    }

    /// R9.2: every session that is not gone.
    pub(super) fn read_sessions(&self) -> Verdict {
        let sessions = self.sessions.iter().map(|(id, row)| session(id, row));
        verdict("R9.2", Reply::Sessions(sessions.collect()))
    }

    /// The jobs that are there now and were not, or not so, in an earlier state.
    pub fn changed_since<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a JobId> {
        let changed = |(id, job): &(&JobId, &JobRow)| before.jobs.get(*id) != Some(*job);
        let gone = |id: &&JobId| !self.jobs.contains_key(*id);
        let now = self.jobs.iter().filter(changed).map(|(id, _)| id);
        now.chain(before.jobs.keys().filter(gone))
    }

    /// Whether the job was made by a submit of this key, by this caller.
    pub fn is_made_by(&self, call: &Submit) -> bool {
        self.jobs.get(&call.id).is_some_and(|job| {
            job.kind == call.kind && job.caller == call.caller && job.key == call.key
        })
    }

    /// The digest of a job.
    pub fn digest_of(&self, id: &JobId) -> Option<&str> {
        self.jobs.get(id).map(|job| job.digest.as_str())
    }
}

fn matches(job: &JobRow, filter: &JobFilter) -> bool {
    filter.kind.as_ref().is_none_or(|kind| *kind == job.kind)
        && filter
            .caller
            .as_ref()
            .is_none_or(|name| *name == job.caller.name)
        && filter.status.is_none_or(|status| status == job.status)
}

fn order(job: &JobRow, order: JobOrder) -> Option<u64> {
    match (order, job.place) {
        (JobOrder::Sequence, _) => Some(job.seq),
        (JobOrder::Rotation, Place::Ready(position)) => Some(position),
        (JobOrder::Rotation, _) => None,
    }
}

fn show(id: &JobId, job: &JobRow) -> Job {
    let settings: &Settings = &job.settings;
    Job {
        id: id.clone(),
        seq: job.seq,
        kind: job.kind.clone(),
        caller: job.caller.clone(),
        digest: job.digest.clone(),
        status: job.status,
        error: job.error.map(str::to_owned),
        total: job.targets.len() as u64,
        counts: job.counts(),
        width: settings.width.max(1),
        halt: settings.halt,
        halting: job.halting,
        pin: settings.recovery.pin().cloned(),
        ttl: settings.ttl,
        max_losses: settings.max_losses.max(1),
        rerun_of: settings.rerun_of.clone(),
        newest_rerun: job.newest_rerun.clone(),
        created_at: job.created_at,
        started_at: job.started_at,
        finished_at: job.finished_at,
        lease: job.lease,
        bytes: job.bytes(),
        evicted: job.evicted,
        note: settings.note.clone(),
    }
}

fn targets(job: &JobRow, query: &TargetQuery) -> Vec<Target> {
    let rows = (0..)
        .zip(&job.targets)
        .map(|(index, row)| target(index, row));
    let mut rows: Vec<Target> = match query.order {
        TargetOrder::Index => rows.filter(|row| row.index >= query.from).collect(),
        TargetOrder::Stored => rows
            .filter(|row| row.ordinal.is_some_and(|ordinal| ordinal >= query.from))
            .collect(),
    };
    if query.order == TargetOrder::Stored {
        rows.sort_by_key(|row| row.ordinal);
    }
    rows
}

fn target(index: u64, row: &TargetRow) -> Target {
    let mut target = Target {
        index,
        origin: row.origin,
        url: row.url.clone(),
        options: row.options.clone(),
        status: row.status(),
        outcome: None,
        ordinal: None,
        fence: row.fence,
        tries: row.busy,
        elapsed: None,
        stored_at: None,
        busy_since: row.busy_since,
        due: None,
        session: None,
    };
    match &row.state {
        TargetState::Unstarted => {}
        TargetState::Running { session, .. } => target.session = Some(session.clone()),
        TargetState::Parked { due } => target.due = Some(*due),
        TargetState::Stored(stored) => {
            target.outcome = Some(stored.outcome.clone());
            target.ordinal = Some(stored.ordinal);
            target.tries = row.busy + 1;
            target.elapsed = stored.elapsed;
            target.stored_at = Some(stored.at);
            target.busy_since = None;
            target.session = Some(stored.session.clone());
        }
    }
    target
}

fn session(id: &SessionId, row: &SessionRow) -> Session {
    Session {
        id: id.clone(),
        kind: Some(row.kind.clone()),
        host: row.host.clone(),
        entered_at: Timestamp::MIN,
        seen_at: Timestamp::MIN,
        beat: row.beat,
        beat_length: row.beat_length,
        lock: SessionLock::Unknown,
    }
}
