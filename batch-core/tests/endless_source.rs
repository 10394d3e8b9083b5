//! A source that never ends holds up its own submit only (R8.1).

use std::sync::Arc;

use async_trait::async_trait;
use batch_core::caller::{BoxError, Caller, PlainCaller};
use batch_core::fetch::{Attempt, CancelSignal};
use batch_core::memory::MemoryStore;
use batch_core::runner::Runner;
use batch_core::source::{Source, SourceReader};
use batch_core::store::call::NewTarget;
use batch_core::submission::Submission;
use batch_core::target::RawTarget;

async fn fetch(
    _: Attempt,
    _: CancelSignal,
    _: Arc<dyn Caller>,
    target: RawTarget,
) -> Result<String, std::io::Error> {
    Ok(target.url)
}

/// Always has one more target, at once.
struct Endless;

#[async_trait]
impl Source for Endless {
    async fn open(&self) -> Result<Box<dyn SourceReader + '_>, BoxError> {
        Ok(Box::new(Self))
    }
}

#[async_trait]
impl SourceReader for Endless {
    async fn next(&mut self) -> Result<Vec<NewTarget>, BoxError> {
        Ok(vec![NewTarget::new("one more")])
    }
}

/// R8.1: on one thread, so that it would starve everything else.
#[tokio::test(flavor = "current_thread")]
async fn work_goes_on_beside_a_source_that_never_ends() {
    let store = Arc::new(MemoryStore::new());
    let runner = Runner::builder(store, fetch).start().await.unwrap();
    let endless = Submission::new(Arc::new(PlainCaller::new("endless")), Endless);
    let mut endless = std::pin::pin!(runner.submit(endless));
    let short = async {
        let targets = vec![NewTarget::new("a")];
        let short = Submission::new(Arc::new(PlainCaller::new("short")), targets);
        let id = runner.submit(short).await.unwrap().id;
        runner.wait(&id, None).await.unwrap()
    };

    let ended = tokio::select! {
        biased;
        _ = &mut endless => None,
        job = short => Some(job),
    };

    assert_eq!(ended.unwrap().counts.done, 1);
}
