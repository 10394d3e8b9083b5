//! Clocks that step back, run wild or stand at the edge (S15, R11).

use std::time::Duration;

use batch_core::state::JobStatus;
use batch_core::time::Timestamp;

use crate::breach::{Verdict, same};
use crate::case::{Case, HOUR, START, busy, done, job};

/// S15.2 A clock that steps back takes nothing away.
pub async fn b22_a_clock_stepped_back_takes_nothing_away(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", done("x")).await?;
    case.set_clock(Timestamp::from_millis(START.as_millis() - 5_000))?;

    let swept = case.sweep().await?;

    same((swept.jobs, swept.expired.len()), (0, 0))?;
    same(case.job("a").await?.lease, START)
}

/// S15.2 A stamp from the future counts as alive.
pub async fn a_stamp_from_the_future_is_alive(case: &mut Case<'_>) -> Verdict {
    case.set_clock(START.after(HOUR * 100))?;
    case.make(job("a").ttl(Duration::from_secs(1))).await?;
    case.set_clock(START)?;

    let swept = case.sweep().await?;

    same((swept.jobs, swept.expired.len()), (0, 0))?;
    same(case.job("a").await?.status, JobStatus::Queued)
}

/// S9.2, S15.2 The latest and the earliest time that can be stored are times.
pub async fn the_edges_of_time_are_times(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.set_clock(Timestamp::MIN)?;
    case.make(job("early")).await?;
    case.run_one("s1", done("x")).await?;
    case.set_clock(Timestamp::MAX)?;
    case.make(job("late")).await?;
    case.run_one("s1", busy(Duration::MAX)).await?;

    same(case.job("early").await?.created_at, Timestamp::MIN)?;
    same(case.job("late").await?.created_at, Timestamp::MAX)?;
    same(case.target("late", 0).await?.due, Some(Timestamp::MAX))
}

/// S15.2 A time before 1970 is a time.
pub async fn a_negative_time_is_a_time(case: &mut Case<'_>) -> Verdict {
    case.set_clock(Timestamp::from_millis(-1))?;
    case.make(job("a").ttl(Duration::from_millis(1))).await?;
    case.cancel("a").await?;
    let early = case.sweep().await?;
    case.advance(Duration::from_millis(1))?;

    let swept = case.sweep().await?;

    same((early.jobs, swept.jobs), (0, 1))
}

/// S15.2 An outcome stored under an earlier clock keeps its own stamp, and no lease moves back.
pub async fn an_outcome_of_an_earlier_clock_is_kept(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let start = case.start("s1").await?.start;
    let early = Timestamp::from_millis(START.as_millis() - 60_000);
    case.set_clock(early)?;

    case.settle(&start, done("x")).await?;

    same(case.target("a", 0).await?.stored_at, Some(early))?;
    same(case.job("a").await?.lease, START)
}

/// S15.1 A store without a clock of its own reports none, at no call.
pub async fn store_time_is_reported_everywhere_or_nowhere(case: &mut Case<'_>) -> Verdict {
    use batch_core::store::reply::{EnterReply, RenewReply};
    let own = case.capabilities().store_time.is_some();

    let entered = case.try_enter("s1", "").await?;
    let renewed = case.renew("s1").await?;

    let at_enter = matches!(
        entered,
        EnterReply::Entered {
            store_time: Some(_)
        }
    );
    let at_renew = matches!(
        renewed,
        RenewReply::Beat {
            store_time: Some(_),
            ..
        }
    );
    same((at_enter, at_renew), (own, own))
}
