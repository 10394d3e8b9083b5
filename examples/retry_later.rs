//! What happens to a target that is only busy?
//!
//! Its job waits, other jobs go on, and it is tried again.
//! `cargo run -p examples --example retry_later`

use std::sync::Arc;
use std::time::Duration;

use batch_core::caller::{BoxError, Caller, PlainCaller};
use batch_core::config::Config;
use batch_core::fetch::{Attempt, CancelSignal, RetryLater};
use batch_core::memory::MemoryStore;
use batch_core::runner::Runner;
use batch_core::store::call::NewTarget;
use batch_core::submission::Submission;
use batch_core::target::RawTarget;

async fn busy_twice(
    attempt: Attempt,
    _signal: CancelSignal,
    _caller: Arc<dyn Caller>,
    _target: RawTarget,
) -> Result<String, BoxError> {
    if attempt.tries < 3 {
        println!("try {}: busy", attempt.tries);
        return Err(RetryLater::new()
            .after(Duration::from_millis(20))
            .because("too many requests")
            .into());
    }
    Ok(format!("answered at try {}", attempt.tries))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = Config {
        retry_wait: Duration::from_millis(10),
        ..Config::default()
    };
    let store = Arc::new(MemoryStore::new());
    let runner = Runner::builder(store, busy_twice)
        .config(config)
        .start()
        .await?;

    let ann = Arc::new(PlainCaller::new("ann"));
    let submitted = runner
        .submit(Submission::new(ann, vec![NewTarget::new("a page")]))
        .await?;
    let job = runner.wait(&submitted.id, None).await?;

    println!("{}", job.status);
    runner.close(None).await;
    Ok(())
}
