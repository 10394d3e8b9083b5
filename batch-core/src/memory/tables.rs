//! The rows of the memory store, and how a change is applied to them.

use std::collections::{BTreeMap, BTreeSet};

use crate::decide::row::{JobRow, KindRow, OpenRow, OutcomeRow, Place, SessionRow, StageRow};
use crate::decide::{Change, Freed, JobIndex, OpenIndex, Table};
use crate::id::{JobId, Kind, SessionId};
use crate::store::StoreResult;
use crate::store::call::{Key, NewTarget};

/// A row of a job: where the rows are, and which target.
pub(super) type At = (u64, u64);

/// Kind, caller's name and key.
pub(super) type KeyOf = (Kind, String, Key);

/// Every table and index.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) sequence: u64,
    pub(super) jobs: BTreeMap<u64, JobRow>,
    pub(super) ids: BTreeMap<JobId, u64>,
    pub(super) notes: BTreeMap<u64, String>,
    pub(super) job_index: BTreeMap<JobIndex, u64>,
    /// Every job in a rotation, shared or pinned, for pages of it.
    pub(super) rotation: BTreeMap<(Kind, u64), u64>,
    pub(super) keys: BTreeMap<KeyOf, u64>,
    pub(super) targets: BTreeMap<At, NewTarget>,
    pub(super) open: BTreeMap<At, OpenRow>,
    pub(super) open_index: BTreeMap<OpenIndex, At>,
    pub(super) outcomes: BTreeMap<At, OutcomeRow>,
    pub(super) ordinals: BTreeMap<At, u64>,
    pub(super) kinds: BTreeMap<Kind, KindRow>,
    pub(super) callers: BTreeMap<(Kind, String), u64>,
    pub(super) sessions: BTreeMap<SessionId, SessionRow>,
    pub(super) stages: BTreeMap<JobId, StageRow>,
    pub(super) dust: BTreeSet<u64>,
}

impl Tables {
    fn add_job(&mut self, job: JobRow, note: String) {
        let key = (job.kind.clone(), job.caller.name.clone(), job.key.clone());
        self.keys.insert(key, job.seq);
        self.ids.insert(job.id.clone(), job.seq);
        if !note.is_empty() {
            self.notes.insert(job.seq, note);
        }
        self.index(&job);
        self.jobs.insert(job.seq, job);
    }

    fn put_job(&mut self, before: &JobRow, after: JobRow) {
        self.unindex(before);
        self.index(&after);
        self.jobs.insert(after.seq, after);
    }

    fn remove_job(&mut self, job: &JobRow) {
        self.unindex(job);
        self.jobs.remove(&job.seq);
        self.ids.remove(&job.id);
        self.notes.remove(&job.seq);
        let key = (job.kind.clone(), job.caller.name.clone(), job.key.clone());
        if self.keys.get(&key) == Some(&job.seq) {
            self.keys.remove(&key);
        }
    }

    fn index(&mut self, job: &JobRow) {
        for entry in JobIndex::of(job) {
            self.job_index.insert(entry, job.seq);
        }
        if let Place::Ready { pos } = job.place {
            self.rotation.insert((job.kind.clone(), pos), job.seq);
        }
    }

    fn unindex(&mut self, job: &JobRow) {
        for entry in JobIndex::of(job) {
            self.job_index.remove(&entry);
        }
        if let Place::Ready { pos } = job.place {
            self.rotation.remove(&(job.kind.clone(), pos));
        }
    }

    fn put_open(&mut self, open: OpenRow) {
        let at = (open.rows, open.index);
        self.remove_open(at);
        if let Some(entry) = OpenIndex::of(&open) {
            self.open_index.insert(entry, at);
        }
        self.open.insert(at, open);
    }

    fn remove_open(&mut self, at: At) {
        if let Some(entry) = self.open.remove(&at).as_ref().and_then(OpenIndex::of) {
            self.open_index.remove(&entry);
        }
    }

    fn add_outcome(&mut self, outcome: OutcomeRow) {
        self.ordinals
            .insert((outcome.rows, outcome.ordinal), outcome.index);
        self.outcomes.insert((outcome.rows, outcome.index), outcome);
    }

    /// Frees the first target with all that belongs to it; whether there was one.
    fn free_one(&mut self, rows: u64) -> bool {
        let span = (rows, 0)..=(rows, u64::MAX);
        let Some(at) = self.targets.range(span).next().map(|(at, _)| *at) else {
            return false;
        };
        self.targets.remove(&at);
        self.remove_open(at);
        if let Some(outcome) = self.outcomes.remove(&at) {
            self.ordinals.remove(&(rows, outcome.ordinal));
        }
        true
    }
}

impl Table for Tables {
    fn apply(&mut self, change: Change) -> StoreResult<()> {
        match change {
            Change::Sequence(last) => self.sequence = last,
            Change::AddJob { job, note } => self.add_job(*job, note),
            Change::PutJob { before, after } => self.put_job(&before, *after),
            Change::RemoveJob(job) => self.remove_job(&job),
            Change::PutTargets {
                rows,
                first,
                targets,
            } => {
                let at = (first..).map(|index| (rows, index));
                self.targets.extend(at.zip(targets));
            }
            Change::PutOpen(open) => self.put_open(open),
            Change::RemoveOpen { rows, index } => self.remove_open((rows, index)),
            Change::AddOutcome(outcome) => self.add_outcome(outcome),
            Change::AddDust { rows } => {
                self.dust.insert(rows);
            }
            Change::PutKind(kind) => {
                self.kinds.insert(kind.name.clone(), kind);
            }
            Change::RemoveKind(kind) => {
                self.kinds.remove(&kind);
            }
            Change::PutCaller(caller) if caller.live == 0 => {
                self.callers.remove(&(caller.kind, caller.name));
            }
            Change::PutCaller(caller) => {
                self.callers.insert((caller.kind, caller.name), caller.live);
            }
            Change::PutSession(session) => {
                self.sessions.insert(session.id.clone(), session);
            }
            Change::RemoveSession(id) => {
                self.sessions.remove(&id);
            }
            Change::PutStage(stage) => {
                self.stages.insert(stage.id.clone(), stage);
            }
            Change::RemoveStage(id) => {
                self.stages.remove(&id);
            }
        }
        Ok(())
    }

    fn free_dust(&mut self, max: u32) -> StoreResult<Freed> {
        let mut rows = 0;
        while rows < max {
            let Some(dust) = self.dust.first().copied() else {
                return Ok(Freed { rows, more: false });
            };
            if self.free_one(dust) {
                rows += 1;
            } else {
                self.dust.remove(&dust);
            }
        }
        Ok(Freed {
            rows,
            more: !self.dust.is_empty(),
        })
    }
}
