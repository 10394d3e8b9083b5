//! The `batchq` command: runs a list of targets and resumes where it stopped.
//!
//! `docs/cli.md` is its reference.

mod args;
mod commands;
mod exit;
mod fetch;
mod identity;
mod joblog;
mod list;
mod open;
mod output;
mod reads;
mod signals;
mod value;
mod view;

use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use args::{Args, Common};
use exit::{Exit, Failure};
use output::{Console, LogWriter};

/// How long threads that are blocked may hold the end up.
const SHUTDOWN: Duration = Duration::from_millis(100);

/// The crates whose log lines `-v` shows.
const OWN_CRATES: [&str; 5] = [
    "batchq",
    "batch_core",
    "batch_store_redis",
    "batch_store_sled",
    "batch_store_sqlite",
];

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // A closed pipe is no reason to complain.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Done
            }
            .into();
        }
    };
    let console = Arc::new(Console::new(args.command.common().quiet));
    log(args.command.common(), &console);
    report_bugs(&console);
    let ended = panic::catch_unwind(AssertUnwindSafe(|| run(args, console.clone())));
    match ended {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(failure)) => {
            if let Some(message) = failure.message {
                console.complain(message);
            }
            failure.exit.into()
        }
        Err(_) => Exit::Bug.into(),
    }
}

fn run(args: Args, console: Arc<Console>) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime
        .map_err(|error| Failure::new(Exit::Unavailable, format!("cannot start: {error}")))?;
    let ended = runtime.block_on(commands::run(args.command, console));
    runtime.shutdown_timeout(SHUTDOWN);
    ended
}

/// Warnings by default, more with `-v`; `RUST_LOG` says it in detail.
///
/// Only our own crates are asked: what a library logs may name a target's host.
fn log(common: &Common, console: &Arc<Console>) {
    let level = match (common.quiet, common.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, 2) => "debug",
        (false, _) => "trace",
    };
    let ours = OWN_CRATES.map(|name| format!("{name}={level}")).join(",");
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(ours));
    let writer = LogWriter(console.clone());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
}

/// A panic is told in one line that says where; its value could hold anything.
fn report_bugs(console: &Arc<Console>) {
    let console = console.clone();
    panic::set_hook(Box::new(move |panic| {
        let place = panic
            .location()
            .map(ToString::to_string)
            .unwrap_or_default();
        console.complain(format!("a bug at {place}: please report it"));
    }));
}
