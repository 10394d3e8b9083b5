//! What the decisions read from the memory store.

use super::tables::Tables;
use crate::decide::row::{JobRow, KindRow, OpenRow, OutcomeRow, SessionRow, StageRow};
use crate::decide::{JobIndex, OpenIndex, Rows};
use crate::id::{JobId, Kind, SessionId, Ticket};
use crate::store::StoreResult;
use crate::store::call::{Key, NewTarget};
use crate::time::Timestamp;

impl Tables {
    /// The jobs of a span of the index, in its order.
    fn jobs_in(&self, first: JobIndex, last: JobIndex) -> impl Iterator<Item = &JobRow> {
        self.job_index
            .range(first..=last)
            .filter_map(|(_, seq)| self.jobs.get(seq))
    }
}

impl Rows for Tables {
    fn sequence(&self) -> StoreResult<u64> {
        Ok(self.sequence)
    }

    fn job(&self, id: &JobId) -> StoreResult<Option<JobRow>> {
        Ok(self.ids.get(id).and_then(|seq| self.jobs.get(seq)).cloned())
    }

    fn job_at(&self, seq: u64) -> StoreResult<Option<JobRow>> {
        Ok(self.jobs.get(&seq).cloned())
    }

    fn key(&self, kind: &Kind, caller: &str, key: &Key) -> StoreResult<Option<u64>> {
        Ok(self
            .keys
            .get(&(kind.clone(), caller.to_owned(), key.clone()))
            .copied())
    }

    fn kind(&self, name: &Kind) -> StoreResult<Option<KindRow>> {
        Ok(self.kinds.get(name).cloned())
    }

    fn caller_live(&self, kind: &Kind, caller: &str) -> StoreResult<u64> {
        Ok(self
            .callers
            .get(&(kind.clone(), caller.to_owned()))
            .copied()
            .unwrap_or(0))
    }

    fn session(&self, id: &SessionId) -> StoreResult<Option<SessionRow>> {
        Ok(self.sessions.get(id).cloned())
    }

    fn stage(&self, id: &JobId) -> StoreResult<Option<StageRow>> {
        Ok(self.stages.get(id).cloned())
    }

    fn target(&self, rows: u64, index: u64) -> StoreResult<Option<NewTarget>> {
        Ok(self.targets.get(&(rows, index)).cloned())
    }

    fn open(&self, rows: u64, index: u64) -> StoreResult<Option<OpenRow>> {
        Ok(self.open.get(&(rows, index)).cloned())
    }

    fn outcome(&self, rows: u64, index: u64) -> StoreResult<Option<OutcomeRow>> {
        Ok(self.outcomes.get(&(rows, index)).cloned())
    }

    fn stored(&self, rows: u64, ordinal: u64) -> StoreResult<Option<u64>> {
        Ok(self.ordinals.get(&(rows, ordinal)).copied())
    }

    fn parked(&self, rows: u64, max: usize) -> StoreResult<Vec<OpenRow>> {
        let first = OpenIndex::Parked {
            rows,
            due: Timestamp::MIN,
            index: 0,
        };
        let last = OpenIndex::Parked {
            rows,
            due: Timestamp::MAX,
            index: u64::MAX,
        };
        let span = self.open_index.range(first..=last).take(max);
        Ok(span
            .filter_map(|(_, at)| self.open.get(at))
            .cloned()
            .collect())
    }

    fn held_under(&self, session: &SessionId, ticket: &Ticket) -> StoreResult<Option<OpenRow>> {
        let entry = OpenIndex::Held {
            session: session.clone(),
            ticket: ticket.clone(),
        };
        Ok(self
            .open_index
            .get(&entry)
            .and_then(|at| self.open.get(at))
            .cloned())
    }

    fn held(&self, session: &SessionId, max: usize) -> StoreResult<Vec<OpenRow>> {
        let first = OpenIndex::Held {
            session: session.clone(),
            ticket: Ticket::new(""),
        };
        let span = self.open_index.range(first..).take(max);
        Ok(span
            .filter_map(|(_, at)| self.open.get(at))
            .take_while(|open| open.due.is_none() && open.session == *session)
            .cloned()
            .collect())
    }

    fn ready_head(&self, kind: &Kind, pin: Option<&SessionId>) -> StoreResult<Option<JobRow>> {
        let entry = |pos| JobIndex::Ready {
            kind: kind.clone(),
            pin: pin.cloned(),
            pos,
        };
        Ok(self.jobs_in(entry(0), entry(u64::MAX)).next().cloned())
    }

    fn waiting_head(&self, kind: &Kind, pin: Option<&SessionId>) -> StoreResult<Option<JobRow>> {
        let entry = |due, seq| JobIndex::Waiting {
            kind: kind.clone(),
            pin: pin.cloned(),
            due,
            seq,
        };
        let (first, last) = (entry(Timestamp::MIN, 0), entry(Timestamp::MAX, u64::MAX));
        Ok(self.jobs_in(first, last).next().cloned())
    }

    fn pinned(&self, session: &SessionId, max: usize) -> StoreResult<Vec<JobRow>> {
        let entry = |seq| JobIndex::Pinned {
            session: session.clone(),
            seq,
        };
        let span = self.jobs_in(entry(0), entry(u64::MAX));
        Ok(span.take(max).cloned().collect())
    }

    fn stages_of(&self, session: &SessionId, max: usize) -> StoreResult<Vec<StageRow>> {
        let own = self
            .stages
            .values()
            .filter(|stage| stage.session == *session);
        Ok(own.take(max).cloned().collect())
    }

    fn stage_before(&self, latest: Timestamp) -> StoreResult<Option<StageRow>> {
        let old = self.stages.values().filter(|stage| stage.last <= latest);
        Ok(old.min_by_key(|stage| stage.last).cloned())
    }

    fn expiring(&self, now: Timestamp, max: usize) -> StoreResult<Vec<JobRow>> {
        let first = JobIndex::Expiry {
            at: Timestamp::MIN,
            seq: 0,
        };
        let last = JobIndex::Expiry {
            at: now,
            seq: u64::MAX,
        };
        Ok(self.jobs_in(first, last).take(max).cloned().collect())
    }

    fn freeable(&self, kind: &Kind, max: usize) -> StoreResult<Vec<JobRow>> {
        let entry = |lease, seq| JobIndex::Freeable {
            kind: kind.clone(),
            lease,
            seq,
        };
        let (first, last) = (entry(Timestamp::MIN, 0), entry(Timestamp::MAX, u64::MAX));
        Ok(self.jobs_in(first, last).take(max).cloned().collect())
    }

    fn empty_kind(&self) -> StoreResult<Option<KindRow>> {
        Ok(self.kinds.values().find(|kind| kind.is_empty()).cloned())
    }
}
