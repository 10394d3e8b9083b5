//! The memory store with one bug, planted in its calls and replies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use batch_core::id::{JobId, RequestId, SessionId, Ticket};
use batch_core::memory::MemoryStore;
use batch_core::store::call::{
    Answer, Cancel, Enter, Evict, Finish, Halt, Reap, Recovery, Renew, Reuse, Settings, Stage,
    Start, Submit, Sweep, Take, Touch, Turn,
};
use batch_core::store::capability::Capabilities;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{
    JobList, JobQuery, KindList, Sessions, StatsQuery, TargetOrder, TargetQuery,
};
use batch_core::store::reply::{
    CancelReply, EnterReply, Evicted, FinishReply, JobPage, JobReply, KindPage, ReapReply,
    RenewReply, SessionPage, StageReply, Stats, SubmitReply, Swept, TakeReply, TargetReply,
    TouchReply, TurnReply,
};
use batch_core::store::view::{Job, SessionLock};
use batch_core::store::{Store, StoreResult};
use batch_core::time::Timestamp;

use crate::bug::Bug;

/// A memory store with a bug.
#[derive(Debug)]
pub(crate) struct Mutant {
    store: MemoryStore,
    bug: Bug,
    notes: Mutex<Notes>,
}

/// What the mutant must know to hide its bug from reads.
#[derive(Debug, Default)]
struct Notes {
    settings: BTreeMap<JobId, Settings>,
    tickets: BTreeSet<Ticket>,
}

impl Mutant {
    pub(crate) fn new(bug: Bug) -> Self {
        Self {
            store: MemoryStore::new(),
            bug,
            notes: Mutex::default(),
        }
    }

    fn is(&self, bug: Bug) -> bool {
        self.bug == bug
    }

    fn notes(&self) -> std::sync::MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the settings that reach the store.
    fn spoil(&self, settings: &mut Settings) {
        match self.bug {
            Bug::IgnoresWidth => settings.width += 1,
            Bug::IgnoresHalt => settings.halt = Halt::Never,
            Bug::IgnoresPin => settings.recovery = Recovery::Resume,
            Bug::LosesOnceMore => settings.max_losses += 1,
            _ => {}
        }
    }

    /// Shows the settings that were asked for.
    fn hide(&self, job: &mut Job) {
        if let Some(settings) = self.notes().settings.get(&job.id) {
            job.width = settings.width;
            job.halt = settings.halt;
            job.pin = settings.recovery.pin().cloned();
            job.max_losses = settings.max_losses;
        }
    }

    async fn lease_under(&self, call: &Submit) -> StoreResult<Option<Timestamp>> {
        let query = JobQuery::Key {
            kind: call.kind.clone(),
            caller: call.caller.name.clone(),
            key: call.key.clone(),
        };
        match self.store.job(query).await? {
            JobReply::Found(job) if job.status.is_live() => Ok(Some(job.lease)),
            _ => Ok(None),
        }
    }

    /// The start that runs the target now, whoever asks.
    async fn current(&self, start: &Start) -> StoreResult<Option<Start>> {
        let query = TargetQuery {
            id: start.job.clone(),
            order: TargetOrder::Index,
            from: start.index,
            max: 1,
        };
        let TargetReply::Page(page) = self.store.targets(query).await? else {
            return Ok(None);
        };
        let target = page.targets.into_iter().next();
        let running = target.filter(|target| target.outcome.is_none());
        Ok(running.and_then(|target| {
            Some(Start {
                session: target.session?,
                fence: target.fence,
                ..start.clone()
            })
        }))
    }

    async fn is_for_a_live_session(&self, settings: &Settings) -> StoreResult<bool> {
        match settings.recovery.pin() {
            Some(session) => Ok(self.beat(session).await?.is_some()),
            None => Ok(true),
        }
    }

    async fn beat(&self, session: &SessionId) -> StoreResult<Option<u64>> {
        let all = Sessions {
            after: None,
            max: 100,
        };
        let page = self.store.sessions(all).await?;
        let mut live = page.sessions.into_iter();
        let row = live.find(|row| row.id == *session && row.lock != SessionLock::Free);
        Ok(row.map(|row| row.beat))
    }
}

#[async_trait]
impl Store for Mutant {
    async fn capabilities(&self) -> StoreResult<Capabilities> {
        self.store.capabilities().await
    }

    async fn submit(&self, mut call: Submit) -> StoreResult<SubmitReply> {
        let asked = call.settings.clone();
        if self.is_for_a_live_session(&asked).await? {
            self.spoil(&mut call.settings);
        }
        let id = call.id.clone();
        match self.bug {
            Bug::SkipsCallerCap => call.caps.jobs_per_caller = u64::MAX,
            Bug::ReusesForFresh => call.reuse = Reuse::Allowed,
            Bug::ForgetsLeaseOnReuse if call.reuse == Reuse::Allowed => {
                call.now = self.lease_under(&call).await?.unwrap_or(call.now);
            }
            _ => {}
        }
        let reply = self.store.submit(call).await?;
        if matches!(reply, SubmitReply::Created { .. }) {
            self.notes().settings.insert(id, asked);
        }
        Ok(reply)
    }

    async fn stage(&self, call: Stage) -> StoreResult<StageReply> {
        match self.store.stage(call).await {
            Err(error) if self.is(Bug::ForgivesGaps) && error.kind() == StoreErrorKind::Invalid => {
                Ok(StageReply::Staged)
            }
            reply => reply,
        }
    }

    async fn enter(&self, call: Enter) -> StoreResult<EnterReply> {
        self.store.enter(call).await
    }

    async fn renew(&self, call: Renew) -> StoreResult<RenewReply> {
        let mut reply = self.store.renew(call).await?;
        if let RenewReply::Beat { starts, .. } = &mut reply
            && self.is(Bug::HidesStarts)
        {
            starts.clear();
        }
        Ok(reply)
    }

    async fn sessions(&self, call: Sessions) -> StoreResult<SessionPage> {
        self.store.sessions(call).await
    }

    async fn reap(&self, mut call: Reap) -> StoreResult<ReapReply> {
        if self.is(Bug::IgnoresBeats) {
            call.beat = self.beat(&call.session).await?.unwrap_or(call.beat);
        }
        self.store.reap(call).await
    }

    async fn take(&self, mut call: Take) -> StoreResult<TakeReply> {
        let again = !self.notes().tickets.insert(call.ticket.clone());
        if again && self.is(Bug::ForgetsTickets) {
            call.ticket = Ticket::random();
        }
        let mut reply = self.store.take(call.clone()).await?;
        match &mut reply {
            TakeReply::Idle { ready_at: Some(at) } if self.is(Bug::TakesEarly) => {
                call.now = *at;
                return self.store.take(call).await;
            }
            TakeReply::Started(started) if self.is(Bug::ResetsTries) => started.tries = 0,
            _ => {}
        }
        Ok(reply)
    }

    async fn finish(&self, mut call: Finish) -> StoreResult<FinishReply> {
        match (&mut call.answer, self.bug) {
            (Answer::Failed { hint, .. }, Bug::LosesHints) => *hint = None,
            (Answer::HandBack { wait }, Bug::CountsHandBacks) => {
                call.answer = Answer::Busy { wait: *wait };
            }
            _ => {}
        }
        let reply = self.store.finish(call.clone()).await?;
        match reply {
            FinishReply::Superseded if self.is(Bug::StoresForAnyStart) => {
                if let Some(start) = self.current(&call.start).await? {
                    return self.store.finish(Finish { start, ..call }).await;
                }
                Ok(reply)
            }
            FinishReply::Other { ended, .. } if self.is(Bug::AcceptsSecondOutcome) => {
                Ok(FinishReply::Stored {
                    ended,
                    terminal_bytes: 0,
                })
            }
            reply => Ok(reply),
        }
    }

    async fn turn(&self, call: Turn) -> StoreResult<TurnReply> {
        let finish = self.finish(call.finish).await?;
        let refused = !matches!(finish, FinishReply::Stored { .. });
        let take = if refused && self.is(Bug::StopsAfterRefusal) {
            TakeReply::Idle { ready_at: None }
        } else {
            self.take(call.take).await?
        };
        Ok(TurnReply { finish, take })
    }

    async fn cancel(&self, mut call: Cancel) -> StoreResult<CancelReply> {
        if self.is(Bug::ForgetsCancels) {
            call.request = RequestId::random();
        }
        let reply = self.store.cancel(call).await?;
        assert!(
            reply != CancelReply::NotFound || !self.is(Bug::Panics),
            "the planted panic"
        );
        Ok(reply)
    }

    async fn touch(&self, call: Touch) -> StoreResult<TouchReply> {
        let now = call.now;
        let reply = self.store.touch(call).await?;
        match reply {
            TouchReply::Touched { .. } if self.is(Bug::TouchesBack) => {
                Ok(TouchReply::Touched { lease: now })
            }
            reply => Ok(reply),
        }
    }

    async fn sweep(&self, mut call: Sweep) -> StoreResult<Swept> {
        let swept = self.store.sweep(call).await?;
        if swept == Swept::default() && self.is(Bug::SweepsEarly) {
            call.now = call.now.after(std::time::Duration::from_millis(1));
            return self.store.sweep(call).await;
        }
        Ok(swept)
    }

    async fn evict(&self, mut call: Evict) -> StoreResult<Evicted> {
        if self.is(Bug::EvictsTooMuch) {
            call.max_bytes = 0;
        }
        self.store.evict(call).await
    }

    async fn job(&self, call: JobQuery) -> StoreResult<JobReply> {
        let mut reply = self.store.job(call).await?;
        if let JobReply::Found(job) = &mut reply {
            self.hide(job);
        }
        Ok(reply)
    }

    async fn targets(&self, call: TargetQuery) -> StoreResult<TargetReply> {
        let mut reply = self.store.targets(call).await?;
        if let TargetReply::Page(page) = &mut reply
            && self.is(Bug::CutsPages)
        {
            page.next = None;
        }
        Ok(reply)
    }

    async fn list(&self, call: JobList) -> StoreResult<JobPage> {
        let mut page = self.store.list(call).await?;
        page.jobs.iter_mut().for_each(|job| self.hide(job));
        Ok(page)
    }

    async fn stats(&self, call: StatsQuery) -> StoreResult<Stats> {
        let mut stats = self.store.stats(call).await?;
        if self.is(Bug::MiscountsCallers) {
            stats.caller_live = stats.kind.live;
        }
        Ok(stats)
    }

    async fn kinds(&self, call: KindList) -> StoreResult<KindPage> {
        self.store.kinds(call).await
    }

    /// The data outlives the handle: only the handle would be closed.
    async fn close(&self) -> StoreResult<()> {
        Ok(())
    }
}
