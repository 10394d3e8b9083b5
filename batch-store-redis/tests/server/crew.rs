//! Runners for the tests: quick to renew, slow to believe in a death unless told otherwise.

use std::sync::Arc;
use std::time::Duration;

use batch_core::caller::{BoxError, Caller, PlainCaller};
use batch_core::config::Config;
use batch_core::fetch::{Attempt, CancelSignal, Fetch, Json};
use batch_core::id::JobId;
use batch_core::runner::Runner;
use batch_core::store::Store;
use batch_core::store::call::NewTarget;
use batch_core::store::view::Job;
use batch_core::submission::{Mode, Submission, Submitted};
use batch_core::target::RawTarget;
use batch_testkit::async_trait;
use tokio::sync::watch;

/// Settings without caps that matter.
pub(crate) fn config() -> Config {
    Config {
        targets_per_job: 1_000,
        jobs_per_caller: 1_000,
        jobs_total: 1_000,
        workers: 2,
        beat: Duration::from_millis(50),
        missed_beats: 1_000,
        retry_wait: Duration::from_millis(1),
        ..Config::default()
    }
}

pub(crate) async fn runner(store: Arc<dyn Store>, fetch: impl Fetch) -> Runner {
    with(store, fetch, config()).await
}

pub(crate) async fn with(store: Arc<dyn Store>, fetch: impl Fetch, config: Config) -> Runner {
    let builder = Runner::builder(store, fetch).config(config);
    builder.start().await.unwrap()
}

/// Answers every target with its url, and counts the tries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tries(Arc<watch::Sender<u64>>);

impl Tries {
    /// Waits until so many tries have begun.
    pub(crate) async fn reached(&self, tries: u64) {
        let mut begun = self.0.subscribe();
        begun.wait_for(|begun| *begun >= tries).await.unwrap();
    }
}

#[async_trait]
impl Fetch for Tries {
    async fn fetch(
        &self,
        _: Attempt,
        _: CancelSignal,
        _: Arc<dyn Caller>,
        target: RawTarget,
    ) -> Result<Json, BoxError> {
        self.0.send_modify(|begun| *begun += 1);
        Ok(Json::of(&target.url)?)
    }
}

/// A job that any runner may go on with; its targets are `name/0`, `name/1` …
pub(crate) fn request(name: &str, targets: u64) -> Submission {
    let targets: Vec<_> = (0..targets)
        .map(|index| NewTarget::new(format!("{name}/{index}")))
        .collect();
    Submission::new(Arc::new(PlainCaller::new("ann")), targets).mode(Mode::Resume)
}

pub(crate) async fn submit(runner: &Runner, name: &str, targets: u64) -> JobId {
    let Submitted { id, .. } = runner.submit(request(name, targets)).await.unwrap();
    id
}

/// The job once it has ended; after a minute, which nothing here needs, as it then stands.
pub(crate) async fn ended(runner: &Runner, id: &JobId) -> Job {
    let patience = Some(Duration::from_mins(1));
    runner.wait(id, patience).await.unwrap()
}
