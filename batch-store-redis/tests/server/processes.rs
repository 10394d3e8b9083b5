//! R2, R9 with real runners in processes of their own: killed, stopped, idle, with wrong clocks.
//!
//! What a child does stands beside the test that it belongs to; `child.rs` starts it.

use std::sync::Arc;
use std::time::Duration;

use batch_core::caller::{BoxError, Caller};
use batch_core::config::Config;
use batch_core::error::Error;
use batch_core::fetch::{Attempt, CancelSignal};
use batch_core::id::JobId;
use batch_core::runner::Runner;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::view::Outcome;
use batch_core::target::RawTarget;
use batch_core::time::Timestamp;
use batch_testkit::redis_server::{Fsync, RedisServer, RedisSettings};
use batch_testkit::script::Script;
use batch_testkit::spy::SpyStore;
use batch_testkit::{Markers, Recount};

use crate::child::{Talk, say, told};
use crate::place::opened;
use crate::{calls, crew};

const PREFIX: &str = "shared";

/// Jobs of each of two processes, and targets of each job.
const JOBS: usize = 100;
const TARGETS: usize = 5;

/// Live jobs that are allowed at once.
const CAP: u64 = 20;

async fn store(url: &str) -> Arc<dyn Store> {
    Arc::new(opened(url, PREFIX).await.unwrap())
}

/// Settings under which a death is noticed soon.
fn watchful() -> Config {
    Config {
        beat: Duration::from_millis(200),
        missed_beats: 5,
        jobs_total: CAP,
        jobs_per_caller: CAP,
        workers: 4,
        worker_ceiling: 4,
        ..crew::config()
    }
}

/// Says which target it answers.
async fn saying(
    attempt: Attempt,
    _: CancelSignal,
    _: Arc<dyn Caller>,
    target: RawTarget,
) -> Result<String, BoxError> {
    say(&format!("ran {}", attempt.index));
    Ok(target.url)
}

/// Submits its hundred jobs as the caps allow, and works until all of them have ended.
///
/// The first line of the parent names the jobs: a second process of that name gets the
/// same ones.
pub(crate) async fn run(url: &str) {
    let runner = crew::with(store(url).await, saying, watchful()).await;
    let name = told().await.unwrap();
    let mut ids = Vec::new();
    let mut ended = 0;
    while ids.len() < JOBS {
        let request = crew::request(&format!("{name}-{}", ids.len()), TARGETS as u64);
        match runner.submit(request).await {
            Ok(submitted) => ids.push(submitted.id),
            Err(Error::Busy | Error::CallerBusy) => {
                ended += await_one(&runner, ids.get(ended)).await;
            }
            Err(error) => panic!("not submitted: {error}"),
        }
    }
    for id in &ids {
        runner.wait(id, None).await.unwrap();
    }
    say("all ended");
    while told().await.is_some() {}
    runner.close(None).await;
}

/// Waits for the oldest of its own jobs; when there is none, the others have all places.
async fn await_one(runner: &Runner, oldest: Option<&JobId>) -> usize {
    let Some(oldest) = oldest else {
        tokio::task::yield_now().await;
        return 0;
    };
    runner.wait(oldest, None).await.unwrap();
    1
}

/// The most jobs that are live while a process runs a hundred targets.
async fn most_live(store: &dyn Store, running: &Talk) -> u64 {
    let mut most = 0;
    for _ in 0..100 {
        running.hear("ran ");
        most = most.max(calls::stats(store).await.live);
    }
    most
}

/// Every job is done with one outcome a target, and all counts equal the recount.
async fn all_done(store: &dyn Store) {
    Recount::default().check(store).await.unwrap();
    let stats = calls::stats(store).await;
    let counters = stats.counters;
    assert_eq!((stats.live, counters.jobs_submitted), (0, 200));
    assert_eq!((counters.jobs_done, counters.targets_done), (200, 1_000));
    assert_eq!(counters.targets_failed, 0);
}

/// R1.6, R9.4, R9.5 a runner is killed in mid-run: the other one and a new one end every job.
#[tokio::test]
async fn two_processes_end_every_job_though_one_is_killed() {
    let server = RedisServer::start().unwrap();
    let store = store(&server.url()).await;
    let mut first = Talk::with("run", &server.url());
    let mut second = Talk::with("run", &server.url());
    first.tell("first");
    second.tell("second");

    let most = most_live(&*store, &first).await;
    first.kill();
    let mut third = Talk::with("run", &server.url());
    third.tell("first");
    third.hear("all ended");
    second.hear("all ended");

    third.end();
    second.end();
    assert!(most <= CAP, "{most} live");
    all_done(&*store).await;
    assert!(calls::stats(&*store).await.counters.sessions_reaped >= 3);
}

/// Holds a target until it is told to go on, and says what it did.
pub(crate) async fn hold(url: &str) {
    let config = Config {
        workers: 1,
        ..watchful()
    };
    let runner = crew::with(store(url).await, holding, config).await;
    let first = crew::submit(&runner, "first", 1).await;
    runner.wait(&first, None).await.unwrap();
    // Its only worker takes this one after it was told what became of its late outcome.
    let second = crew::submit(&runner, "second", 1).await;
    runner.wait(&second, None).await.unwrap();
    say(&format!("superseded {}", runner.tally().superseded));
    runner.close(None).await;
}

async fn holding(
    _: Attempt,
    _: CancelSignal,
    _: Arc<dyn Caller>,
    target: RawTarget,
) -> Result<String, BoxError> {
    say(&format!("holds {}", target.url));
    told().await;
    Ok("held".to_owned())
}

/// R9.1, R9.3 a stopped process is taken for dead; its late outcome is refused, and it goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_process_is_refused_and_goes_on() {
    let server = RedisServer::start().unwrap();
    let store = store(&server.url()).await;
    let mut stopped = Talk::with("hold", &server.url());
    stopped.hear("holds first/0");

    stopped.signal("STOP");
    let mut script = Script::new(&Markers::plant().unwrap());
    let runner = crew::with(Arc::clone(&store), script.fetch(), watchful()).await;
    script.expect("0").await.unwrap().done("1");
    let first = calls::jobs(&*store).await.remove(0).id;
    crew::ended(&runner, &first).await;
    runner.close(None).await;
    stopped.signal("CONT");
    stopped.tell("go");
    stopped.hear("holds second/0");
    stopped.tell("go");

    assert_eq!(stopped.hear_number("superseded "), 1);
    stopped.end();
    let kept = calls::first_target(&*store, &first).await;
    let held = Outcome::Done {
        result: "\"held\"".to_owned(),
    };
    assert_eq!(kept.fence, 2);
    assert_ne!(kept.outcome, Some(held));
    let counters = calls::stats(&*store).await.counters;
    assert_eq!((counters.targets_done, counters.jobs_done), (2, 2));
    Recount::default().check(&*store).await.unwrap();
}

/// Polls once an hour: what it takes later, it was woken for.
pub(crate) async fn idle(url: &str) {
    let spy = Arc::new(SpyStore::new(store(url).await));
    let config = Config {
        poll: Duration::from_hours(1),
        ..crew::config()
    };
    let runner = crew::with(Arc::clone(&spy) as _, saying, config).await;
    spy.reached("take", 1).await.unwrap();
    say("idle");
    while told().await.is_some() {}
    runner.close(None).await;
}

/// R2.6 an idle runner hears of a job that another process submits.
#[tokio::test]
async fn an_idle_process_is_woken_by_a_submit() {
    let server = RedisServer::start().unwrap();
    let store = store(&server.url()).await;
    let idle = Talk::with("idle", &server.url());
    idle.hear("idle");

    calls::submit(&*store, "job").await;

    idle.hear("ran 0");
    idle.end();
}

/// R2.5, R2.6 an idle runner hears of a target that another process gives back.
#[tokio::test]
async fn an_idle_process_is_woken_by_a_hand_back() {
    let server = RedisServer::start().unwrap();
    let store = store(&server.url()).await;
    calls::enter(&*store, "s").await;
    calls::submit(&*store, "job").await;
    let start = calls::start(&*store, "s").await;
    let idle = Talk::with("idle", &server.url());
    idle.hear("idle");

    calls::give_back(&*store, &start).await;

    idle.hear("ran 0");
    idle.end();
}

/// R2.6 a subscription that broke with its server is made again.
#[tokio::test]
async fn an_idle_process_is_woken_after_the_server_was_restarted() {
    let settings = RedisSettings::default().append_only(Fsync::Always);
    let mut server = RedisServer::with(settings).unwrap();
    let idle = Talk::with("idle", &server.url());
    idle.hear("idle");

    server.kill();
    server.restart().unwrap();
    let store = store(&server.url()).await;
    calls::submit(&*store, "job").await;

    idle.hear("ran 0");
    idle.end();
}

fn server_time(server: &RedisServer) -> Timestamp {
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_connection().unwrap();
    let (seconds, micros): (i64, i64) = redis::cmd("TIME").query(&mut connection).unwrap();
    Timestamp::from_millis(seconds * 1_000 + micros / 1_000)
}

/// S15.1 the server's clock is the store's: hosts ten minutes off write the same times.
#[tokio::test]
async fn clocks_ten_minutes_off_change_nothing() {
    let server = RedisServer::start().unwrap();
    let store = store(&server.url()).await;
    let from = server_time(&server);
    let mut ahead = Talk::with_clock("+10m", "run", &server.url());
    let mut behind = Talk::with_clock("-10m", "run", &server.url());

    ahead.tell("ahead");
    behind.tell("behind");
    ahead.hear("all ended");
    behind.hear("all ended");
    ahead.end();
    behind.end();
    let to = server_time(&server);

    all_done(&*store).await;
    let jobs = calls::jobs(&*store).await;
    let times = jobs
        .iter()
        .flat_map(|job| [job.created_at, job.finished_at.unwrap()]);
    assert_eq!(times.filter(|time| *time < from || *time > to).count(), 0);
    assert!(jobs.iter().all(|job| job.status == JobStatus::Done));
}
