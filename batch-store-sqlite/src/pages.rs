//! How rows become the pages of reads, inside one read transaction.

use batch_core::decide::Rows;
use batch_core::decide::row::JobRow;
use batch_core::id::{Kind, SessionId};
use batch_core::limits::{LIST_EXAMINED, PAGE_ROWS};
use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::query::{
    JobFilter, JobList, JobOrder, JobQuery, KindList, Sessions, StatsQuery,
};
use batch_core::store::reply::{JobPage, JobReply, KindPage, SessionPage, Stats};
use batch_core::store::view::{Job, Session, SessionLock};

use crate::error::error;
use crate::keys::number;
use crate::rows::{read_job, read_session};
use crate::sql;
use crate::tables::Tables;

impl Tables<'_> {
    pub(crate) fn job_reply(&self, call: &JobQuery) -> StoreResult<JobReply> {
        let job = match call {
            JobQuery::Id(id) => self.job(id)?,
            JobQuery::Key { kind, caller, key } => match self.key(kind, caller, key)? {
                Some(seq) => self.job_at(seq)?,
                None => None,
            },
        };
        let Some(job) = job else {
            return Ok(JobReply::NotFound);
        };
        let note = self.one(sql::NOTE, [number(job.seq)?], |row| row.get(0))?;
        Ok(JobReply::Found(Box::new(
            job.view(note.unwrap_or_default()),
        )))
    }

    pub(crate) fn job_page(&self, call: &JobList) -> StoreResult<JobPage> {
        let mut page = Page::of(call);
        match (call.order, &call.filter.kind, &call.filter.caller) {
            (JobOrder::Rotation, Some(kind), _) => self.walk_rotation(kind, call, &mut page)?,
            (JobOrder::Rotation, None, _) => return Err(no_rotation()),
            (JobOrder::Sequence, Some(kind), Some(caller)) => {
                let params = (kind.as_str(), caller, after(call), WINDOW);
                self.walk(sql::LIST_OF_CALLER, params, &mut page)?;
            }
            (JobOrder::Sequence, Some(kind), None) => {
                let params = (kind.as_str(), after(call), WINDOW);
                self.walk(sql::LIST_OF_KIND, params, &mut page)?;
            }
            (JobOrder::Sequence, None, _) => {
                self.walk(sql::LIST, (after(call), WINDOW), &mut page)?;
            }
        }
        Ok(page.done())
    }

    fn walk(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        page: &mut Page<'_>,
    ) -> StoreResult<()> {
        self.each(sql, params, |row| {
            let job = read_job(row)?;
            Ok(page.examine(job.seq, &job))
        })
    }

    /// Merges the shared rotation and every pinned one by position.
    fn walk_rotation(&self, kind: &Kind, call: &JobList, page: &mut Page<'_>) -> StoreResult<()> {
        let mut heads = Vec::new();
        for pin in self.pins(kind)? {
            if let Some(head) = self.behind(kind, &pin, after(call))? {
                heads.push((pin, head));
            }
        }
        loop {
            let next =
                (0..heads.len()).min_by_key(|i| heads.get(*i).map(|(_, job)| job.position()));
            let Some(at) = next else { return Ok(()) };
            let (pin, job) = heads.swap_remove(at);
            let cursor = job.position();
            if !page.examine(cursor, &job) {
                return Ok(());
            }
            if let Some(head) = self.behind(kind, &pin, clamped(cursor))? {
                heads.push((pin, head));
            }
        }
    }

    /// The pins of a kind's rotation: as many as it has live sessions, and the shared one.
    fn pins(&self, kind: &Kind) -> StoreResult<Vec<String>> {
        let mut pins = Vec::new();
        let mut from = String::new();
        while let Some(pin) = self.one(sql::ROTATION_PIN, [kind.as_str(), &from], |row| {
            row.get::<_, String>(0)
        })? {
            from = following(&pin);
            pins.push(pin);
        }
        Ok(pins)
    }

    fn behind(&self, kind: &Kind, pin: &str, pos: i64) -> StoreResult<Option<JobRow>> {
        self.one(sql::ROTATION_NEXT, (kind.as_str(), pin, pos), read_job)
    }

    pub(crate) fn stats_of(&self, call: &StatsQuery) -> StoreResult<Stats> {
        let kind = self.kind(&call.kind)?;
        let caller_live = match &call.caller {
            Some(caller) => self.caller_live(&call.kind, caller)?,
            None => 0,
        };
        Ok(Stats {
            kind: kind.map(|kind| kind.stats).unwrap_or_default(),
            caller_live,
        })
    }

    pub(crate) fn kind_page(&self, call: &KindList) -> StoreResult<KindPage> {
        let max = call.max.clamp(1, PAGE_ROWS) as usize;
        let from = call
            .after
            .as_ref()
            .map_or_else(String::new, |kind| following(kind.as_str()));
        let params = (from, number(max as u64 + 1)?);
        let mut kinds = self.all(sql::KINDS, params, |row| {
            Ok(Kind::new(row.get::<_, String>(0)?))
        })?;
        let more = kinds.len() > max;
        kinds.truncate(max);
        let next = kinds.last().filter(|_| more).cloned();
        Ok(KindPage { kinds, next })
    }

    /// Sessions by id: those with a row, and those that only starts name (R9.4).
    pub(crate) fn session_page(&self, call: &Sessions) -> StoreResult<SessionPage> {
        let max = call.max.clamp(1, PAGE_ROWS) as usize;
        let mut sessions = Vec::new();
        let mut after = call.after.clone();
        while let Some(session) = self.session_after(after.as_ref())? {
            if sessions.len() == max {
                return Ok(SessionPage {
                    sessions,
                    next: after,
                });
            }
            after = Some(session.id.clone());
            sessions.push(session);
        }
        Ok(SessionPage {
            sessions,
            next: None,
        })
    }

    fn session_after(&self, after: Option<&SessionId>) -> StoreResult<Option<Session>> {
        let from = after.map_or_else(String::new, |id| following(id.as_str()));
        let known = self.one(sql::SESSION_FROM, [&from], read_session)?;
        let holder = self.one(sql::HOLDER_FROM, [&from], |row| row.get::<_, String>(0))?;
        let holder = holder.map(SessionId::new);
        Ok(match (known, holder) {
            (Some(row), Some(holder)) if holder < row.id => Some(Session::of_starts(holder)),
            (Some(row), _) => Some(row.view(SessionLock::Unknown)),
            (None, holder) => holder.map(Session::of_starts),
        })
    }
}

/// One row more than is examined, to see whether the page has a next.
const WINDOW: u32 = LIST_EXAMINED + 1;

/// A page of jobs while it is filled.
struct Page<'a> {
    filter: &'a JobFilter,
    max: usize,
    examined: u32,
    cursor: u64,
    jobs: Vec<Job>,
    next: Option<u64>,
}

impl<'a> Page<'a> {
    fn of(call: &'a JobList) -> Self {
        Self {
            filter: &call.filter,
            max: call.max.clamp(1, PAGE_ROWS) as usize,
            examined: 0,
            cursor: 0,
            jobs: Vec::new(),
            next: None,
        }
    }

    /// Takes one more job; whether another one is wanted.
    fn examine(&mut self, cursor: u64, job: &JobRow) -> bool {
        if self.jobs.len() == self.max || self.examined == LIST_EXAMINED {
            self.next = Some(self.cursor);
            return false;
        }
        self.examined += 1;
        self.cursor = cursor;
        if job.matches(self.filter) {
            self.jobs.push(job.view(String::new()));
        }
        true
    }

    fn done(self) -> JobPage {
        JobPage {
            jobs: self.jobs,
            next: self.next,
        }
    }
}

/// Where a page begins: sequence and positions begin at 1.
fn after(call: &JobList) -> i64 {
    clamped(call.after.unwrap_or(0))
}

fn clamped(cursor: u64) -> i64 {
    i64::try_from(cursor).unwrap_or(i64::MAX)
}

/// The text that follows another one in the order of bytes.
fn following(text: &str) -> String {
    format!("{text}\0")
}

fn no_rotation() -> StoreError {
    let reason = "the rotation is that of one kind; name it in the filter";
    error(StoreErrorKind::Invalid, reason)
}
