//! A runner with everything that a rule holds in hand: script, hooks, watched store.
//!
//! Settings are small, so that nothing waits long; only rules about death let a
//! runner believe in it soon, since a busy machine may stop any runner for a while.

use std::sync::Arc;
use std::time::Duration;

use batch_core::caller::{Caller, Callers, PlainCaller, PlainCallers};
use batch_core::clock::{Clock, SystemClock};
use batch_core::config::Config;
use batch_core::error::Error;
use batch_core::fetch::Fetch;
use batch_core::hooks::Hooks;
use batch_core::id::JobId;
use batch_core::runner::{CloseReport, Runner};
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::call::NewTarget;
use batch_core::store::view::{Job, Outcome, Target};
use batch_core::submission::{Submission, Submitted};
use batch_core::time::Timestamp;

use super::heard::Heard;
use crate::breach::{Failure, Verdict, holds, same};
use crate::case::Case;
use crate::markers::Markers;
use crate::script::{SOON, Script};
use crate::spy::SpyStore;

/// A runner in the making.
pub(super) struct Recipe {
    store: Arc<dyn Store>,
    config: Config,
    hooks: Option<Hooks>,
    clock: Arc<dyn Clock>,
    callers: Arc<dyn Callers>,
    markers: Markers,
}

/// A runner on the case's store.
pub(super) fn crew(case: &Case<'_>) -> Recipe {
    Recipe {
        store: case.store().clone(),
        config: Config {
            targets_per_job: 1_000_000,
            jobs_per_caller: 1_000,
            jobs_total: 1_000,
            worker_ceiling: 16,
            retry_wait: Duration::from_millis(1),
            store_retry_for: Duration::from_secs(8),
            beat: Duration::from_millis(20),
            missed_beats: 1_000,
            poll: Duration::from_millis(5),
            ..Config::default()
        },
        hooks: None,
        clock: Arc::new(SystemClock::new()),
        callers: Arc::new(PlainCallers),
        markers: case.markers().clone(),
    }
}

impl Recipe {
    /// On this store.
    pub(super) fn on(mut self, store: Arc<dyn Store>) -> Self {
        self.store = store;
        self
    }

    /// With so many workers.
    pub(super) fn workers(self, workers: usize) -> Self {
        self.with(|config| config.workers = workers)
    }

    /// With other settings.
    pub(super) fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// Believing others dead after three of their beats.
    pub(super) fn impatient(self) -> Self {
        self.with(|config| config.missed_beats = 3)
    }

    /// With hooks of the rule's own.
    pub(super) fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = Some(hooks);
        self
    }

    /// With this clock.
    pub(super) fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Rebuilding callers in this way.
    pub(super) fn callers(mut self, callers: impl Callers) -> Self {
        self.callers = Arc::new(callers);
        self
    }

    /// Starts it with a script.
    pub(super) async fn start(self) -> Verdict<Crew> {
        let script = Script::new(&self.markers);
        let fetch = script.fetch();
        self.go(script, fetch).await
    }

    /// Starts it with a fetch of the rule's own; its script stays silent.
    pub(super) async fn run(self, fetch: impl Fetch) -> Verdict<Crew> {
        let script = Script::new(&self.markers);
        self.go(script, fetch).await
    }

    async fn go(self, script: Script, fetch: impl Fetch) -> Verdict<Crew> {
        let heard = Heard::default();
        let spy = Arc::new(SpyStore::new(self.store));
        let callers = self.callers;
        let runner = Runner::builder(spy.clone(), fetch)
            .config(self.config)
            .hooks(self.hooks.unwrap_or_else(|| heard.hooks()))
            .clock(self.clock)
            .callers(Rebuild(callers))
            .start()
            .await?;
        Ok(Crew {
            runner,
            script,
            heard,
            spy,
            markers: self.markers,
        })
    }
}

/// Passes a shared rebuilder on.
struct Rebuild(Arc<dyn Callers>);

#[async_trait::async_trait]
impl Callers for Rebuild {
    async fn rebuild(
        &self,
        name: &str,
        class: &str,
    ) -> Result<Option<Arc<dyn Caller>>, batch_core::caller::BoxError> {
        self.0.rebuild(name, class).await
    }
}

/// A runner at work.
pub(super) struct Crew {
    pub(super) runner: Runner,
    pub(super) script: Script,
    pub(super) heard: Heard,
    pub(super) spy: Arc<SpyStore>,
    markers: Markers,
}

impl Crew {
    /// A request for a job of the targets `a1`, `a2` … for `name` = `a`.
    pub(super) fn job(&self, name: &str, targets: u64) -> Submission {
        Submission::new(self.caller("caller"), list(&self.markers, name, targets))
    }

    /// The same of another caller.
    pub(super) fn job_of(&self, caller: &str, name: &str, targets: u64) -> Submission {
        Submission::new(self.caller(caller), list(&self.markers, name, targets))
    }

    /// A caller whose name is a marker.
    pub(super) fn caller(&self, name: &str) -> Arc<dyn Caller> {
        let class = self.markers.text("class");
        Arc::new(PlainCaller::new(self.markers.text(name)).with_class(class))
    }

    /// Submits what must make a job.
    pub(super) async fn make(&self, submission: Submission) -> Verdict<JobId> {
        let submitted = self.runner.submit(submission).await?;
        same(submitted.reused, false)?;
        Ok(submitted.id)
    }

    /// Submits a job of so many targets.
    pub(super) async fn submit(&self, name: &str, targets: u64) -> Verdict<JobId> {
        self.make(self.job(name, targets)).await
    }

    /// What a submit answers.
    pub(super) async fn try_submit(&self, submission: Submission) -> Result<Submitted, Error> {
        self.runner.submit(submission).await
    }

    /// Waits until the job has ended, which must be soon.
    pub(super) async fn ended(&self, id: &JobId) -> Verdict<Job> {
        let job = self.runner.wait(id, Some(SOON)).await?;
        holds(job.status.is_terminal(), "the job ends")?;
        Ok(job)
    }

    /// Waits until the job has ended, which must be in this way.
    pub(super) async fn ends(&self, id: &JobId, status: JobStatus) -> Verdict<Job> {
        let job = self.ended(id).await?;
        same(job.status, status)?;
        Ok(job)
    }

    /// Acts, and waits until a turn more was answered.
    pub(super) async fn turn(&self, act: impl FnOnce()) -> Verdict {
        let turns = self.spy.calls("turn");
        act();
        self.spy.reached("turn", turns + 1).await
    }

    /// Closes the last runner of a case, and recounts what is left.
    pub(super) async fn close(self, case: &mut Case<'_>) -> Verdict<Heard> {
        let heard = self.stop().await?;
        case.recount().await?;
        Ok(heard)
    }

    /// Closes a runner, which must leave nothing behind; unanswered tries are let go.
    pub(super) async fn stop(self) -> Verdict<Heard> {
        let Self {
            runner,
            script,
            heard,
            ..
        } = self;
        let mut close = std::pin::pin!(runner.close(Some(SOON)));
        let report = tokio::select! {
            biased;
            report = &mut close => report,
            () = std::future::ready(()) => {
                drop(script);
                close.await
            }
        };
        same(report, clean())?;
        same(heard.depths().last().copied().unwrap_or(0), 0)?;
        same(heard.inflights().last().copied().unwrap_or(0), 0)?;
        Ok(heard)
    }
}

/// Store time, for a store without a clock of its own.
pub(super) fn now() -> Timestamp {
    SystemClock::new().now()
}

/// The report of a close that left nothing behind.
pub(super) fn clean() -> CloseReport {
    CloseReport {
        unfinished: Vec::new(),
        gave_back: true,
    }
}

/// The targets `a1`, `a2` … for `name` = `a`, with markers everywhere.
pub(super) fn list(markers: &Markers, name: &str, targets: u64) -> Vec<NewTarget> {
    let marked = |number| {
        let url = format!("https://{}.example/{name}{number}", markers.text("url"));
        let options = format!(r#"{{"{}":{number}}}"#, markers.text("option"));
        NewTarget::new(url).with_options(options)
    };
    (1..=targets).map(marked).collect()
}

/// Status and outcome of every target, without markers: `done ok`, `failed no`, `pending`.
pub(super) async fn outcomes(case: &Case<'_>, id: &JobId) -> Verdict<Vec<String>> {
    let targets = case.all_targets(id.as_str()).await?;
    let sign = case.markers().text("");
    let line = |target: &Target| shown(target).replace(&sign, "");
    Ok(targets.iter().map(line).collect())
}

fn shown(target: &Target) -> String {
    let status = target.status.as_str();
    match &target.outcome {
        None => status.to_owned(),
        Some(Outcome::Done { result }) => format!("{status} {}", result.trim_matches('"')),
        Some(Outcome::Failed { error, hint: None }) => format!("{status} {error}"),
        Some(Outcome::Failed {
            error,
            hint: Some(hint),
        }) => format!("{status} {error} ({hint})"),
    }
}

impl From<Error> for Failure {
    #[track_caller]
    fn from(error: Error) -> Self {
        Self::broken("an answer", format!("the error {error}"))
    }
}
