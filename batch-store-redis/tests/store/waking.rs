//! R2.6: a job that another process makes takeable wakes an idle runner, which never asks.

use std::sync::Arc;
use std::time::Duration;

use batch_core::config::Config;
use batch_core::id::{JobId, Kind};
use batch_core::runner::Runner;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_testkit::calls;
use batch_testkit::script::echo;

use crate::place::{Place, job};

/// Long enough that only a wake-up can be why somebody asks.
const NEVER: Duration = Duration::from_hours(1);

/// R2.6
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b27_a_job_of_another_process_wakes_an_idle_runner() {
    let place = Place::new();
    let (own, other) = (place.store("p").await, place.store("p").await);
    let config = Config {
        poll: NEVER,
        beat: NEVER,
        ..Config::default()
    };
    let builder = Runner::builder(Arc::new(own), echo).config(config);
    let runner = builder.start().await.unwrap();
    other.submit(job("a", 1)).await.unwrap();

    let job = runner.wait(&JobId::from("a"), None).await.unwrap();

    assert_eq!(job.status, JobStatus::Done);
    runner.close(None).await;
}

/// R2.6 only what concerns the kind is heard.
#[tokio::test]
async fn a_wake_up_is_that_of_its_kind() {
    let place = Place::new();
    let (own, other) = (place.store("p").await, place.store("p").await);
    let (kind, default) = (Kind::new("k"), Kind::default());
    let mut woken = std::pin::pin!(own.wake(&kind));
    let mut default_woken = std::pin::pin!(own.wake(&default));
    assert!(futures_util::poll!(woken.as_mut()).is_pending());
    assert!(futures_util::poll!(default_woken.as_mut()).is_pending());
    let mut call = job("a", 1);
    call.kind = kind.clone();

    other.submit(job("b", 1)).await.unwrap();
    default_woken.await;
    let early = futures_util::poll!(woken.as_mut()).is_pending();
    other.submit(call).await.unwrap();
    woken.await;

    assert!(early);
    assert_eq!(calls::stats(&other).await.live, 1);
}
