//! The store as a whole: wake-ups, closing, reopening and several handles (S10, R2.6).
//!
//! A killed process is in `kill.rs` beside the suite.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use batch_core::id::Kind;
use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{JobQuery, StatsQuery};

use crate::backend::Stop;
use crate::breach::{Failure, Verdict, holds, same};
use crate::case::{Case, HOUR, busy, done, job};

/// How long a promised wake-up may take.
const SOON: Duration = Duration::from_secs(5);

/// Fails unless the wake-up that was waited for before `act` comes.
async fn is_woken(case: &mut Case<'_>, act: impl AsyncFnOnce(&mut Case<'_>) -> Verdict) -> Verdict {
    if !case.capabilities().wakes {
        return Err(Failure::NotOffered("the store wakes nobody".to_owned()));
    }
    let store = Arc::clone(case.store());
    let kind = Kind::default();
    let mut woken = pin!(store.wake(&kind));
    // The wait begins with the first poll; a wake-up without a cause is allowed.
    let early = poll_fn(|context| Poll::Ready(woken.as_mut().poll(context).is_ready())).await;
    act(case).await?;
    let in_time = early || tokio::time::timeout(SOON, woken).await.is_ok();
    holds(in_time, "a wake-up")
}

/// R2.6 A submit wakes whoever asked before it.
pub async fn a_submit_wakes(case: &mut Case<'_>) -> Verdict {
    is_woken(case, async |case| case.make(job("a")).await.map(|_| ())).await
}

/// R2.6 An outcome that lets its job go on wakes.
pub async fn an_outcome_wakes(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let start = case.start("s1").await?.start;

    is_woken(case, async |case| case.settle(&start, done("x")).await).await
}

/// R2.6 A reap that takes a start back wakes.
pub async fn a_reap_wakes(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.start("s1").await?;

    is_woken(case, async |case| case.reap("s1").await.map(|_| ())).await
}

/// S12.1 A closed store answers `Closed`, and closing twice is harmless.
pub async fn a_closed_store_says_so(case: &mut Case<'_>) -> Verdict {
    let store = Arc::clone(case.store());
    let call = case.call(&job("a"));
    let stats = StatsQuery {
        kind: Kind::default(),
        caller: None,
    };
    store.close().await?;
    store.close().await?;

    let write = store.submit(call).await;
    let read = store.stats(stats).await;

    same(case.error_of(write)?, StoreErrorKind::Closed)?;
    same(case.error_of(read)?, StoreErrorKind::Closed)
}

/// S12.1 An error names its operation.
pub async fn an_error_names_its_operation(case: &mut Case<'_>) -> Verdict {
    let store = Arc::clone(case.store());
    store.close().await?;

    let operation = match store.job(JobQuery::Id("a".into())).await {
        Ok(_) => "no error",
        Err(error) => error.operation(),
    };

    same(operation, "job")
}

/// Half-done work of every sort.
async fn half_done(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3).note("a note")).await?;
    case.make(job("b").pinned("s1")).await?;
    case.make(job("c")).await?;
    case.make(job("d")).await?;
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", busy(Duration::from_secs(5))).await?;
    case.start("s1").await?;
    case.cancel("d").await.map(|_| ())
}

/// What the half-done work looks like, without what a lock says: that is not data.
async fn state(case: &Case<'_>) -> Verdict<Vec<String>> {
    let mut shown = vec![format!("{:?}", case.rotation().await?)];
    for session in case.sessions().await? {
        shown.push(format!(
            "{} {:?} {}",
            session.id, session.kind, session.beat
        ));
    }
    for id in case.listed().await? {
        shown.push(format!("{:?}", case.job(&id).await?));
        shown.push(format!("{:?}", case.all_targets(&id).await?));
    }
    shown.push(format!("{:?}", case.stats().await?));
    Ok(shown)
}

/// S10.1 A store that was closed opens with the same data.
pub async fn a_closed_store_opens_with_the_same_data(case: &mut Case<'_>) -> Verdict {
    half_done(case).await?;
    let before = state(case).await?;

    case.reopen(Stop::Close).await?;

    same(state(case).await?, before)?;
    case.renew("s1").await.map(|_| ())
}

/// S10.1 A store whose handle was dropped opens with the same data.
pub async fn a_dropped_store_opens_with_the_same_data(case: &mut Case<'_>) -> Verdict {
    half_done(case).await?;
    let before = state(case).await?;

    case.reopen(Stop::Drop).await?;

    same(state(case).await?, before)
}

/// S10.1, S4.1 The sequence and the rotation go on after a reopening.
pub async fn b29_the_order_survives_a_reopening(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let first = case.make(job("a").targets(2)).await?;
    case.make(job("b")).await?;
    case.run_one("s1", done("x")).await?;
    case.cancel("b").await?;

    case.reopen(Stop::Close).await?;
    let last = case.make(job("c")).await?;

    same(last > first + 1, true)?;
    same(case.rotation().await?.concat(), "ac".to_owned())
}

/// S10.1, S2.2, S2.3 A call sent again after a reopening answers as before.
pub async fn a_resend_after_a_reopening_answers_as_before(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let start = case.run_one("s1", done("x")).await?;
    let taken = case.take_as("s1", "t").await?;

    case.reopen(Stop::Close).await?;

    case.settle(&start, done("x")).await?;
    same(case.take_as("s1", "t").await?, taken)
}

/// S10.1 What one handle wrote, the other sees at once.
pub async fn a_second_handle_sees_every_write(case: &mut Case<'_>) -> Verdict {
    let second = case.second().await?;
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let first = case.replace_store(second);

    case.run_one("s1", done("x")).await?;
    case.replace_store(first);

    case.recount().await?;
    same(case.job("a").await?.counts.done, 1)
}

/// S10.1, S4.1 Jobs of one instant keep their order over a reopening, whatever their ids.
pub async fn b29_jobs_of_one_instant_keep_their_order(case: &mut Case<'_>) -> Verdict {
    let ids = ["256", "255", "100", "11", "10", "9"];
    for id in ids.iter().take(4) {
        case.make(job(id)).await?;
    }

    case.reopen(Stop::Close).await?;
    for id in ids.iter().skip(4) {
        case.make(job(id)).await?;
    }

    same(case.rotation().await?, ids.map(str::to_owned).to_vec())?;
    same(case.listed().await?, ids.map(str::to_owned).to_vec())
}

/// S1.2, S10.1 A sweep that stopped between two steps goes on after a reopening.
pub async fn b32_a_sweep_goes_on_after_a_reopening(case: &mut Case<'_>) -> Verdict {
    for id in ["a", "b", "c"] {
        case.make(job(id).targets(4)).await?;
        case.cancel(id).await?;
    }
    case.advance(HOUR);
    let first = case.sweep_step(1).await?;

    case.reopen(Stop::Drop).await?;
    let rest = case.sweep().await?;

    same((first.jobs, first.more, rest.jobs), (1, true, 2))?;
    same(case.listed().await?, Vec::<String>::new())
}
