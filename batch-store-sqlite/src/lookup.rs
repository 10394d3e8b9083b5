//! What the decisions read: every look-up is one statement over one index (S14).

use batch_core::decide::Rows;
use batch_core::decide::row::{JobRow, KindRow, OpenRow, OutcomeRow, SessionRow, StageRow};
use batch_core::id::{JobId, Kind, SessionId, Ticket};
use batch_core::store::StoreResult;
use batch_core::store::call::{Key, NewTarget};
use batch_core::time::Timestamp;
use rusqlite::{Result, Row};

use crate::keys::{at, index_of, number};
use crate::rows::{
    pin, read_job, read_kind, read_open, read_outcome, read_session, read_stage, read_target, space,
};
use crate::sql;
use crate::tables::Tables;

fn count(row: &Row<'_>) -> Result<u64> {
    row.get::<_, i64>(0).map(i64::cast_unsigned)
}

impl Rows for Tables<'_> {
    fn sequence(&self) -> StoreResult<u64> {
        Ok(self.one(sql::SEQUENCE, [], count)?.unwrap_or(0))
    }

    fn job(&self, id: &JobId) -> StoreResult<Option<JobRow>> {
        self.one(sql::JOB, [id.as_str()], read_job)
    }

    fn job_at(&self, seq: u64) -> StoreResult<Option<JobRow>> {
        self.one(sql::JOB_AT, [number(seq)?], read_job)
    }

    fn key(&self, kind: &Kind, caller: &str, key: &Key) -> StoreResult<Option<u64>> {
        let params = (kind.as_str(), caller, space(key.space), key.text.as_str());
        self.one(sql::KEY, params, count)
    }

    fn kind(&self, name: &Kind) -> StoreResult<Option<KindRow>> {
        self.one(sql::KIND, [name.as_str()], read_kind)
    }

    fn caller_live(&self, kind: &Kind, caller: &str) -> StoreResult<u64> {
        let live = self.one(sql::CALLER, [kind.as_str(), caller], count)?;
        Ok(live.unwrap_or(0))
    }

    fn session(&self, id: &SessionId) -> StoreResult<Option<SessionRow>> {
        self.one(sql::SESSION, [id.as_str()], read_session)
    }

    fn stage(&self, id: &JobId) -> StoreResult<Option<StageRow>> {
        self.one(sql::STAGE, [id.as_str()], read_stage)
    }

    fn target(&self, rows: u64, index: u64) -> StoreResult<Option<NewTarget>> {
        self.one(sql::TARGET, [at(rows, index)?], read_target)
    }

    fn open(&self, rows: u64, index: u64) -> StoreResult<Option<OpenRow>> {
        self.one(sql::OPEN, [at(rows, index)?], read_open)
    }

    fn outcome(&self, rows: u64, index: u64) -> StoreResult<Option<OutcomeRow>> {
        self.one(sql::OUTCOME, [at(rows, index)?], read_outcome)
    }

    fn stored(&self, rows: u64, ordinal: u64) -> StoreResult<Option<u64>> {
        let params = [number(rows)?, number(ordinal)?];
        let stored = self.one(sql::OUTCOME_STORED, params, |row| row.get(0))?;
        Ok(stored.map(index_of))
    }

    fn parked(&self, rows: u64, max: usize) -> StoreResult<Vec<OpenRow>> {
        let params = (number(rows)?, number(max as u64)?);
        self.all(sql::PARKED, params, read_open)
    }

    fn held_under(&self, session: &SessionId, ticket: &Ticket) -> StoreResult<Option<OpenRow>> {
        let params = [session.as_str(), ticket.as_str()];
        self.one(sql::HELD_UNDER, params, read_open)
    }

    fn held(&self, session: &SessionId, max: usize) -> StoreResult<Vec<OpenRow>> {
        let params = (session.as_str(), number(max as u64)?);
        self.all(sql::HELD, params, read_open)
    }

    fn ready_head(&self, kind: &Kind, session: Option<&SessionId>) -> StoreResult<Option<JobRow>> {
        let params = (kind.as_str(), pin(session));
        self.one(sql::READY_HEAD, params, read_job)
    }

    fn waiting_head(
        &self,
        kind: &Kind,
        session: Option<&SessionId>,
    ) -> StoreResult<Option<JobRow>> {
        let params = (kind.as_str(), pin(session));
        self.one(sql::WAITING_HEAD, params, read_job)
    }

    fn pinned(&self, session: &SessionId, max: usize) -> StoreResult<Vec<JobRow>> {
        let params = (session.as_str(), number(max as u64)?);
        self.all(sql::PINNED, params, read_job)
    }

    fn stages_of(&self, session: &SessionId, max: usize) -> StoreResult<Vec<StageRow>> {
        let params = (session.as_str(), number(max as u64)?);
        self.all(sql::STAGES_OF, params, read_stage)
    }

    fn stage_before(&self, latest: Timestamp) -> StoreResult<Option<StageRow>> {
        self.one(sql::STAGE_BEFORE, [latest.as_millis()], read_stage)
    }

    fn expiring(&self, now: Timestamp, max: usize) -> StoreResult<Vec<JobRow>> {
        let params = [now.as_millis(), number(max as u64)?];
        self.all(sql::EXPIRING, params, read_job)
    }

    fn freeable(&self, kind: &Kind, max: usize) -> StoreResult<Vec<JobRow>> {
        let params = (kind.as_str(), number(max as u64)?);
        self.all(sql::FREEABLE, params, read_job)
    }

    fn empty_kind(&self) -> StoreResult<Option<KindRow>> {
        self.one(sql::EMPTY_KIND, [], read_kind)
    }
}
