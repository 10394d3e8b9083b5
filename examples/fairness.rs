//! Does a long job hold up a short one?
//!
//! No: live jobs take turns, one target each.
//! `cargo run -p examples --example fairness`

use std::sync::Arc;

use batch_core::caller::{Caller, PlainCaller};
use batch_core::fetch::{Attempt, CancelSignal};
use batch_core::memory::MemoryStore;
use batch_core::runner::Runner;
use batch_core::store::call::NewTarget;
use batch_core::submission::Submission;
use batch_core::target::RawTarget;

async fn say(
    _attempt: Attempt,
    _signal: CancelSignal,
    caller: Arc<dyn Caller>,
    target: RawTarget,
) -> Result<(), std::io::Error> {
    println!("{} of {}", target.url, caller.name());
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runner = Runner::builder(Arc::new(MemoryStore::new()), say)
        .start()
        .await?;
    let mut jobs = Vec::new();
    for (name, count) in [("ann", 6), ("bob", 2)] {
        let targets = (1..=count)
            .map(|n| NewTarget::new(format!("target {n}")))
            .collect::<Vec<_>>();
        let caller = Arc::new(PlainCaller::new(name));
        jobs.push(runner.submit(Submission::new(caller, targets)).await?);
    }
    for job in &jobs {
        runner.wait(&job.id, None).await?;
    }
    runner.close(None).await;
    Ok(())
}
