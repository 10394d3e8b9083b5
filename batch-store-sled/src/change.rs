//! How a change of the decisions is written: the row, and the keys that follow from it.
//!
//! A stage or a row of a target may replace an older one; what followed from that goes.

use batch_core::decide::row::{JobRow, KindRow, OpenRow, OutcomeRow, Place, SessionRow, StageRow};
use batch_core::decide::{Change, Freed, JobIndex, OpenIndex, Rows, Table};
use batch_core::id::{JobId, Kind};
use batch_core::store::StoreResult;

use crate::error::damaged;
use crate::keys::{self, Key};
use crate::step::Step;

impl Table for Step<'_> {
    fn apply(&mut self, change: Change) -> StoreResult<()> {
        match change {
            Change::Sequence(last) => self.put(keys::sequence(), &last),
            Change::AddJob { job, note } => self.add_job(&job, &note),
            Change::PutJob { before, after } => {
                self.remove_all(derived_of_job(&before));
                self.put_job(&after);
            }
            Change::RemoveJob(job) => self.remove_job(&job)?,
            Change::PutTargets {
                rows,
                first,
                targets,
            } => {
                for (index, target) in (first..).zip(&targets) {
                    self.put(keys::target(rows, index), target);
                }
            }
            Change::PutOpen(open) => {
                self.remove_open(open.rows, open.index)?;
                self.put_open(&open);
            }
            Change::RemoveOpen { rows, index } => self.remove_open(rows, index)?,
            Change::AddOutcome(outcome) => self.add_outcome(&outcome),
            Change::AddDust { rows } => self.put(keys::dust(rows), &rows),
            Change::PutKind(kind) => self.put_kind(&kind),
            Change::RemoveKind(kind) => self.remove_kind(&kind),
            Change::PutCaller(caller) => {
                let key = keys::caller(&caller.kind, &caller.name);
                match caller.live {
                    0 => self.remove(key),
                    live => self.put(key, &live),
                }
            }
            Change::PutSession(session) => self.put_session(&session),
            Change::RemoveSession(id) => self.remove(keys::session(&id)),
            Change::PutStage(stage) => {
                self.remove_stage(&stage.id)?;
                self.put_stage(&stage);
            }
            Change::RemoveStage(id) => self.remove_stage(&id)?,
        }
        Ok(())
    }

    fn free_dust(&mut self, max: u32) -> StoreResult<Freed> {
        let mut freed = 0;
        while freed < max {
            let Some(rows) = self.values::<u64>(&keys::dusts(), 1)?.pop() else {
                break;
            };
            let count = self.free(rows, max - freed)?;
            freed += count;
            if freed < max {
                self.remove(keys::dust(rows));
            }
        }
        let more = self.has(&keys::dusts())?;
        Ok(Freed { rows: freed, more })
    }
}

impl Step<'_> {
    fn add_job(&mut self, job: &JobRow, note: &str) {
        let newest = keys::newest(&job.kind, &job.caller.name, &job.key);
        self.put(newest, &job.seq);
        self.put(keys::id(&job.id), &job.seq);
        if !note.is_empty() {
            self.put(keys::note(job.seq), &note.to_owned());
        }
        self.put_job(job);
    }

    fn put_job(&mut self, job: &JobRow) {
        for key in derived_of_job(job) {
            self.put(key, &job.seq);
        }
        self.put(keys::job(job.seq), job);
    }

    fn remove_job(&mut self, job: &JobRow) -> StoreResult<()> {
        self.remove_all(derived_of_job(job));
        self.remove(keys::job(job.seq));
        self.remove(keys::id(&job.id));
        self.remove(keys::note(job.seq));
        if self.key(&job.kind, &job.caller.name, &job.key)? == Some(job.seq) {
            self.remove(keys::newest(&job.kind, &job.caller.name, &job.key));
        }
        Ok(())
    }

    fn put_open(&mut self, open: &OpenRow) {
        if let Some(key) = derived_of_open(open) {
            self.put(key, &(open.rows, open.index));
        }
        self.put(keys::open(open.rows, open.index), open);
    }

    fn remove_open(&mut self, rows: u64, index: u64) -> StoreResult<()> {
        if let Some(open) = self.open(rows, index)? {
            self.remove_all(derived_of_open(&open));
            self.remove(keys::open(rows, index));
        }
        Ok(())
    }

    fn add_outcome(&mut self, outcome: &OutcomeRow) {
        let OutcomeRow {
            rows,
            index,
            ordinal,
            ..
        } = *outcome;
        self.put(keys::ordinal(rows, ordinal), &index);
        self.put(keys::outcome(rows, index), outcome);
    }

    fn put_kind(&mut self, kind: &KindRow) {
        let empty = keys::empty_kind(&kind.name);
        if kind.is_empty() {
            self.put(empty, &kind.name.as_str().to_owned());
        } else {
            self.remove(empty);
        }
        self.put(keys::kind(&kind.name), kind);
    }

    fn remove_kind(&mut self, kind: &Kind) {
        self.remove(keys::empty_kind(kind));
        self.remove(keys::kind(kind));
    }

    fn put_session(&mut self, session: &SessionRow) {
        self.put(keys::session(&session.id), session);
    }

    fn put_stage(&mut self, stage: &StageRow) {
        for key in derived_of_stage(stage) {
            self.put(key, &stage.id.as_str().to_owned());
        }
        self.put(keys::stage(&stage.id), stage);
    }

    fn remove_stage(&mut self, id: &JobId) -> StoreResult<()> {
        if let Some(stage) = self.stage(id)? {
            self.remove_all(derived_of_stage(&stage));
            self.remove(keys::stage(id));
        }
        Ok(())
    }

    /// Frees the first targets of what no job owns, each with all that belongs to it.
    fn free(&mut self, rows: u64, max: u32) -> StoreResult<u32> {
        let targets = self.scan(&keys::targets(rows), None, max as usize)?;
        let mut freed = 0;
        for (key, _) in targets {
            let index = keys::last_number(&key).ok_or_else(damaged)?;
            self.remove(keys::target(rows, index));
            self.remove_open(rows, index)?;
            if let Some(outcome) = self.outcome(rows, index)? {
                self.remove(keys::ordinal(rows, outcome.ordinal));
                self.remove(keys::outcome(rows, index));
            }
            freed += 1;
        }
        Ok(freed)
    }

    fn remove_all(&mut self, keys: impl IntoIterator<Item = Key>) {
        for key in keys {
            self.remove(key);
        }
    }
}

/// The keys that follow from a job; each holds its place in the sequence.
pub(crate) fn derived_of_job(job: &JobRow) -> Vec<Key> {
    let entries = JobIndex::of(job);
    let mut derived: Vec<_> = entries.iter().map(keys::of_job).collect();
    if let Place::Ready { pos } = job.place {
        derived.push(keys::place(&job.kind, pos));
    }
    derived
}

/// The key that follows from an open target; it holds where that is.
pub(crate) fn derived_of_open(open: &OpenRow) -> Option<Key> {
    OpenIndex::of(open).as_ref().map(keys::of_open)
}

/// The keys that follow from a stage; each holds its id.
pub(crate) fn derived_of_stage(stage: &StageRow) -> [Key; 2] {
    [
        keys::stage_of(&stage.session, &stage.id),
        keys::stage_at(stage.last, &stage.id),
    ]
}
