//! Sessions that are lost, stopped or slow, and who takes over (R9).
//!
//! A stopped runner is one whose every store call stands still: that is what others
//! see of SIGSTOP, of a suspended machine and of a broken network.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use batch_core::caller::{BoxError, Caller, Callers, PlainCaller};
use batch_core::error::Error;
use batch_core::id::Kind;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::call::Reap;
use batch_core::store::reply::ReapReply;
use batch_core::store::view::SessionLock;
use batch_core::submission::Mode;

use super::crew::{Crew, crew, now, outcomes};
use crate::breach::{Failure, Verdict, holds, present, same, unlike};
use crate::case::Case;
use crate::fault::{Fault, FaultStore, Often, Plan};
use crate::script::Try;

/// A runner that can be stopped.
pub(super) struct Stoppable {
    pub(super) crew: Crew,
    fault: Arc<FaultStore>,
}

/// A runner on a store of its own handle, as yet at work.
pub(super) async fn stopped_runner(case: &Case<'_>) -> Verdict<Stoppable> {
    let fault = Arc::new(FaultStore::new(case.second().await?));
    let store: Arc<dyn Store> = fault.clone();
    let crew = crew(case).on(store).start().await?;
    Ok(Stoppable { crew, fault })
}

impl Stoppable {
    /// From now on none of its calls gets through.
    pub(super) fn stop(&self) {
        self.fault.plan(Plan {
            operation: None,
            call: 1,
            often: Often::FromThenOn,
            fault: Fault::Stall,
        });
    }

    /// The next try, which must be of the target of this name.
    pub(super) async fn script_try(&mut self, name: &str) -> Verdict<Try> {
        self.crew.script.expect(name).await
    }

    /// Its calls get through again.
    fn go_on(&self) {
        self.fault.heal();
        self.fault.release();
    }

    /// Lets it go on, and closes it.
    pub(super) async fn revive(self) -> Verdict {
        self.go_on();
        self.crew.stop().await.map(|_| ())
    }
}

/// Fails on a store that knows by its locks that this process lives.
async fn judged_by_beats(case: &Case<'_>) -> Verdict {
    let sessions = case.sessions().await?;
    if sessions
        .iter()
        .any(|session| session.lock == SessionLock::Held)
    {
        let why = "the store knows by its locks that the runner lives; its beat must stand still";
        return Err(Failure::NotOffered(why.to_owned()));
    }
    Ok(())
}

/// Reaps the one session that there is, as if it were dead.
async fn reap_by_hand(case: &Case<'_>) -> Verdict {
    let session = present(case.sessions().await?.pop(), "a session")?;
    let mut beat = session.beat;
    loop {
        let call = Reap {
            session: session.id.clone(),
            beat,
            now: now(),
            max: 100,
        };
        match case.store().reap(call).await? {
            ReapReply::Reaped { more: false, .. } => return Ok(()),
            ReapReply::Reaped { .. } => {}
            ReapReply::Moved => {
                let moved = case.session(session.id.as_str()).await?;
                beat = present(moved, "the session")?.beat;
            }
        }
    }
}

/// R9.1, R7.4, B01 An outcome whose start was given away is refused, and its runner goes on.
pub async fn b01_a_superseded_outcome_is_refused_and_the_runner_goes_on(
    case: &mut Case<'_>,
) -> Verdict {
    let mut crew = crew(case).workers(2).start().await?;
    let id = crew.make(crew.job("a", 2).mode(Mode::Resume)).await?;
    let first = crew.script.expect("a1").await?;

    reap_by_hand(case).await?;
    let second = crew.script.expect("a1").await?;
    crew.turn(|| first.done("late")).await?;
    second.done("second");
    crew.script.expect("a2").await?.done("ok");

    crew.ends(&id, JobStatus::Done).await?;
    let expected = ["done second", "done ok"].map(String::from).to_vec();
    same(outcomes(case, &id).await?, expected)?;
    let runner = crew.runner.clone();
    let heard = crew.close(case).await?;
    same(runner.tally().superseded, 1)?;
    same(heard.targets().len(), 2)?;
    same(heard.ended(JobStatus::Done), 1)
}

/// R9.4, R1.7 A runner that was given up makes pinned jobs under its next session.
pub async fn a_runner_that_was_given_up_enters_again(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let before = present(case.sessions().await?.pop(), "a session")?;
    reap_by_hand(case).await?;

    let id = crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.done("ok");

    crew.ends(&id, JobStatus::Done).await?;
    let after = present(case.sessions().await?.pop(), "a session")?;
    holds(before.id != after.id, "another id")?;
    crew.close(case).await.map(|_| ())
}

/// R9.2 A start whose reply was lost is handed back, and tried.
pub async fn a_start_that_nobody_learned_of_is_handed_back(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    let brief = |config: &mut batch_core::config::Config| {
        config.store_retry_for = std::time::Duration::from_millis(200);
    };
    let mut crew = crew(case).on(store).with(brief).start().await?;
    fault.plan(Plan {
        operation: Some("take"),
        call: 1,
        often: Often::FromThenOn,
        fault: Fault::After,
    });
    let id = crew.submit("a", 1).await?;
    crew.spy.more("finish", 1).await?;

    fault.heal();
    let begun = crew.script.expect("a1").await?;

    holds(begun.attempt.fence > 1, "a later start")?;
    same(begun.attempt.tries, 1)?;
    begun.done("ok");
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R9.3, R9.4, B10 Jobs pinned to a stopped runner end, and their caps are free.
pub async fn b10_pinned_jobs_of_a_stopped_runner_end(case: &mut Case<'_>) -> Verdict {
    let mut stopped = stopped_runner(case).await?;
    judged_by_beats(case).await?;
    let id = stopped.crew.submit("a", 2).await?;
    let held = stopped.script_try("a1").await?;
    stopped.stop();

    let cap = |config: &mut batch_core::config::Config| config.jobs_per_caller = 1;
    let mut judge = crew(case).impatient().with(cap).start().await?;
    let job = judge.ends(&id, JobStatus::Failed).await?;

    same(job.error.as_deref(), Some("interrupted"))?;
    let again = judge.submit("a", 2).await?;
    judge.script.run(2).await?;
    judge.ends(&again, JobStatus::Done).await?;
    held.done("late");
    stopped.revive().await?;
    same(outcomes(case, &id).await?, vec!["pending".to_owned(); 2])?;
    same(judge.close(case).await?.ended(JobStatus::Failed), 1)
}

/// R1.11, B10 A submit at its cap looks for the dead before it is refused.
pub async fn b10_a_submit_at_its_cap_looks_for_the_dead(case: &mut Case<'_>) -> Verdict {
    let stopped = stopped_runner(case).await?;
    judged_by_beats(case).await?;
    stopped.crew.submit("a", 1).await?;
    stopped.stop();
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    let cap = |config: &mut batch_core::config::Config| config.jobs_per_caller = 1;
    let judge = crew(case).on(store).impatient().with(cap).start().await?;
    judge.spy.reached("sessions", 1).await?;
    fault.plan(Plan {
        operation: Some("sessions"),
        call: 1,
        often: Often::FromThenOn,
        fault: Fault::Before(batch_core::store::error::StoreErrorKind::Unavailable),
    });
    judge.spy.more("renew", 6).await?;
    let early = judge.try_submit(judge.job("b", 1)).await;

    fault.heal();
    let made = judge.try_submit(judge.job("b", 1)).await?;

    holds(
        matches!(early, Err(Error::CallerBusy)),
        "CallerBusy while nothing is known",
    )?;
    same(made.reused, false)?;
    stopped.revive().await?;
    judge.close(case).await.map(|_| ())
}

/// R9.3, R9.5, B04 Another runner goes on with the shared job of a stopped one.
pub async fn b04_a_shared_job_of_a_stopped_runner_goes_on(case: &mut Case<'_>) -> Verdict {
    let mut stopped = stopped_runner(case).await?;
    judged_by_beats(case).await?;
    let id = stopped
        .crew
        .make(stopped.crew.job("a", 3).mode(Mode::Resume))
        .await?;
    stopped.script_try("a1").await?.done("first");
    let held = stopped.script_try("a2").await?;
    stopped.stop();

    let mut judge = crew(case).impatient().start().await?;
    let again = judge.script.expect("a2").await?;
    same((again.attempt.fence, again.attempt.tries), (2, 1))?;
    again.done("second");
    judge.script.expect("a3").await?.done("third");

    judge.ends(&id, JobStatus::Done).await?;
    held.done("late");
    stopped.revive().await?;
    let expected = ["done first", "done second", "done third"]
        .map(String::from)
        .to_vec();
    same(outcomes(case, &id).await?, expected)?;
    judge.close(case).await.map(|_| ())
}

/// R9.3 A runner that beats is never given up, however long its target takes.
pub async fn a_runner_that_beats_is_never_given_up(case: &mut Case<'_>) -> Verdict {
    let mut slow = crew(case).start().await?;
    let id = slow.submit("a", 1).await?;
    let held = slow.script.expect("a1").await?;
    let patient = |config: &mut batch_core::config::Config| config.missed_beats = 25;
    let judge = crew(case)
        .on(case.second().await?)
        .with(patient)
        .start()
        .await?;

    judge.spy.more("renew", 40).await?;

    held.done("ok");
    slow.ends(&id, JobStatus::Done).await?;
    same(slow.runner.tally().superseded, 0)?;
    judge.stop().await?;
    slow.close(case).await.map(|_| ())
}

/// R9.5 A target that is lost again and again is stored as interrupted.
pub async fn a_target_lost_too_often_is_interrupted(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case)
        .workers(2)
        .with(|config| config.max_losses = 2)
        .start()
        .await?;
    let id = crew.make(crew.job("a", 2).mode(Mode::Resume)).await?;

    let one = crew.script.expect("a1").await?;
    reap_by_hand(case).await?;
    crew.turn(|| one.done("late")).await?;
    let two = crew.script.expect("a1").await?;
    reap_by_hand(case).await?;
    crew.script.expect("a2").await?.done("ok");
    drop(two);

    crew.ends(&id, JobStatus::Partial).await?;
    let expected = ["failed interrupted", "done ok"].map(String::from).to_vec();
    same(outcomes(case, &id).await?, expected)?;
    crew.close(case).await.map(|_| ())
}

/// R9.4 A session of another kind is reaped too, and its jobs are told to nobody here.
pub async fn a_stopped_runner_of_another_kind_is_reaped(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(FaultStore::new(case.second().await?));
    let store: Arc<dyn Store> = fault.clone();
    let other = crew(case)
        .on(store)
        .with(|config| config.kind = Kind::new("other"));
    let stopped = Stoppable {
        crew: other.start().await?,
        fault,
    };
    judged_by_beats(case).await?;
    let id = stopped.crew.submit("a", 1).await?;
    stopped.stop();

    let judge = crew(case).impatient().start().await?;
    let job = judge.ended(&id).await?;

    same(
        (job.status, job.error.as_deref()),
        (JobStatus::Failed, Some("interrupted")),
    )?;
    stopped.revive().await?;
    same(judge.close(case).await?.ended(JobStatus::Failed), 0)
}

/// Knows nobody.
struct Nobody;

#[async_trait]
impl Callers for Nobody {
    async fn rebuild(&self, _: &str, _: &str) -> Result<Option<Arc<dyn Caller>>, BoxError> {
        Ok(None)
    }
}

/// Fails the first time.
struct AtSecondSight(AtomicBool);

#[async_trait]
impl Callers for AtSecondSight {
    async fn rebuild(&self, name: &str, class: &str) -> Result<Option<Arc<dyn Caller>>, BoxError> {
        if self.0.swap(false, Ordering::SeqCst) {
            return Err(name.into());
        }
        Ok(Some(Arc::new(PlainCaller::new(name).with_class(class))))
    }
}

/// Leaves a shared job of one target behind.
async fn left_behind(case: &mut Case<'_>) -> Verdict<batch_core::id::JobId> {
    let mut crew = crew(case).start().await?;
    crew.submit("held", 1).await?;
    let held = crew.script.next().await?;
    let id = crew.make(crew.job("a", 1).mode(Mode::Resume)).await?;
    let runner = crew.runner.clone();
    let closing = tokio::spawn(async move { runner.close(None).await });
    held.signalled().await?;
    held.done("ok");
    holds(
        closing.await.is_ok_and(|report| report.gave_back),
        "a clean close",
    )?;
    crew.close(case).await?;
    Ok(id)
}

/// R9.6 A job whose caller nobody knows ends as failed, untried.
pub async fn a_job_of_an_unknown_caller_is_refused(case: &mut Case<'_>) -> Verdict {
    let id = left_behind(case).await?;

    let crew = crew(case).callers(Nobody).start().await?;
    let job = crew.ends(&id, JobStatus::Failed).await?;

    same(job.error.as_deref(), Some("unknown caller"))?;
    same(outcomes(case, &id).await?, vec!["pending".to_owned()])?;
    let heard = crew.close(case).await?;
    same(
        (heard.ended(JobStatus::Failed), heard.targets().len()),
        (1, 0),
    )
}

/// R9.6, R1.8 A caller that cannot be rebuilt now is rebuilt later, from name and class.
pub async fn a_caller_that_fails_to_be_rebuilt_is_tried_later(case: &mut Case<'_>) -> Verdict {
    let id = left_behind(case).await?;

    let mut crew = crew(case)
        .callers(AtSecondSight(AtomicBool::new(true)))
        .start()
        .await?;
    let begun = crew.script.expect("a1").await?;

    same(begun.caller.name(), case.markers().text("caller").as_str())?;
    same(begun.caller.class(), case.markers().text("class").as_str())?;
    same((begun.attempt.tries, begun.attempt.fence), (1, 2))?;
    begun.done("ok");
    match crew.ended(&id).await?.status {
        JobStatus::Done => crew.close(case).await.map(|_| ()),
        other => unlike(&other, "done"),
    }
}
