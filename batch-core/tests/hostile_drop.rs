//! A try that is given up, and whose drop panics again and again, ends no thread (R3.1).

use std::panic::panic_any;
use std::sync::Arc;
use std::time::Duration;

use batch_core::caller::{Caller, PlainCaller};
use batch_core::config::Config;
use batch_core::fetch::{Attempt, CancelSignal};
use batch_core::memory::MemoryStore;
use batch_core::runner::Runner;
use batch_core::store::call::NewTarget;
use batch_core::submission::Submission;
use batch_core::target::RawTarget;

/// Its drop panics, with a value whose drop panics, and so on.
struct Matryoshka(u32);

impl Drop for Matryoshka {
    fn drop(&mut self) {
        if self.0 > 0 && !std::thread::panicking() {
            panic_any(Self(self.0 - 1));
        }
    }
}

async fn fetch(
    _: Attempt,
    _: CancelSignal,
    _: Arc<dyn Caller>,
    target: RawTarget,
) -> Result<String, std::io::Error> {
    if target.url == "hangs" {
        let _held = Matryoshka(8);
        std::future::pending::<()>().await;
    }
    Ok(target.url)
}

/// R3.1, R3.5: the only thread of the runtime goes on to the next target.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_try_that_panics_while_it_is_dropped_ends_no_thread() {
    let config = Config {
        target_timeout: Some(Duration::from_millis(1)),
        ..Config::default()
    };
    let builder = Runner::builder(Arc::new(MemoryStore::new()), fetch).config(config);
    let runner = builder.start().await.unwrap();
    let targets = vec![NewTarget::new("hangs"), NewTarget::new("goes on")];
    let caller = Arc::new(PlainCaller::new("ann"));

    let id = runner
        .submit(Submission::new(caller, targets))
        .await
        .unwrap()
        .id;
    let job = runner.wait(&id, None).await.unwrap();

    assert_eq!((job.counts.failed, job.counts.done), (1, 1));
}
