//! How rows become the pages of reads. Whoever calls holds the tree still meanwhile.

use batch_core::decide::Rows;
use batch_core::id::{Kind, SessionId};
use batch_core::limits::{LIST_EXAMINED, PAGE_ROWS};
use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::query::{JobList, JobOrder, JobQuery, KindList, Sessions, StatsQuery};
use batch_core::store::reply::{JobPage, JobReply, KindPage, SessionPage, Stats};
use batch_core::store::view::{Session, SessionLock};

use crate::error::{damaged, error};
use crate::keys::{self, Key};
use crate::rows::Value;
use crate::step::Step;

impl Step<'_> {
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
        let note = self.get(&keys::note(job.seq))?.unwrap_or_default();
        Ok(JobReply::Found(Box::new(job.view(note))))
    }

    /// One entry more than is examined shows whether the page has a next.
    pub(crate) fn job_page(&self, call: &JobList) -> StoreResult<JobPage> {
        let (range, after) = match (call.order, &call.filter.kind) {
            (JobOrder::Sequence, _) => (keys::jobs(), call.after.map(keys::job)),
            (JobOrder::Rotation, Some(kind)) => {
                let after = call.after.map(|pos| keys::place(kind, pos));
                (keys::rotation(kind), after)
            }
            (JobOrder::Rotation, None) => return Err(no_rotation()),
        };
        let window = LIST_EXAMINED as usize;
        let examined = self.scan(&range, after.as_ref(), window + 1)?;
        let max = call.max.clamp(1, PAGE_ROWS) as usize;
        let mut page = JobPage {
            jobs: Vec::new(),
            next: None,
        };
        for (count, (key, value)) in examined.iter().enumerate() {
            let job = match call.order {
                JobOrder::Sequence => Value::decode(value)?,
                JobOrder::Rotation => self.indexed(u64::decode(value)?)?,
            };
            if job.matches(&call.filter) {
                page.jobs.push(job.view(String::new()));
            }
            if page.jobs.len() == max || count + 1 == window {
                let more = count + 1 < examined.len();
                page.next = more.then(|| keys::last_number(key)).flatten();
                break;
            }
        }
        Ok(page)
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
        let after = call.after.as_ref().map(keys::kind);
        let found = self.scan(&keys::kinds(), after.as_ref(), max + 1)?;
        let kinds = found.iter().take(max).map(|(key, _)| {
            let name = keys::first_text(key).ok_or_else(damaged)?;
            Ok(Kind::new(name))
        });
        let kinds: Vec<_> = kinds.collect::<StoreResult<_>>()?;
        let more = found.len() > max;
        let next = kinds.last().filter(|_| more).cloned();
        Ok(KindPage { kinds, next })
    }

    /// Sessions by id: those with a row, and those that only starts name (R9.4).
    pub(crate) fn session_page(
        &self,
        call: &Sessions,
        lock: impl Fn(&SessionId) -> SessionLock,
    ) -> StoreResult<SessionPage> {
        let max = call.max.clamp(1, PAGE_ROWS) as usize;
        let mut sessions = Vec::new();
        let mut after = call.after.clone();
        while let Some(session) = self.session_after(after.as_ref(), &lock)? {
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

    fn session_after(
        &self,
        after: Option<&SessionId>,
        lock: impl Fn(&SessionId) -> SessionLock,
    ) -> StoreResult<Option<Session>> {
        let known = self.text_after(&keys::sessions(), after.map(keys::session).as_ref())?;
        // Behind all starts of the session before.
        let behind = after.map(|id| keys::held(id).end());
        let holder = self.text_after(&keys::holders(), behind.as_ref())?;
        let (known, holder) = (known.map(SessionId::new), holder.map(SessionId::new));
        match (known, holder) {
            (Some(known), Some(holder)) if holder < known => Ok(Some(Session::of_starts(holder))),
            (Some(known), _) => {
                let row = self.session(&known)?.ok_or_else(damaged)?;
                Ok(Some(row.view(lock(&known))))
            }
            (None, holder) => Ok(holder.map(Session::of_starts)),
        }
    }

    /// The first text of the first key of a range behind another key.
    fn text_after(&self, range: &Key, after: Option<&Key>) -> StoreResult<Option<String>> {
        let found = self.scan(range, after, 1)?;
        let text = |(key, _): &(sled::IVec, sled::IVec)| keys::first_text(key).ok_or_else(damaged);
        found.first().map(text).transpose()
    }
}

fn no_rotation() -> StoreError {
    let reason = "the rotation is that of one kind; name it in the filter";
    error(StoreErrorKind::Invalid, reason)
}
