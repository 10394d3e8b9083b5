//! The order of turns, and how many targets of a job may be open (R2.1–R2.4, S4).
//!
//! Jobs that only wait for a time are in `waiting.rs`, pinned jobs in `pin.rs`.

use std::time::Duration;

use batch_core::state::JobStatus;
use batch_core::store::reply::TakeReply;
use batch_core::time::Timestamp;

use crate::breach::{Verdict, same};
use crate::case::{Case, busy, done, failed, hand_back, job};

/// Runs the next `turns` targets; which they were.
async fn run(case: &mut Case<'_>, session: &str, turns: u32) -> Verdict<Vec<String>> {
    let mut order = Vec::new();
    for _ in 0..turns {
        let start = case.run_one(session, done("x")).await?;
        order.push(format!("{}{}", start.job, start.index));
    }
    Ok(order)
}

/// R2.3, S4.2 Two live jobs take turns.
pub async fn two_jobs_take_turns(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3)).await?;
    case.make(job("b").targets(2)).await?;

    let order = run(case, "s1", 5).await?;

    same(order.join(" "), "a0 b0 a1 b1 a2".to_owned())
}

/// R2.3, S4.2 A job submitted mid-way joins at the tail.
pub async fn b28_a_new_job_joins_at_the_tail(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(4)).await?;
    let before = run(case, "s1", 1).await?;
    case.make(job("b")).await?;
    case.make(job("c").targets(2)).await?;

    let after = run(case, "s1", 6).await?;

    same(before.join(" "), "a0".to_owned())?;
    same(after.join(" "), "a1 b0 c0 a2 c1 a3".to_owned())
}

/// R2.3, S4.2 The order is the same over two sessions.
pub async fn two_sessions_share_one_rotation(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").targets(2)).await?;
    case.make(job("b").targets(2)).await?;

    let first = run(case, "s1", 1).await?;
    let second = run(case, "s2", 2).await?;
    let last = run(case, "s1", 1).await?;

    same(
        [first, second, last].concat().join(" "),
        "a0 b0 a1 b1".to_owned(),
    )
}

/// S4.1 Jobs of the same millisecond start in the order of their submits, whatever their ids.
pub async fn b29_jobs_of_one_instant_start_in_submit_order(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let ids = ["11", "10", "9", "100", "z", "a", "255", "256", "Z"];
    for id in ids {
        case.make(job(id)).await?;
    }

    let order = run(case, "s1", 9).await?;

    same(order, ids.map(|id| format!("{id}0")).to_vec())
}

/// S4.1, S15.2 A clock that steps back changes no order.
pub async fn b29_a_clock_stepped_back_changes_no_order(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("first")).await?;
    case.set_clock(Timestamp::from_millis(case.now().as_millis() - 1_000));
    case.make(job("second")).await?;

    same(
        case.listed().await?,
        ["first", "second"].map(str::to_owned).to_vec(),
    )?;
    let order = run(case, "s1", 2).await?;
    same(order.join(" "), "first0 second0".to_owned())
}

/// S4.1 The sequence goes on after all jobs are gone.
pub async fn b29_the_sequence_never_repeats(case: &mut Case<'_>) -> Verdict {
    let first = case.make(job("a").ttl(Duration::from_secs(1))).await?;
    case.cancel("a").await?;
    case.advance(Duration::from_secs(1));
    case.sweep().await?;

    let second = case.make(job("a").ttl(Duration::from_secs(1))).await?;

    same(second > first, true)
}

/// R2.1, R2.4 A job turns running at its first start, and not before.
pub async fn a_job_turns_running_at_its_first_start(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.make(job("b")).await?;
    case.advance(Duration::from_secs(1));

    case.start("s1").await?;

    let started = case.job("a").await?;
    same(started.status, JobStatus::Running)?;
    same(started.started_at, Some(case.now()))?;
    same(case.job("b").await?.status, JobStatus::Queued)
}

/// R2.2, S4.3 A serial job starts its next target only once the one before is stored.
pub async fn a_serial_job_has_one_target_open(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let start = case.start("s1").await?.start;

    let idle = case.take("s1").await?;

    same(idle, TakeReply::Idle { ready_at: None })?;
    case.settle(&start, failed("x")).await?;
    same(case.start("s1").await?.start.index, 1)
}

/// R2.2, S4.3 Up to the width are open, over all sessions, and not one more.
pub async fn the_width_is_kept_over_all_sessions(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").targets(4).width(2)).await?;
    case.start("s1").await?;
    let second = case.start("s2").await?.start;

    let idle = case.take("s1").await?;

    same(idle, TakeReply::Idle { ready_at: None })?;
    case.settle(&second, done("x")).await?;
    same(case.start("s1").await?.start.index, 2)
}

/// R2.2, S4.3 A parked target is open still: it fills the width.
pub async fn a_parked_target_fills_the_width(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3).width(2)).await?;
    case.run_one("s1", busy(Duration::from_mins(1))).await?;
    let next = case.start("s1").await?.start;

    let idle = case.take("s1").await?;

    same(next.index, 1)?;
    same(matches!(idle, TakeReply::Idle { .. }), true)
}

/// R2.2 A due parked target goes before an unstarted one.
pub async fn a_due_target_goes_before_an_unstarted_one(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3).width(2)).await?;
    case.run_one("s1", busy(Duration::from_secs(1))).await?;
    case.advance(Duration::from_secs(1));

    same(case.start("s1").await?.start.index, 0)?;
    same(case.start("s1").await?.start.index, 1)
}

/// R2.2 A parked target that is not due yet lets an unstarted one go first.
pub async fn an_unstarted_target_goes_before_one_not_due(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2).width(2)).await?;
    case.run_one("s1", busy(Duration::from_secs(1))).await?;

    same(case.start("s1").await?.start.index, 1)
}

/// R2.2 Parked targets go by due time, then by index.
pub async fn parked_targets_go_by_due_time_then_index(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3).width(3)).await?;
    let zero = case.start("s1").await?.start;
    let one = case.start("s1").await?.start;
    let two = case.start("s1").await?.start;
    case.settle(&two, busy(Duration::from_secs(2))).await?;
    case.settle(&one, busy(Duration::from_secs(1))).await?;
    case.settle(&zero, hand_back(Duration::from_secs(2)))
        .await?;
    case.advance(Duration::from_secs(2));

    let first = case.start("s1").await?.start.index;
    let second = case.start("s1").await?.start.index;
    let third = case.start("s1").await?.start.index;

    same([first, second, third], [1, 0, 2])
}

/// R2.1, S4.2 A wide job starts one target per turn.
pub async fn a_wide_job_starts_one_target_per_turn(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3).width(3)).await?;
    case.make(job("b").targets(2).width(2)).await?;

    let mut turns = Vec::new();
    for _ in 0..5 {
        let (id, index) = case.turn_of("s1").await?;
        turns.push(format!("{id}{index}"));
    }

    same(turns.join(" "), "a0 b0 a1 b1 a2".to_owned())
}

/// R2.1, S4.2 Reuse, touch and outcomes move no job that is in the rotation.
pub async fn reuse_and_touch_move_no_job(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2).width(2)).await?;
    case.make(job("b")).await?;
    case.make(job("c")).await?;
    let start = case.start("s1").await?.start;
    let before = case.rotation().await?;

    case.submit(job("x").like("b")).await?;
    case.touch("b").await?;
    case.settle(&start, done("x")).await?;
    case.finish(&start, done("x")).await?;

    same(before.join(" "), "b c a".to_owned())?;
    same(case.rotation().await?, before)
}

/// R2.1, S4.4 A job that has ended, or cannot start anything, is not in the rotation.
pub async fn b28_an_ended_job_leaves_the_rotation(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.make(job("b")).await?;
    case.make(job("c")).await?;

    case.start("s1").await?;
    case.cancel("b").await?;

    same(case.rotation().await?, vec!["c".to_owned()])
}

/// R2.1 A session runs the jobs of its kind only.
pub async fn a_session_runs_its_own_kind(case: &mut Case<'_>) -> Verdict {
    case.enter_kind("s1", "one").await?;
    case.enter_kind("s2", "two").await?;
    case.make(job("a").kind("two")).await?;

    let idle = case.take("s1").await?;

    same(idle, TakeReply::Idle { ready_at: None })?;
    same(case.turn_of("s2").await?.0, "a".to_owned())
}

/// R2.1, R3.7 A start names all that its fetch needs.
pub async fn a_start_carries_target_caller_and_tries(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").caller("ann").targets(2)).await?;
    let first = case.run_one("s1", busy(Duration::ZERO)).await?;
    let since = case.now();
    case.advance(Duration::from_secs(1));

    let again = case.start("s1").await?;

    let shown = case.target("a", 0).await?;
    same((again.url, again.options), (shown.url, shown.options))?;
    same((again.start.index, again.origin), (first.index, 0))?;
    same((again.tries, again.busy_since), (1, Some(since)))?;
    same(again.caller, case.job("a").await?.caller)
}

/// S4.1, S15.2 Whatever their ids, through two handles, and with a clock that steps back.
pub async fn b29_thirty_jobs_start_in_submit_order(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let mut other = case.second().await?;
    let ids: Vec<String> = (0..30).map(|n| format!("{}", 108 - n)).collect();
    let (early, late) = ids.split_at(25);
    for id in early {
        case.make(job(id)).await?;
        other = case.replace_store(other);
    }
    case.set_clock(Timestamp::from_millis(case.now().as_millis() - 1_000));
    for id in late {
        case.make(job(id)).await?;
        other = case.replace_store(other);
    }

    same(case.listed().await?, ids.clone())?;
    same(case.rotation().await?, ids.clone())?;
    let order = run(case, "s1", 30).await?;
    let expected: Vec<_> = ids.iter().map(|id| format!("{id}0")).collect();
    same(order, expected)
}
