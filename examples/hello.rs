//! How do I run a list of targets inside my service?
//!
//! `cargo run -p examples --example hello`

use std::sync::Arc;

use batch_core::caller::{Caller, PlainCaller};
use batch_core::fetch::{Attempt, CancelSignal};
use batch_core::memory::MemoryStore;
use batch_core::runner::{Event, Runner};
use batch_core::store::call::NewTarget;
use batch_core::submission::Submission;
use batch_core::target::RawTarget;

async fn count_letters(
    _attempt: Attempt,
    _signal: CancelSignal,
    _caller: Arc<dyn Caller>,
    target: RawTarget,
) -> Result<usize, std::io::Error> {
    Ok(target.url.len())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runner = Runner::builder(Arc::new(MemoryStore::new()), count_letters)
        .start()
        .await?;
    let targets = ["one", "three", "eleven"].map(NewTarget::new).to_vec();

    let ann = Arc::new(PlainCaller::new("ann"));
    let submitted = runner.submit(Submission::new(ann, targets)).await?;

    let mut events = runner.watch(&submitted.id, 0);
    while let Some(event) = events.next().await? {
        match event {
            Event::Started { .. } => println!("started"),
            Event::Stored(target) => match target.result::<usize>() {
                Some(letters) => println!("{}: {} letters", target.url, letters?),
                None => println!("{}: failed", target.url),
            },
            Event::Ended(job) => println!("{}", job.status),
        }
    }
    runner.close(None).await;
    Ok(())
}
