//! What happens when my service stops in the middle of a job?
//!
//! A job of mode `Resume` goes on in the next runner of its kind.
//! `cargo run -p examples --example resume`

use std::path::Path;
use std::sync::Arc;

use batch_core::caller::{Caller, PlainCaller};
use batch_core::fetch::{Attempt, CancelSignal};
use batch_core::runner::Runner;
use batch_core::store::call::NewTarget;
use batch_core::submission::{Mode, Submission};
use batch_core::target::RawTarget;
use batch_store_sqlite::{Options, SqliteStore};

async fn say(
    _attempt: Attempt,
    _signal: CancelSignal,
    _caller: Arc<dyn Caller>,
    target: RawTarget,
) -> Result<(), std::io::Error> {
    println!("{}", target.url);
    Ok(())
}

async fn open(path: &Path) -> Result<Runner, Box<dyn std::error::Error>> {
    let store = SqliteStore::open(path, Options::default()).await?;
    Ok(Runner::builder(Arc::new(store), say).start().await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("jobs.db");
    let targets = (1..=8)
        .map(|n| NewTarget::new(format!("target {n}")))
        .collect::<Vec<_>>();

    let first = open(&path).await?;
    let ann = Arc::new(PlainCaller::new("ann"));
    let request = Submission::new(ann, targets).mode(Mode::Resume);
    let submitted = first.submit(request).await?;
    first.close(None).await;
    println!("closed: {:?}", first.status(&submitted.id).await?.counts);

    let second = open(&path).await?;
    let job = second.wait(&submitted.id, None).await?;
    println!("{}: {} done", job.status, job.counts.done);
    second.close(None).await;
    Ok(())
}
