//! Can two processes drain one job?
//!
//! Yes, up to its width: they share one rotation, and no target runs in both.
//! `cargo run -p examples --example two_processes`

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use batch_core::caller::{Caller, PlainCaller};
use batch_core::clock::{Clock, SystemClock};
use batch_core::config::Config;
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
    SystemClock::new().sleep(Duration::from_millis(20)).await; // some work
    println!("{} in process {}", target.url, std::process::id());
    Ok(())
}

/// Submits the same request as the other process, helps with its job, and waits for it.
async fn work(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let store = SqliteStore::open(path, Options::default()).await?;
    let config = Config {
        targets_per_job: 100,
        ..Config::default()
    };
    let runner = Runner::builder(Arc::new(store), say)
        .config(config)
        .start()
        .await?;
    let targets: Vec<_> = (1..=40)
        .map(|n| NewTarget::new(format!("target {n}")))
        .collect();
    let ann = Arc::new(PlainCaller::new("ann"));
    let request = Submission::new(ann, targets).mode(Mode::Resume).width(2);
    let submitted = runner.submit(request).await?;
    runner.wait(&submitted.id, None).await?;
    runner.close(None).await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(path) = std::env::args_os().nth(1) {
        return work(Path::new(&path)).await;
    }
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("jobs.db");
    let mut other = Command::new(std::env::current_exe()?).arg(&path).spawn()?;
    work(&path).await?;
    other.wait()?;
    Ok(())
}
