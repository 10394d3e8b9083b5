//! Jobs that only wait for a time: promotion, due times, and what busy keeps (R2.5, R3.2).

use std::time::Duration;

use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::reply::TakeReply;

use crate::breach::{Verdict, same};
use crate::case::{Case, busy, done, failed, hand_back, job, just_before};

const SECOND: Duration = Duration::from_secs(1);

/// R2.5, R3.2 A busy target is not tried again one millisecond before its time.
pub async fn b22_a_busy_target_is_tried_at_its_time_and_not_before(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", busy(SECOND)).await?;
    let due = case.now().after(SECOND);
    case.advance(just_before(SECOND));

    let early = case.take("s1").await?;
    case.advance(Duration::from_millis(1));

    same(
        early,
        TakeReply::Idle {
            ready_at: Some(due),
        },
    )?;
    same(case.turn_of("s1").await?, ("a".to_owned(), 0))
}

/// R2.5 `Idle` tells the earliest due time of all waiting jobs.
pub async fn idle_tells_the_earliest_due_time(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.make(job("b").pinned("s1")).await?;
    case.run_one("s1", busy(SECOND * 2)).await?;
    case.run_one("s1", busy(SECOND)).await?;

    let idle = case.take("s1").await?;

    let ready_at = Some(case.now().after(SECOND));
    same(idle, TakeReply::Idle { ready_at })
}

/// R2.5 Each take moves one due job to the tail: a ready job goes first.
pub async fn a_take_promotes_the_earliest_due_job_to_the_tail(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.make(job("b")).await?;
    case.run_one("s1", busy(SECOND * 2)).await?;
    case.run_one("s1", busy(SECOND)).await?;
    case.make(job("c").targets(2).width(2)).await?;
    case.advance(SECOND * 2);

    let mut order = Vec::new();
    for _ in 0..4 {
        order.push(case.turn_of("s1").await?.0);
    }

    // c is at the head; b, due first, joins behind it, then c, then a.
    same(order.concat(), "cbca".to_owned())
}

/// R2.5 Waiting jobs that are due at the same time go by sequence.
pub async fn waiting_jobs_of_one_time_go_by_sequence(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("z")).await?;
    case.make(job("a")).await?;
    let first = case.start("s1").await?.start;
    let second = case.start("s1").await?.start;
    case.settle(&second, busy(SECOND)).await?;
    case.settle(&first, busy(SECOND)).await?;
    case.advance(SECOND);

    same(case.turn_of("s1").await?.0, "z".to_owned())?;
    same(case.turn_of("s1").await?.0, "a".to_owned())
}

/// R2.5 Once in the rotation a job stays until it is taken, whatever the clock says.
pub async fn a_job_in_the_rotation_stays_whatever_the_clock_says(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let early = case.now();
    case.make(job("a")).await?;
    case.advance(SECOND);
    case.run_one("s1", hand_back(Duration::ZERO)).await?;

    case.set_clock(early);

    same(case.rotation().await?, vec!["a".to_owned()])?;
    same(case.turn_of("s1").await?.0, "a".to_owned())
}

/// R2.5 A waiting job is not in the rotation.
pub async fn a_waiting_job_is_not_in_the_rotation(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;

    case.run_one("s1", busy(SECOND)).await?;

    same(case.rotation().await?, Vec::<String>::new())
}

/// R3.2, R6.2 A busy target is pending, and shows since when and until when.
pub async fn a_busy_target_is_pending_with_its_times(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let since = case.now();

    case.run_one("s1", busy(SECOND)).await?;

    let target = case.target("a", 0).await?;
    same(target.status, TargetStatus::Pending)?;
    same((target.tries, target.busy_since), (1, Some(since)))?;
    same(
        (target.due, target.session),
        (Some(since.after(SECOND)), None),
    )?;
    same(case.job("a").await?.status, JobStatus::Running)
}

/// R3.2 First-busy time and tries are kept over starts and sessions.
pub async fn b19_tries_are_kept_over_sessions(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a")).await?;
    let since = case.now();
    case.run_one("s1", busy(SECOND)).await?;
    case.advance(SECOND);
    case.run_one("s2", busy(SECOND)).await?;
    case.reap("s1").await?;
    case.advance(SECOND);

    let third = case.start("s2").await?;

    same((third.tries, third.busy_since), (2, Some(since)))
}

/// R3.2 A hand-back is no try.
pub async fn a_hand_back_counts_no_try(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;

    case.run_one("s1", hand_back(SECOND)).await?;

    let target = case.target("a", 0).await?;
    same((target.tries, target.busy_since), (0, None))?;
    same(case.stats().await?.counters.targets_retried_later, 0)
}

/// R3.2, R6.2 An outcome shows one try more than busy answers.
pub async fn an_outcome_counts_its_own_try(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.run_one("s1", busy(Duration::ZERO)).await?;
    case.run_one("s1", busy(Duration::ZERO)).await?;
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", failed("x")).await?;

    let tries: Vec<_> = case.all_targets("a").await?;
    let tries: Vec<_> = tries.iter().map(|target| target.tries).collect();

    same(tries, vec![3, 1])?;
    same(case.target("a", 0).await?.busy_since, None)
}

/// R2.5, R3.2 A worker goes on with other jobs while one waits.
pub async fn a_waiting_job_delays_no_other(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.make(job("b").targets(2)).await?;
    case.run_one("s1", busy(SECOND)).await?;

    let first = case.run_one("s1", done("x")).await?;
    let second = case.run_one("s1", done("x")).await?;

    same([first.job.as_str(), second.job.as_str()], ["b", "b"])
}

/// R2.2, R3.2 A serial job waits for its busy target.
pub async fn a_serial_job_waits_for_its_busy_target(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;

    case.run_one("s1", busy(SECOND)).await?;

    let idle = case.take("s1").await?;
    let ready_at = Some(case.now().after(SECOND));
    same(idle, TakeReply::Idle { ready_at })
}

/// R11.3, S15.2 A wait that never ends harms nothing.
pub async fn an_absurd_wait_harms_nothing(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.make(job("b")).await?;

    case.run_one("s1", busy(Duration::MAX)).await?;

    same(case.turn_of("s1").await?.0, "b".to_owned())?;
    case.cancel("a").await.map(|_| ())
}
