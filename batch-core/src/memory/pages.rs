//! What clients read from the memory store.

use std::ops::Bound;

use super::tables::Tables;
use crate::decide::OpenIndex;
use crate::decide::row::JobRow;
use crate::id::{SessionId, Ticket};
use crate::limits::{LIST_EXAMINED, PAGE_ROWS};
use crate::store::StoreResult;
use crate::store::error::{StoreError, StoreErrorKind};
use crate::store::query::{JobList, JobOrder, JobQuery, KindList, Sessions, StatsQuery};
use crate::store::reply::{JobPage, JobReply, KindPage, SessionPage, Stats};
use crate::store::view::{Session, SessionLock};

impl Tables {
    pub(super) fn job_reply(&self, call: &JobQuery) -> JobReply {
        let seq = match call {
            JobQuery::Id(id) => self.ids.get(id),
            JobQuery::Key { kind, caller, key } => {
                self.keys.get(&(kind.clone(), caller.clone(), key.clone()))
            }
        };
        match seq.and_then(|seq| self.jobs.get(seq)) {
            Some(job) => {
                let note = self.notes.get(&job.seq).cloned().unwrap_or_default();
                JobReply::Found(Box::new(job.view(note)))
            }
            None => JobReply::NotFound,
        }
    }

    pub(super) fn job_page(&self, call: &JobList) -> StoreResult<JobPage> {
        let examined = match call.order {
            JobOrder::Sequence => self.by_sequence(call.after),
            JobOrder::Rotation => self.by_rotation(call)?,
        };
        let max = call.max.clamp(1, PAGE_ROWS) as usize;
        let window = LIST_EXAMINED as usize;
        let mut page = JobPage {
            jobs: Vec::new(),
            next: None,
        };
        let last = examined.len();
        for (count, (cursor, job)) in examined.into_iter().enumerate() {
            if job.matches(&call.filter) {
                page.jobs.push(job.view(String::new()));
            }
            if page.jobs.len() == max || count + 1 == window {
                page.next = (count + 1 < last).then_some(cursor);
                break;
            }
        }
        Ok(page)
    }

    /// One row more than is examined, to see whether the page has a next.
    fn by_sequence(&self, after: Option<u64>) -> Vec<(u64, &JobRow)> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let span = self.jobs.range((from, Bound::Unbounded));
        span.take(LIST_EXAMINED as usize + 1)
            .map(|(seq, job)| (*seq, job))
            .collect()
    }

    /// The shared rotation and every pinned one, merged by position.
    fn by_rotation(&self, call: &JobList) -> StoreResult<Vec<(u64, &JobRow)>> {
        let Some(kind) = &call.filter.kind else {
            let reason = "the rotation is that of one kind; name it in the filter";
            return Err(StoreError::new(StoreErrorKind::Invalid, "list", reason));
        };
        let at = |pos| (kind.clone(), pos);
        let from = call
            .after
            .map_or(Bound::Included(at(0)), |pos| Bound::Excluded(at(pos)));
        let span = self.rotation.range((from, Bound::Included(at(u64::MAX))));
        let places = span.take(LIST_EXAMINED as usize + 1);
        Ok(places
            .filter_map(|((_, pos), seq)| self.jobs.get(seq).map(|job| (*pos, job)))
            .collect())
    }

    pub(super) fn stats(&self, call: &StatsQuery) -> Stats {
        let kind = self
            .kinds
            .get(&call.kind)
            .map(|kind| kind.stats)
            .unwrap_or_default();
        let caller = call.caller.clone().map(|name| (call.kind.clone(), name));
        let caller_live = caller
            .and_then(|of| self.callers.get(&of).copied())
            .unwrap_or(0);
        Stats { kind, caller_live }
    }

    pub(super) fn kind_page(&self, call: &KindList) -> KindPage {
        let from = call
            .after
            .as_ref()
            .map_or(Bound::Unbounded, Bound::Excluded);
        let mut kinds = self
            .kinds
            .range((from, Bound::Unbounded))
            .map(|(kind, _)| kind.clone());
        let max = call.max.clamp(1, PAGE_ROWS) as usize;
        let page: Vec<_> = kinds.by_ref().take(max).collect();
        let next = kinds.next().and(page.last().cloned());
        KindPage { kinds: page, next }
    }

    pub(super) fn session_page(&self, call: &Sessions) -> SessionPage {
        let max = call.max.clamp(1, PAGE_ROWS) as usize;
        let mut sessions = Vec::new();
        let mut after = call.after.clone();
        while let Some(session) = self.session_after(after.as_ref()) {
            if sessions.len() == max {
                return SessionPage {
                    sessions,
                    next: after,
                };
            }
            after = Some(session.id.clone());
            sessions.push(session);
        }
        SessionPage {
            sessions,
            next: None,
        }
    }

    /// The next session by id: one with a row, or one that only starts name (R9.4).
    fn session_after(&self, after: Option<&SessionId>) -> Option<Session> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let known = self.sessions.range((from, Bound::Unbounded)).next();
        let holder = self.holder_after(after).cloned();
        match (known, holder) {
            (Some((id, _)), Some(holder)) if holder < *id => Some(Session::of_starts(holder)),
            (Some((_, row)), _) => Some(row.clone().view(SessionLock::Unknown)),
            (None, Some(holder)) => Some(Session::of_starts(holder)),
            (None, None) => None,
        }
    }

    /// The next session that holds a running start.
    fn holder_after(&self, after: Option<&SessionId>) -> Option<&SessionId> {
        // The first ticket of the session that follows `after` in the order of ids.
        let session = after.map_or_else(
            || SessionId::new(""),
            |id| SessionId::new(format!("{id}\0")),
        );
        let first = OpenIndex::Held {
            session,
            ticket: Ticket::new(""),
        };
        match self.open_index.range(first..).next()?.0 {
            OpenIndex::Held { session, .. } => Some(session),
            OpenIndex::Parked { .. } => None,
        }
    }
}
