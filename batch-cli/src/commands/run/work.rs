//! Runs the job: the runner, the printing beside it, and the signals that stop both.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use batch_core::config::Config;
use batch_core::fetch::Fetch;
use batch_core::hooks::Hooks;
use batch_core::runner::{Runner, RunnerBuilder};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::begin::{Begun, begin};
use super::finish;
use super::follow::Following;
use super::plan::Plan;
use super::prepare::{Fetcher, Request};
use crate::exit::{Exit, Failure};
use crate::output::Console;
use crate::output::rows::{Format, Rows};
use crate::reads::Reads;
use crate::signals::Signals;

/// How long a run waits for the store when all else is done or given up.
const CLOSE: Duration = Duration::from_secs(5);
const TARGETS: u64 = 10_000_000;
const JOBS: u64 = 10_000;
const TTL: Duration = Duration::from_hours(30 * 24);
const MAX_LOSSES: u32 = 10;

/// What one run works with.
struct Run<'a> {
    request: &'a Request,
    runner: Runner,
    reads: &'a Reads,
    progress: Arc<Notify>,
    console: &'a Arc<Console>,
}

/// Runs the job to its end, or until a signal.
pub(super) async fn work(
    request: &Request,
    fetcher: Fetcher,
    reads: &Reads,
    plan: Plan,
    console: &Arc<Console>,
) -> Result<Exit, Failure> {
    let signals = Signals::listen()
        .map_err(|error| Failure::new(Exit::Bug, format!("cannot listen to signals: {error}")))?;
    let progress = Arc::new(Notify::new());
    let config = config(request, &plan);
    let builder = match fetcher {
        Fetcher::Command(exec) => builder(reads, exec),
        Fetcher::Get(get) => builder(reads, get),
    };
    let runner = builder
        .config(config)
        .hooks(hooks(&progress))
        .start()
        .await?;
    let run = Run {
        request,
        runner,
        reads,
        progress,
        console,
    };
    let ended = run.supervise(plan, signals).await;
    console.hide_bar();
    ended
}

fn builder(reads: &Reads, fetch: impl Fetch) -> RunnerBuilder {
    Runner::builder(reads.store().clone(), fetch)
}

/// A finished target wakes the printing.
fn hooks(progress: &Arc<Notify>) -> Hooks {
    let (target, job) = (progress.clone(), progress.clone());
    Hooks {
        target: Some(Arc::new(move |_, _, _| target.notify_one())),
        job: Some(Arc::new(move |_| job.notify_one())),
        ..Hooks::default()
    }
}

fn config(request: &Request, plan: &Plan) -> Config {
    let settings = &request.settings;
    let kept = match plan {
        Plan::Help(family) => family.jobs().next_back().map(|job| job.width),
        _ => None,
    };
    let jobs = settings.jobs.or(kept).unwrap_or(1);
    let workers = usize::try_from(jobs).unwrap_or(1);
    let host = rustix::system::uname();
    Config {
        kind: request.kind.clone(),
        ttl: TTL,
        targets_per_job: TARGETS,
        jobs_per_caller: JOBS,
        jobs_total: JOBS,
        workers,
        worker_ceiling: workers,
        max_width: jobs,
        max_bytes: settings.max_bytes.unwrap_or(u64::MAX),
        max_result_bytes: u64::MAX,
        retry_wait: settings.retry_wait,
        retry_for: settings.retry_for,
        target_timeout: settings.timeout,
        max_losses: MAX_LOSSES,
        host: host.nodename().to_string_lossy().into_owned(),
        ..Config::default()
    }
}

/// What a supervised run came to.
enum Step<T> {
    Ended(T),
    Signalled,
}

impl Run<'_> {
    async fn supervise(&self, plan: Plan, mut signals: Signals) -> Result<Exit, Failure> {
        let beginning = begin(&self.runner, self.request, self.reads, plan, self.console);
        let begun = match until_signal(pin!(beginning), &mut signals).await {
            Step::Ended(begun) => begun,
            Step::Signalled => {
                self.runner.close(Some(CLOSE)).await;
                return Ok(Exit::Signalled);
            }
        };
        let Begun { family, reused } = match begun {
            Ok(begun) => begun,
            Err(failure) => {
                self.runner.close(Some(CLOSE)).await;
                return Err(failure);
            }
        };
        finish::say_begun(&family, reused, &self.request.address.shown(), self.console);
        let stop = CancellationToken::new();
        let mut following = Following {
            reads: self.reads,
            family,
            progress: &self.progress,
            stop: &stop,
            console: self.console,
        };
        let id = following.family.root.id.clone();
        let mut rows = Rows::new(self.console, Format::of(self.request.json), id.as_str());
        let followed = self
            .follow(&mut following, &mut rows, &stop, &mut signals)
            .await;
        self.console.hide_bar();
        let ending = self.end(&following, &rows, reused, followed);
        match until_signal(pin!(ending), &mut signals).await {
            Step::Ended(ended) => ended,
            Step::Signalled => Ok(Exit::Signalled),
        }
    }

    /// Prints while the job runs; a signal, or a reader that went away, stops it.
    async fn follow(
        &self,
        following: &mut Following<'_>,
        rows: &mut Rows<'_>,
        stop: &CancellationToken,
        signals: &mut Signals,
    ) -> Result<(), Failure> {
        let printed = {
            let mut printing = pin!(following.print(rows, Format::of(self.request.json)));
            match until_signal(printing.as_mut(), signals).await {
                Step::Ended(printed) => printed,
                Step::Signalled => {
                    self.console
                        .say("stopping: what is in flight finishes; again to kill it");
                    self.wind_down(signals).await;
                    stop.cancel();
                    return match until_signal(printing, signals).await {
                        Step::Ended(printed) => printed,
                        Step::Signalled => Ok(()),
                    };
                }
            }
        };
        self.wind_down(signals).await;
        printed
    }

    /// Closes the runner; one more signal kills what is in flight.
    async fn wind_down(&self, signals: &mut Signals) {
        let closing = self.runner.close(None);
        if let Step::Signalled = until_signal(pin!(closing), signals).await {
            self.request.kill.cancel();
            self.runner.close(Some(CLOSE)).await;
        }
    }

    async fn end(
        &self,
        following: &Following<'_>,
        rows: &Rows<'_>,
        reused: bool,
        followed: Result<(), Failure>,
    ) -> Result<Exit, Failure> {
        let family = &following.family;
        match followed {
            Ok(()) if family.is_settled() => {
                finish::finish(family, rows, reused, self.console).await
            }
            Ok(()) => finish::stopped(family, rows, reused, self.console).await,
            Err(failure) if failure.is_closed_pipe() => Ok(if family.is_settled() {
                Exit::Done
            } else {
                Exit::Signalled
            }),
            Err(failure) => Err(failure),
        }
    }
}

async fn until_signal<F: Future>(
    mut work: std::pin::Pin<&mut F>,
    signals: &mut Signals,
) -> Step<F::Output> {
    tokio::select! {
        biased;
        ended = work.as_mut() => Step::Ended(ended),
        () = signals.next() => Step::Signalled,
    }
}
