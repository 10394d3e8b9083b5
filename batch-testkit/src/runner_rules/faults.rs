//! Store calls that are refused, lost or slow, and what the runner makes of them (R8).

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use batch_core::clock::{Clock, SystemClock};
use batch_core::config::Config;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;

use super::crew::{Crew, Recipe, crew, outcomes};
use crate::breach::{Verdict, holds, present, same};
use crate::case::{Case, START};
use crate::clocks::ManualClock;
use crate::fault::{Fault, FaultStore, Often, Plan, drop_at_poll};

const REFUSED: Fault = Fault::Before(StoreErrorKind::Unavailable);

/// Strikes one operation, at its next call or from then on.
fn strike(fault: &FaultStore, operation: &'static str, often: Often, what: Fault) {
    fault.plan(Plan {
        operation: Some(operation),
        call: 1,
        often,
        fault: what,
    });
}

/// A runner in the making, on a store that can go wrong.
fn faulty(case: &Case<'_>) -> (Recipe, Arc<FaultStore>) {
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    (crew(case).on(store), fault)
}

/// Runs four targets while the n-th call of an operation goes wrong, for n up to 4.
async fn survives(case: &mut Case<'_>, operation: &'static str, what: Fault) -> Verdict {
    for call in 1..=4 {
        let (recipe, fault) = faulty(case);
        fault.plan(Plan {
            operation: Some(operation),
            call,
            often: Often::Once,
            fault: what,
        });
        let mut crew = recipe.start().await?;
        let id = crew.submit(&format!("{call}-"), 4).await?;
        let first = crew.script.next().await?;
        first.busy();
        let order = crew.script.run(4).await?;
        crew.ends(&id, JobStatus::Done).await?;

        let expected: Vec<_> = (1..=4).map(|number| format!("{call}-{number}")).collect();
        same(order, expected)?;
        let tries: Vec<_> = case
            .all_targets(id.as_str())
            .await?
            .iter()
            .map(|t| t.tries)
            .collect();
        same(tries, vec![2, 1, 1, 1])?;
        let heard = crew.close(case).await?;
        same(
            (heard.targets().len(), heard.ended(JobStatus::Done)),
            (4, 1),
        )?;
    }
    Ok(())
}

/// R8.4 A call that failed is logged with its job, its operation and its kind of error.
pub async fn a_failed_call_is_logged_with_its_job(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let mut crew = recipe.start().await?;
    let id = crew.submit("a", 1).await?;
    let held = crew.script.expect("a1").await?;
    fault.plan(Plan {
        operation: Some("turn"),
        call: 1,
        often: Often::Once,
        fault: REFUSED,
    });

    held.done("ok");
    crew.ends(&id, JobStatus::Done).await?;

    let logged = case.markers().warnings(id.as_str());
    let line = present(logged.first().cloned(), "a warning that names the job")?;
    holds(line.contains("turn"), "the operation")?;
    holds(line.contains("unavailable"), "the kind of error")?;
    crew.close(case).await.map(|_| ())
}

/// R8.2, R8.1 A take that is refused now and then is sent again.
pub async fn a_refused_take_loses_nothing(case: &mut Case<'_>) -> Verdict {
    survives(case, "take", REFUSED).await
}

/// R8.2, S2.2 A take whose reply is lost starts its target once.
pub async fn a_lost_take_loses_nothing(case: &mut Case<'_>) -> Verdict {
    survives(case, "take", Fault::After).await
}

/// R8.2, B20 An outcome, or a busy answer, that is refused is kept and sent again.
pub async fn b20_a_refused_turn_loses_nothing(case: &mut Case<'_>) -> Verdict {
    survives(case, "turn", REFUSED).await
}

/// R8.2, B20, S2.3 An answer whose reply is lost counts once, in the store and in the hooks.
pub async fn b20_a_lost_turn_counts_once(case: &mut Case<'_>) -> Verdict {
    survives(case, "turn", Fault::After).await
}

/// R8.2, S1.1 A turn that is dropped half way is sent again.
pub async fn a_dropped_turn_loses_nothing(case: &mut Case<'_>) -> Verdict {
    survives(case, "turn", Fault::DropAtPoll(1)).await
}

/// R8.2, S2.1 A submit whose reply is lost makes one job.
pub async fn b08_a_lost_submit_of_a_runner_makes_one_job(case: &mut Case<'_>) -> Verdict {
    survives(case, "submit", Fault::After).await?;

    same(case.listed().await?.len(), 4)
}

/// R8.2, R9.2 Renewals may be refused.
pub async fn refused_renewals_harm_nothing(case: &mut Case<'_>) -> Verdict {
    survives(case, "renew", REFUSED).await
}

/// R8.2, R9.2 Renewals may be lost, and the session still gives itself back.
pub async fn lost_renewals_harm_nothing(case: &mut Case<'_>) -> Verdict {
    survives(case, "renew", Fault::After).await
}

/// R8.1 Sweeps may fail.
pub async fn refused_sweeps_harm_nothing(case: &mut Case<'_>) -> Verdict {
    survives(case, "sweep", REFUSED).await
}

/// R8.1 Looks for dead sessions may fail.
pub async fn refused_looks_harm_nothing(case: &mut Case<'_>) -> Verdict {
    survives(case, "sessions", REFUSED).await
}

/// R8.2, R4.2 A cancel whose reply is lost is told once.
pub async fn a_lost_cancel_is_told_once(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let crew = recipe.start().await?;
    let id = crew.submit("a", 1).await?;
    strike(&fault, "cancel", Often::Once, Fault::After);

    let cancelled = crew.runner.cancel(&id).await?;

    same(cancelled, true)?;
    same(crew.close(case).await?.ended(JobStatus::Cancelled), 1)
}

/// R8.2 A turn that stands still is sent again, and its outcome is stored once.
pub async fn a_turn_that_stands_still_is_sent_again(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let brief = |config: &mut Config| config.store_retry_for = Duration::from_millis(800);
    let mut crew = recipe.with(brief).start().await?;
    let id = crew.submit("a", 2).await?;
    let begun = crew.script.expect("a1").await?;
    strike(&fault, "turn", Often::Once, Fault::Stall);

    begun.done("ok");
    crew.script.expect("a2").await?.done("ok");

    crew.ends(&id, JobStatus::Done).await?;
    fault.release();
    let logged = case.markers().warnings(id.as_str());
    holds(
        logged.iter().any(|line| line.contains("turn")),
        "a warning that names the operation",
    )?;
    same(crew.close(case).await?.targets().len(), 2)
}

/// R8.1 A store that panics ends neither a worker nor the beat.
pub async fn a_store_that_panics_ends_no_worker(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let mut crew = recipe.start().await?;
    let id = crew.submit("a", 2).await?;
    let begun = crew.script.expect("a1").await?;
    strike(&fault, "turn", Often::Once, Fault::Panic);
    strike(&fault, "renew", Often::Once, Fault::Panic);

    begun.done("ok");
    crew.script.expect("a2").await?.done("ok");

    crew.ends(&id, JobStatus::Done).await?;
    crew.spy.more("renew", 2).await?;
    crew.close(case).await.map(|_| ())
}

/// R2.6 A store that wakes without end is not asked without end.
pub async fn a_restless_store_is_asked_now_and_then(case: &mut Case<'_>) -> Verdict {
    let rare = |config: &mut Config| config.poll = Duration::from_hours(1);
    let mut crew = crew(case).with(rare).start().await?;
    crew.spy.never_rest();
    let id = crew.submit("a", 1).await?;
    crew.script.run(1).await?;
    crew.ends(&id, JobStatus::Done).await?;
    let before = crew.spy.calls("take");

    crew.spy.more("renew", 10).await?;

    holds(crew.spy.calls("take") <= before + 4, "next to no takes")?;
    crew.close(case).await.map(|_| ())
}

/// R8.2, R9.2 While an outcome waits nothing is taken, and the session still beats.
pub async fn while_an_outcome_waits_nothing_is_taken(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let mut crew = recipe.start().await?;
    let a = crew.submit("a", 1).await?;
    let begun = crew.script.expect("a1").await?;
    let b = crew.submit("b", 1).await?;
    strike(&fault, "turn", Often::FromThenOn, Fault::Stall);

    begun.done("ok");
    crew.spy.more("renew", 5).await?;
    let early = crew.script.begun();
    fault.heal();
    fault.release();

    holds(early.is_none(), "nothing is taken")?;
    crew.script.expect("b1").await?.done("ok");
    crew.ends(&a, JobStatus::Done).await?;
    crew.ends(&b, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

fn briefly(config: &mut Config) {
    config.store_retry_for = Duration::from_millis(100);
}

/// R8.3, B40 An outcome that is refused for good is replaced by a failure, once.
pub async fn b40_a_refused_outcome_is_replaced_by_a_failure(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let mut crew = recipe.with(briefly).start().await?;
    let id = crew.submit("a", 2).await?;
    let begun = crew.script.expect("a1").await?;
    strike(
        &fault,
        "turn",
        Often::FromThenOn,
        Fault::Before(StoreErrorKind::Full),
    );
    strike(
        &fault,
        "finish",
        Often::Once,
        Fault::Before(StoreErrorKind::Full),
    );

    begun.done("ok");
    let second = crew.script.expect("a2").await?;
    fault.heal();
    second.done("ok");

    crew.ends(&id, JobStatus::Partial).await?;
    let expected = ["failed outcome not stored", "done ok"]
        .map(String::from)
        .to_vec();
    same(outcomes(case, &id).await?, expected)?;
    same(crew.runner.tally().not_stored, 1)?;
    let told = crew.close(case).await?.targets();
    same(
        told.first(),
        Some(&(Some("outcome not stored".to_owned()), 0)),
    )
}

/// R8.3, B40 When only the take of a turn finds no room, its outcome is stored alone.
pub async fn b40_an_outcome_with_room_is_stored_without_its_take(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let mut crew = recipe.with(briefly).start().await?;
    let id = crew.submit("a", 1).await?;
    let begun = crew.script.expect("a1").await?;
    strike(
        &fault,
        "turn",
        Often::FromThenOn,
        Fault::Before(StoreErrorKind::Full),
    );

    begun.done("ok");

    crew.ends(&id, JobStatus::Done).await?;
    same(outcomes(case, &id).await?, vec!["done ok".to_owned()])?;
    same(crew.runner.tally().not_stored, 0)?;
    same(crew.close(case).await?.targets().len(), 1)
}

/// R8.3, R9.2 When the failure is refused as well, the target goes back and is tried again.
pub async fn a_target_whose_failure_is_refused_goes_back(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let mut crew = recipe.with(briefly).start().await?;
    let id = crew.submit("a", 1).await?;
    let begun = crew.script.expect("a1").await?;
    let invalid = Fault::Before(StoreErrorKind::Invalid);
    strike(&fault, "turn", Often::Once, invalid);
    strike(&fault, "finish", Often::FromThenOn, invalid);

    begun.done("ok");
    crew.spy.more("renew", 3).await?;
    fault.heal();
    let again = crew.script.expect("a1").await?;

    same((again.attempt.fence, again.attempt.tries), (2, 1))?;
    again.done("ok");
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// Moves a clock on a quarter of a second, and lets the runner act.
async fn pass(clock: &ManualClock) {
    clock.advance(Duration::from_millis(250));
    SystemClock::new().sleep(Duration::from_millis(1)).await;
}

/// Moves a clock on until something happens.
async fn pass_until<T>(clock: &ManualClock, event: impl Future<Output = T>) -> T {
    let mut event = pin!(event);
    loop {
        pass(clock).await;
        if let Some(value) = drop_at_poll(&mut event, 1).await {
            return value;
        }
    }
}

/// R8.2, B20 A store that refuses every take is asked now and then, and used again at once.
pub async fn b20_a_broken_store_causes_no_storm(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let clock = Arc::new(ManualClock::new(START));
    let usual = |config: &mut Config| {
        config.beat = Duration::from_secs(2);
        config.poll = Duration::from_millis(250);
        config.store_retry_for = Duration::from_mins(1);
    };
    let mut crew = recipe
        .clock(clock.clone())
        .workers(8)
        .with(usual)
        .start()
        .await?;
    strike(&fault, "take", Often::FromThenOn, REFUSED);
    let id = crew.submit("a", 1).await?;

    for _quarter in 0..240 {
        pass(&clock).await;
    }
    holds(fault.struck() <= 40, "no more than forty takes in a minute")?;
    pass_until(&clock, crew.spy.reached("take", 5)).await?;
    fault.heal();

    let begun = pass_until(&clock, crew.script.expect("a1")).await?;
    begun.done("ok");
    pass_until(&clock, crew.ends(&id, JobStatus::Done)).await?;
    let report = pass_until(&clock, crew.runner.close(None)).await;
    holds(report.gave_back, "a clean close")
}

/// R8.1, B20 A store that was closed under its runner is not asked without pause.
pub async fn b20_a_closed_store_causes_no_storm(case: &mut Case<'_>) -> Verdict {
    let (recipe, fault) = faulty(case);
    let crew = recipe.start().await?;
    strike(
        &fault,
        "take",
        Often::FromThenOn,
        Fault::Before(StoreErrorKind::Closed),
    );
    crew.spy.never_rest();

    crew.spy.more("renew", 10).await?;

    holds(fault.struck() <= 3, "next to no takes")?;
    fault.heal();
    same(closes_well(crew).await, true)
}

async fn closes_well(crew: Crew) -> bool {
    crew.runner.close(None).await.gave_back
}
