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
use super::follow::Following;
use super::plan::Plan;
use super::prepare::{Fetcher, Request};
use super::trouble::trouble;
use super::{finish, keep};
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
    let mut signals = Signals::listen()
        .map_err(|error| Failure::new(Exit::Bug, format!("cannot listen to signals: {error}")))?;
    let progress = Arc::new(Notify::new());
    let config = config(request, &plan);
    let builder = match fetcher {
        Fetcher::Command(exec) => builder(reads, exec),
        Fetcher::Get(get) => builder(reads, get),
    };
    let starting = builder.config(config).hooks(hooks(&progress)).start();
    let runner = match until_signal(pin!(starting), &mut signals).await {
        Step::Ended(started) => started?,
        Step::Signalled => return Ok(Exit::Signalled),
    };
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
        // Jobs of one run belong together, which no store knows: `keep.rs` evicts.
        max_bytes: u64::MAX,
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

/// How far the printing came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Printed {
    /// All that there was.
    All,
    /// Less: its reader was too slow to wait for.
    Part,
}

impl Run<'_> {
    async fn supervise(&self, plan: Plan, mut signals: Signals) -> Result<Exit, Failure> {
        let beginning = begin(&self.runner, self.request, self.reads, plan, self.console);
        let begun = match until_signal(pin!(beginning), &mut signals).await {
            Step::Ended(begun) => begun.map(Some),
            Step::Signalled => {
                self.console
                    .say("stopped; give the same command again to go on");
                Ok(None)
            }
        };
        let Begun { family, reused } = match begun {
            Ok(Some(begun)) => begun,
            Ok(None) => return self.give_up(Ok(Exit::Signalled)).await,
            Err(failure) => return self.give_up(Err(failure)).await,
        };
        let counting = family.tally(self.reads);
        let counts = match until_signal(pin!(counting), &mut signals).await {
            Step::Ended(Ok(counts)) => counts,
            Step::Ended(Err(failure)) => return self.give_up(Err(failure)).await,
            Step::Signalled => return self.give_up(Ok(Exit::Signalled)).await,
        };
        let store = self.request.address.shown();
        finish::say_begun(&family, counts, reused, &store, self.console);
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
        let followed = self.follow(&mut following, &mut rows, &mut signals).await;
        self.console.hide_bar();
        let ending = self.end(&mut following, &rows, reused, followed);
        match until_signal(pin!(ending), &mut signals).await {
            Step::Ended(ended) => ended,
            Step::Signalled => Ok(Exit::Signalled),
        }
    }

    async fn give_up(&self, ended: Result<Exit, Failure>) -> Result<Exit, Failure> {
        self.runner.close(Some(CLOSE)).await;
        ended
    }

    /// Prints while the job runs; a signal, or a reader that went away, stops it.
    async fn follow(
        &self,
        following: &mut Following<'_>,
        rows: &mut Rows<'_>,
        signals: &mut Signals,
    ) -> Result<Printed, Failure> {
        let (id, stop) = (following.family.root.id.clone(), following.stop);
        let mut printing = pin!(following.print(rows, Format::of(self.request.json)));
        let unless_trouble = async {
            tokio::select! {
                biased;
                printed = printing.as_mut() => printed,
                failure = trouble(self.reads, &id) => Err(failure),
            }
        };
        match until_signal(pin!(unless_trouble), signals).await {
            Step::Ended(Err(failure)) if failure.exit == Exit::Unavailable => {
                self.runner.close(Some(CLOSE)).await;
                return Err(failure);
            }
            Step::Ended(printed) => {
                self.wind_down(signals).await;
                return printed.map(|()| Printed::All);
            }
            Step::Signalled => {}
        }
        self.console
            .say("stopping: what is in flight finishes; again to kill it");
        self.wind_down(signals).await;
        stop.cancel();
        match until_signal(printing, signals).await {
            Step::Ended(printed) => printed.map(|()| Printed::All),
            Step::Signalled => Ok(Printed::Part),
        }
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
        following: &mut Following<'_>,
        rows: &Rows<'_>,
        reused: bool,
        followed: Result<Printed, Failure>,
    ) -> Result<Exit, Failure> {
        let printed = match followed {
            Err(failure) if !failure.is_closed_pipe() => return Err(failure),
            Err(_) => None,
            Ok(printed) => Some(printed),
        };
        if printed != Some(Printed::All) {
            following.look().await?;
        }
        let family = &following.family;
        match printed {
            Some(Printed::All) if family.is_settled() => {
                let exit = finish::finish(family, rows, reused, self.console).await?;
                keep::let_go(self.request, self.reads, family, self.console).await;
                Ok(exit)
            }
            Some(_) => {
                let counts = family.tally(self.reads).await?;
                finish::stopped(family, counts, rows, reused, self.console).await
            }
            None => {
                let counts = family.tally(self.reads).await?;
                Ok(finish::quietly(family, counts))
            }
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
