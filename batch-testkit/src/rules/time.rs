//! Clocks that step back, run wild or stand at the edge (S15, R11).

use std::time::Duration;

use batch_core::state::JobStatus;
use batch_core::store::reply::{SubmitReply, TakeReply};
use batch_core::time::Timestamp;

use crate::breach::{Verdict, same};
use crate::case::{Case, HOUR, START, busy, done, job, just_before};
use crate::site::Site;

/// S15.2 A clock that steps back takes nothing away.
pub async fn b22_a_clock_stepped_back_takes_nothing_away(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", done("x")).await?;
    case.set_clock(Timestamp::from_millis(START.as_millis() - 5_000));

    let swept = case.sweep().await?;

    same((swept.jobs, swept.expired.len()), (0, 0))?;
    same(case.job("a").await?.lease, START)
}

/// S15.2 A stamp from the future counts as alive.
pub async fn a_stamp_from_the_future_is_alive(case: &mut Case<'_>) -> Verdict {
    case.set_clock(START.after(HOUR * 100));
    case.make(job("a").ttl(Duration::from_secs(1))).await?;
    case.set_clock(START);

    let swept = case.sweep().await?;

    same((swept.jobs, swept.expired.len()), (0, 0))?;
    same(case.job("a").await?.status, JobStatus::Queued)
}

/// S9.2, S15.2 The latest and the earliest time that can be stored are times.
pub async fn the_edges_of_time_are_times(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.set_clock(Timestamp::MIN);
    case.make(job("early")).await?;
    case.run_one("s1", done("x")).await?;
    case.set_clock(Timestamp::MAX);
    case.make(job("late")).await?;
    case.run_one("s1", busy(Duration::MAX)).await?;

    same(case.job("early").await?.created_at, Timestamp::MIN)?;
    same(case.job("late").await?.created_at, Timestamp::MAX)?;
    same(case.target("late", 0).await?.due, Some(Timestamp::MAX))
}

/// S15.2 A time before 1970 is a time.
pub async fn a_negative_time_is_a_time(case: &mut Case<'_>) -> Verdict {
    case.set_clock(Timestamp::from_millis(-1));
    case.make(job("a").ttl(Duration::from_millis(1))).await?;
    case.cancel("a").await?;
    let early = case.sweep().await?;
    case.advance(Duration::from_millis(1));

    let swept = case.sweep().await?;

    same((early.jobs, swept.jobs), (0, 1))
}

/// S15.2 An outcome stored under an earlier clock keeps its own stamp, and no lease moves back.
pub async fn an_outcome_of_an_earlier_clock_is_kept(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let start = case.start("s1").await?.start;
    let early = Timestamp::from_millis(START.as_millis() - 60_000);
    case.set_clock(early);

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

/// How far from a limit the table looks: a millisecond before, at it, after it, a day later.
const OFFSETS: [i64; 4] = [-1, 0, 1, 86_400_000];

/// The jobs of everything that may start now.
async fn everything_started(case: &mut Case<'_>) -> Verdict<Vec<String>> {
    let mut jobs = Vec::new();
    while let TakeReply::Started(started) = case.take("s1").await? {
        jobs.push(started.start.job.as_str().to_owned());
    }
    Ok(jobs)
}

/// What happened to jobs and a busy target whose limit is `limit`, so long after they were made.
async fn gone_after(case: &mut Case<'_>, limit: Duration, offset: i64) -> Verdict<[bool; 4]> {
    case.set_clock(START);
    case.enter("s1").await?;
    let [ended, live, same_again, busy_one] =
        ["ended", "live", "reused", "busy"].map(|name| format!("{name} {limit:?} {offset}"));
    case.make(job(&busy_one).ttl(HOUR * 1_000)).await?;
    case.run_one("s1", busy(limit)).await?;
    case.make(job(&same_again).ttl(limit)).await?;
    case.run_one("s1", done("x")).await?;
    case.make(job(&ended).ttl(limit)).await?;
    case.cancel(&ended).await?;
    case.make(job(&live).ttl(limit)).await?;
    let length = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
    case.set_clock(Timestamp::from_millis(START.as_millis() + length + offset));

    let again = case.submit(job("again").like(&same_again)).await?;
    let swept = case.sweep().await?;
    let started = everything_started(case).await?;

    let expired = swept.expired.iter().any(|ended| ended.id.as_str() == live);
    let gone = case.find(&ended).await?.is_none();
    let made = matches!(again, SubmitReply::Created { .. });
    Ok([gone, expired, made, started.contains(&busy_one)])
}

/// S6.1, S6.3, R2.5 Sweep, expiry, reuse and due time: nothing before its limit, all of it from then on.
pub async fn b22_every_limit_is_met_to_the_millisecond(case: &mut Case<'_>) -> Verdict {
    for limit in [Duration::from_millis(250), HOUR] {
        for offset in OFFSETS {
            let site = Site::new()?;
            let store = case.backend().create(&site).await?;
            let own = case.replace_store(store);
            let gone = gone_after(case, limit, offset).await;
            case.replace_store(own);
            same((limit, offset, gone?), (limit, offset, [offset >= 0; 4]))?;
        }
    }
    Ok(())
}

/// S6.1, S15.2 A clock that steps back between two looks takes nothing away that was there.
pub async fn b22_a_step_back_between_two_looks_takes_nothing(case: &mut Case<'_>) -> Verdict {
    case.make(job("ended")).await?;
    case.cancel("ended").await?;
    case.make(job("live")).await?;
    let before = [case.job("ended").await?, case.job("live").await?];
    case.advance(just_before(HOUR));
    let early = case.sweep().await?;
    case.set_clock(Timestamp::from_millis(case.now().as_millis() - 5_000));

    let back = case.sweep().await?;

    same((early.jobs, early.expired.len()), (0, 0))?;
    same((back.jobs, back.expired.len()), (0, 0))?;
    same([case.job("ended").await?, case.job("live").await?], before)
}
