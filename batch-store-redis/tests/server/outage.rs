//! B37, B38: servers that forget their scripts, are killed, load, fall silent or are replaced.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use batch_core::id::JobId;
use batch_core::runner::Runner;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::SubmitReply;
use batch_testkit::case::{START, done, job};
use batch_testkit::proxy::{Act, Chosen, Manner};
use batch_testkit::redis_server::{Fsync, RedisServer, RedisSettings};
use batch_testkit::script::echo;
use batch_testkit::{Case, Markers};

use crate::crew::{self, Tries};
use crate::place::{PASSWORD, Place, impatient, opened};

fn kept_on_disk() -> RedisSettings {
    RedisSettings::default().append_only(Fsync::Always)
}

/// Twenty jobs of three targets.
async fn submitted(runner: &Runner) -> Vec<JobId> {
    let mut ids = Vec::new();
    for number in 0..20 {
        ids.push(crew::submit(runner, &format!("job-{number}"), 3).await);
    }
    ids
}

/// All jobs are done, and every target has one outcome.
async fn all_done(case: &mut Case<'_>, runner: &Runner, ids: &[JobId]) {
    for id in ids {
        let job = crew::ended(runner, id).await;
        assert_eq!((job.status, job.counts.done), (JobStatus::Done, job.total));
    }
    runner.close(None).await;
    case.recount().await.unwrap();
    let counters = case.stats().await.unwrap().counters;
    assert_eq!(counters.targets_done, 3 * ids.len() as u64);
}

/// S10.1, R8.2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b37_a_server_killed_in_mid_run_loses_nothing_and_is_found_again() {
    let place = Place::with(kept_on_disk()).await;
    let mut case = Case::new(&place).await.unwrap();
    let tries = Tries::default();
    let runner = crew::runner(Arc::clone(case.store()), tries.clone()).await;
    let ids = submitted(&runner).await;

    tries.reached(17).await;
    place.server().kill();
    place.server().restart().unwrap();

    all_done(&mut case, &runner, &ids).await;
}

/// R8.2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b38_a_loading_server_is_waited_for() {
    // Loading takes a millisecond a key, so that calls are sent meanwhile.
    let slow = kept_on_disk()
        .set("key-load-delay", "1000")
        .set("loading-process-events-interval-bytes", "1024");
    let place = Place::with(slow).await;
    let mut case = Case::new(&place).await.unwrap();
    let runner = crew::runner(Arc::clone(case.store()), echo).await;
    let ids = submitted(&runner).await;

    place.server().kill();
    place
        .server()
        .restart_until("DB loaded from base file")
        .unwrap();
    let later = crew::submit(&runner, "later", 3).await;
    place.server().await_log("Ready to accept").unwrap();

    let all: Vec<_> = ids.into_iter().chain([later]).collect();
    all_done(&mut case, &runner, &all).await;
}

/// S12.2 an answer that does not come in time is unknown, and the next call is made.
#[tokio::test]
async fn b38_a_frozen_server_is_noticed() {
    let place = Place::new().await;
    let store = impatient(&place, 100).await;
    let case = Case::new(&place).await.unwrap();
    let call = case.call(&job("job"));

    place.server().freeze().unwrap();
    let error = store.submit(call.clone()).await.unwrap_err();
    place.server().thaw().unwrap();
    let again = store.submit(call).await.unwrap();

    assert_eq!(error.kind(), StoreErrorKind::Unknown, "{error}");
    assert!(matches!(again, SubmitReply::Created { .. }), "{again:?}");
}

/// S12.2 a reply that comes too late is not taken for that of the next call.
#[tokio::test]
async fn a_late_reply_is_not_that_of_the_next_call() {
    let place = Place::new().await;
    let store = impatient(&place, 100).await;
    let case = Case::new(&place).await.unwrap();
    let planned = place
        .proxy
        .plan(Chosen::holding("EVALSHA"), Act::SilenceAfter);

    let late = store.submit(case.call(&job("first"))).await.unwrap_err();
    planned.happened().await.unwrap();
    place.proxy.be(Manner::Pass);
    let next = store.submit(case.call(&job("second"))).await.unwrap();
    let again = store.submit(case.call(&job("first"))).await.unwrap();

    assert_eq!(late.kind(), StoreErrorKind::Unknown, "{late}");
    assert_eq!(next, SubmitReply::Created { seq: 2 });
    assert_eq!(again, SubmitReply::Created { seq: 1 });
}

/// Makes `other` the primary and the place's server its replica, with all that was acknowledged.
fn fail_over(place: &Place, other: &RedisServer) {
    let admin = redis::Client::open(other.url()).unwrap();
    let mut other_admin = admin.get_connection().unwrap();
    place.proxy.be(Manner::Silent);
    // The replica has everything before it is promoted.
    place.say::<u64>(&["WAIT", "1", "0"]);
    redis::cmd("REPLICAOF")
        .arg(&["NO", "ONE"])
        .exec(&mut other_admin)
        .unwrap();
    place.say::<()>(&["REPLICAOF", "127.0.0.1", &other.port().to_string()]);
    place.proxy.point_at(&other.address());
    place.proxy.be(Manner::Pass);
}

/// A replica of the place's server that has caught up.
fn replica(place: &Place) -> RedisServer {
    let port = place.server().port().to_string();
    let settings = RedisSettings::default().set_words("replicaof", &["127.0.0.1", &port]);
    let mut replica = RedisServer::with(settings).unwrap();
    replica
        .await_log("MASTER <-> REPLICA sync: Finished")
        .unwrap();
    replica
}

/// R8.2 the old primary keeps its connections and refuses every write: it is left.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b38_a_demoted_primary_is_left_in_mid_run() {
    let place = Place::new().await;
    let other = replica(&place);
    let mut case = Case::new(&place).await.unwrap();
    let tries = Tries::default();
    let runner = crew::runner(Arc::clone(case.store()), tries.clone()).await;
    let ids = submitted(&runner).await;

    tries.reached(17).await;
    fail_over(&place, &other);

    all_done(&mut case, &runner, &ids).await;
}

/// R8.5, S12.2
#[tokio::test]
async fn b38_a_password_that_was_changed_is_unavailable_until_it_is_right_again() {
    let place = Place::with(RedisSettings::default().password(PASSWORD)).await;
    let url = format!("redis://:{PASSWORD}@{}/", place.proxy.address());
    let store = opened(&url, "p").await.unwrap();
    let call = job("job").call(&Markers::plant().unwrap(), START);
    let mut admin = place.admin();
    let mut set = |password: &str| {
        let mut set = redis::cmd("CONFIG");
        set.arg("SET").arg("requirepass").arg(password);
        set.exec(&mut admin).unwrap();
    };

    set("another");
    place.proxy.cut_all();
    let lost = store.submit(call.clone()).await;
    let refused = store.submit(call.clone()).await.unwrap_err();
    set(PASSWORD);
    let made = store.submit(call).await.unwrap();

    assert!(lost.is_err());
    assert_eq!(refused.kind(), StoreErrorKind::Unavailable, "{refused}");
    assert!(!format!("{refused} {refused:?}").contains(PASSWORD));
    assert_eq!(made, SubmitReply::Created { seq: 1 });
}

/// S12.2
#[tokio::test]
async fn b37_scripts_may_be_forgotten_before_every_call() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let forget = || place.say::<()>(&["SCRIPT", "FLUSH"]);

    forget();
    case.enter("s").await.unwrap();
    forget();
    case.make(job("job")).await.unwrap();
    forget();
    let start = case.start("s").await.unwrap().start;
    forget();
    case.settle(&start, done("1")).await.unwrap();
    forget();
    case.renew("s").await.unwrap();
    forget();
    case.touch("job").await.unwrap();
    forget();
    case.cancel("job").await.unwrap();
    forget();
    case.reap("s").await.unwrap();
    forget();
    case.sweep().await.unwrap();
    forget();
    case.evict(0).await.unwrap();

    assert_eq!(case.job("job").await.unwrap().status, JobStatus::Done);
}

/// R8.2 another client forgets the scripts again and again while a runner works.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b37_scripts_may_be_forgotten_during_a_run() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let flushed = forget_again_and_again(&place, &stop);
    let runner = crew::runner(Arc::clone(case.store()), echo).await;

    let ids = submitted(&runner).await;
    for id in &ids {
        crew::ended(&runner, id).await;
    }
    stop.store(true, Ordering::Release);

    assert!(flushed.join().unwrap() > 0);
    all_done(&mut case, &runner, &ids).await;
}

fn forget_again_and_again(place: &Place, stop: &Arc<AtomicBool>) -> std::thread::JoinHandle<u64> {
    let mut connection = place.admin();
    let stop = Arc::clone(stop);
    let flushes = AtomicU64::new(0);
    std::thread::spawn(move || {
        while !stop.load(Ordering::Acquire) {
            redis::cmd("SCRIPT")
                .arg("FLUSH")
                .exec(&mut connection)
                .unwrap();
            flushes.fetch_add(1, Ordering::Relaxed);
        }
        flushes.into_inner()
    })
}
