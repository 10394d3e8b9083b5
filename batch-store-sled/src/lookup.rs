//! What the decisions read: point look-ups and the heads of ranges (S14).

use batch_core::decide::row::{JobRow, KindRow, OpenRow, OutcomeRow, SessionRow, StageRow};
use batch_core::decide::{OpenIndex, Rows};
use batch_core::id::{JobId, Kind, SessionId, Ticket};
use batch_core::store::StoreResult;
use batch_core::store::call::{Key as JobKey, NewTarget};
use batch_core::time::Timestamp;

use crate::error::damaged;
use crate::keys::{self, Key};
use crate::rows::At;
use crate::step::Step;

impl Step<'_> {
    /// The jobs that the first entries of an index name.
    fn jobs_in(&self, range: &Key, max: usize) -> StoreResult<Vec<JobRow>> {
        let places = self.values::<u64>(range, max)?;
        places.into_iter().map(|seq| self.indexed(seq)).collect()
    }

    /// A job that an index names.
    pub(crate) fn indexed(&self, seq: u64) -> StoreResult<JobRow> {
        self.get(&keys::job(seq))?.ok_or_else(damaged)
    }

    fn first_job(&self, range: &Key) -> StoreResult<Option<JobRow>> {
        Ok(self.jobs_in(range, 1)?.pop())
    }

    /// The open targets that the first entries of an index name.
    fn opens_in(&self, range: &Key, max: usize) -> StoreResult<Vec<OpenRow>> {
        let places = self.values::<At>(range, max)?;
        let open = |(rows, index)| self.get(&keys::open(rows, index))?.ok_or_else(damaged);
        places.into_iter().map(open).collect()
    }
}

impl Rows for Step<'_> {
    fn sequence(&self) -> StoreResult<u64> {
        Ok(self.get(&keys::sequence())?.unwrap_or(0))
    }

    fn job(&self, id: &JobId) -> StoreResult<Option<JobRow>> {
        let seq = self.get(&keys::id(id))?;
        seq.map(|seq| self.indexed(seq)).transpose()
    }

    fn job_at(&self, seq: u64) -> StoreResult<Option<JobRow>> {
        self.get(&keys::job(seq))
    }

    fn key(&self, kind: &Kind, caller: &str, key: &JobKey) -> StoreResult<Option<u64>> {
        self.get(&keys::newest(kind, caller, key))
    }

    fn kind(&self, name: &Kind) -> StoreResult<Option<KindRow>> {
        self.get(&keys::kind(name))
    }

    fn caller_live(&self, kind: &Kind, caller: &str) -> StoreResult<u64> {
        Ok(self.get(&keys::caller(kind, caller))?.unwrap_or(0))
    }

    fn session(&self, id: &SessionId) -> StoreResult<Option<SessionRow>> {
        self.get(&keys::session(id))
    }

    fn stage(&self, id: &JobId) -> StoreResult<Option<StageRow>> {
        self.get(&keys::stage(id))
    }

    fn target(&self, rows: u64, index: u64) -> StoreResult<Option<NewTarget>> {
        self.get(&keys::target(rows, index))
    }

    fn open(&self, rows: u64, index: u64) -> StoreResult<Option<OpenRow>> {
        self.get(&keys::open(rows, index))
    }

    fn outcome(&self, rows: u64, index: u64) -> StoreResult<Option<OutcomeRow>> {
        self.get(&keys::outcome(rows, index))
    }

    fn stored(&self, rows: u64, ordinal: u64) -> StoreResult<Option<u64>> {
        self.get(&keys::ordinal(rows, ordinal))
    }

    fn parked(&self, rows: u64, max: usize) -> StoreResult<Vec<OpenRow>> {
        self.opens_in(&keys::parked(rows), max)
    }

    fn held_under(&self, session: &SessionId, ticket: &Ticket) -> StoreResult<Option<OpenRow>> {
        let entry = OpenIndex::Held {
            session: session.clone(),
            ticket: ticket.clone(),
        };
        match self.get::<At>(&keys::of_open(&entry))? {
            Some((rows, index)) => self.open(rows, index),
            None => Ok(None),
        }
    }

    fn held(&self, session: &SessionId, max: usize) -> StoreResult<Vec<OpenRow>> {
        self.opens_in(&keys::held(session), max)
    }

    fn ready_head(&self, kind: &Kind, pin: Option<&SessionId>) -> StoreResult<Option<JobRow>> {
        self.first_job(&keys::ready(kind, pin))
    }

    fn waiting_head(&self, kind: &Kind, pin: Option<&SessionId>) -> StoreResult<Option<JobRow>> {
        self.first_job(&keys::waiting(kind, pin))
    }

    fn pinned(&self, session: &SessionId, max: usize) -> StoreResult<Vec<JobRow>> {
        self.jobs_in(&keys::pinned(session), max)
    }

    fn stages_of(&self, session: &SessionId, max: usize) -> StoreResult<Vec<StageRow>> {
        let ids = self.values::<String>(&keys::stages_of(session), max)?;
        let stage = |id| self.get(&keys::stage(&JobId::new(id)))?.ok_or_else(damaged);
        ids.into_iter().map(stage).collect()
    }

    fn stage_before(&self, latest: Timestamp) -> StoreResult<Option<StageRow>> {
        let Some(id) = self.values::<String>(&keys::stages_by_time(), 1)?.pop() else {
            return Ok(None);
        };
        let stage: StageRow = self
            .get(&keys::stage(&JobId::new(id)))?
            .ok_or_else(damaged)?;
        Ok(Some(stage).filter(|stage| stage.last <= latest))
    }

    fn expiring(&self, now: Timestamp, max: usize) -> StoreResult<Vec<JobRow>> {
        let end = keys::expiry_end(now);
        let entries = self.scan(&keys::expiries(), None, max)?;
        entries
            .iter()
            .take_while(|(key, _)| key.as_ref() <= end.as_bytes())
            .map(|(key, _)| self.indexed(keys::last_number(key).ok_or_else(damaged)?))
            .collect()
    }

    fn freeable(&self, kind: &Kind, max: usize) -> StoreResult<Vec<JobRow>> {
        self.jobs_in(&keys::freeable(kind), max)
    }

    fn empty_kind(&self) -> StoreResult<Option<KindRow>> {
        match self.values::<String>(&keys::empty_kinds(), 1)?.pop() {
            Some(name) => self.kind(&Kind::new(name)),
            None => Ok(None),
        }
    }
}
