//! Gauges and hooks (R7).

use std::sync::{Arc, Mutex};

use batch_core::hooks::{Hooks, JobEvent};
use batch_core::runner::Runner;
use batch_core::state::JobStatus;
use batch_core::submission::{Mode, Submission};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::block_in_place;

use super::crew::crew;
use super::heard::Note;
use crate::breach::{Verdict, same};
use crate::case::Case;

/// R7.1, R7.2 Gauges follow every change down to zero.
pub async fn gauges_follow_every_change(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let a = crew.submit("a", 2).await?;
    let held = crew.script.expect("a1").await?;
    let b = crew.submit("b", 1).await?;

    held.done("ok");
    crew.script.run(2).await?;
    crew.ends(&a, JobStatus::Done).await?;
    crew.ends(&b, JobStatus::Done).await?;
    crew.heard.until(&Note::Depth(0), 1).await?;

    let heard = crew.close(case).await?;
    same(heard.depths(), vec![1, 2, 1, 0])?;
    same(heard.inflights(), vec![1, 0, 1, 0, 1, 0])
}

/// R7.1 A job that another runner ended leaves the gauge within the beats.
pub async fn a_job_that_another_runner_ended_leaves_the_gauge(case: &mut Case<'_>) -> Verdict {
    let mut one = crew(case).start().await?;
    let pinned = one.submit("x", 1).await?;
    let held = one.script.expect("x1").await?;
    let mut other = crew(case).on(case.second().await?).start().await?;
    let id = one.make(one.job("a", 1).mode(Mode::Resume)).await?;
    one.heard.until(&Note::Depth(2), 1).await?;

    other.script.expect("a1").await?.done("ok");
    one.heard.until(&Note::Depth(1), 2).await?;

    held.done("ok");
    one.ends(&pinned, JobStatus::Done).await?;
    one.ends(&id, JobStatus::Done).await?;
    other.stop().await?;
    same(one.close(case).await?.depths(), vec![1, 2, 1, 0])
}

/// R7.1, B50 A job that ended before its submit was answered is not counted for ever.
pub async fn b50_a_job_that_ended_before_its_submit_was_answered_is_not_counted(
    case: &mut Case<'_>,
) -> Verdict {
    let rare = |config: &mut batch_core::config::Config| {
        config.beat = std::time::Duration::from_hours(1);
    };
    let mut crew = crew(case).with(rare).start().await?;
    crew.spy.hold(Some("submit"));
    let (runner, request) = (crew.runner.clone(), crew.job("a", 1));
    let submit = tokio::spawn(async move { runner.submit(request).await });
    crew.script.expect("a1").await?.done("ok");
    crew.heard
        .until(&Note::Job(JobEvent::Ended(JobStatus::Done)), 1)
        .await?;

    crew.spy.hold(None);
    let made = submit.await.is_ok_and(|answer| answer.is_ok());

    same(made, true)?;
    same(crew.heard.depths().last().copied(), Some(0))?;
    crew.close(case).await.map(|_| ())
}

fn hook_that_panics<T>(_: T) {
    std::panic::panic_any("a hook");
}

/// R7.3, R8.1, B50 Hooks that panic harm nothing.
pub async fn b50_hooks_that_panic_harm_nothing(case: &mut Case<'_>) -> Verdict {
    let hooks = Hooks {
        job: Some(Arc::new(hook_that_panics)),
        target: Some(Arc::new(|error, _, _| hook_that_panics(error))),
        job_seconds: Some(Arc::new(hook_that_panics)),
        depth: Some(Arc::new(hook_that_panics)),
        inflight: Some(Arc::new(hook_that_panics)),
    };
    let mut crew = crew(case).hooks(hooks).start().await?;

    let id = crew.submit("a", 3).await?;
    crew.script.run(3).await?;

    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// A runner that a hook can call, once there is one.
#[derive(Clone, Default)]
struct Line(Arc<Mutex<Option<(Runner, Submission)>>>);

impl Line {
    fn connect(&self, runner: &Runner, submission: Submission) {
        if let Ok(mut line) = self.0.lock() {
            *line = Some((runner.clone(), submission));
        }
    }

    /// Submits, waiting for the answer inside the hook; once.
    fn submit(&self) {
        let line = self.0.lock().ok().and_then(|mut line| line.take());
        if let Some((runner, submission)) = line {
            let submit = async move {
                let answer = runner.submit(submission).await;
                if let Ok(made) = answer {
                    let _ = runner.cancel(&made.id).await;
                }
            };
            block_in_place(|| Handle::current().block_on(submit));
        }
    }
}

/// R7.3, B50 A hook may submit and cancel.
pub async fn b50_a_hook_may_submit_and_cancel(case: &mut Case<'_>) -> Verdict {
    let line = Line::default();
    let (own, cancelled) = (line.clone(), watch::Sender::new(false));
    let told = cancelled.clone();
    let hooks = Hooks {
        job: Some(Arc::new(move |event| {
            if event == JobEvent::Ended(JobStatus::Done) {
                own.submit();
            }
            told.send_modify(|told| *told |= event == JobEvent::Ended(JobStatus::Cancelled));
        })),
        ..Hooks::default()
    };
    let mut crew = crew(case).hooks(hooks).start().await?;
    line.connect(&crew.runner, crew.job("b", 1));

    let id = crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.done("ok");

    crew.ends(&id, JobStatus::Done).await?;
    let _ = cancelled.subscribe().wait_for(|told| *told).await;
    crew.close(case).await.map(|_| ())
}

/// R7.3, R1.11 A hook that hears of an interrupted job may submit, and be answered with another.
pub async fn a_hook_of_a_reap_may_submit(case: &mut Case<'_>) -> Verdict {
    let mut dead = super::sessions::stopped_runner(case).await?;
    let id = dead.crew.submit("x", 1).await?;
    let held = dead.script_try("x1").await?;
    let line = Line::default();
    let (own, done) = (line.clone(), watch::Sender::new(false));
    let told = done.clone();
    let hooks = Hooks {
        job: Some(Arc::new(move |event| {
            if event == JobEvent::Ended(JobStatus::Failed) {
                own.submit();
                told.send_replace(true);
            }
        })),
        ..Hooks::default()
    };
    let cap = |config: &mut batch_core::config::Config| config.jobs_per_caller = 2;
    let judge = crew(case)
        .impatient()
        .with(cap)
        .hooks(hooks)
        .start()
        .await?;
    judge.submit("y", 1).await?;
    line.connect(&judge.runner, judge.job("y", 1));

    dead.stop();
    let _ = done.subscribe().wait_for(|told| *told).await;

    judge.ends(&id, JobStatus::Failed).await?;
    drop(held);
    dead.revive().await?;
    judge.close(case).await.map(|_| ())
}

/// R7.3 A slow hook holds up its own worker only.
pub async fn a_slow_hook_holds_up_its_worker_only(case: &mut Case<'_>) -> Verdict {
    let (free, freed) = (watch::Sender::new(false), watch::Sender::new(0_u32));
    let (gate, entered) = (free.clone(), freed.clone());
    let hooks = Hooks {
        target: Some(Arc::new(move |error, _, _| {
            if error.is_some() {
                entered.send_modify(|count| *count += 1);
                let mut gate = gate.subscribe();
                let wait = async move {
                    let _ = gate.wait_for(|free| *free).await;
                };
                block_in_place(|| Handle::current().block_on(wait));
            }
        })),
        ..Hooks::default()
    };
    let mut crew = crew(case).workers(2).hooks(hooks).start().await?;
    let slow = crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.fails("no");
    let _ = freed.subscribe().wait_for(|count| *count == 1).await;

    let quick = crew.submit("b", 3).await?;
    crew.script.run(3).await?;

    crew.ends(&quick, JobStatus::Done).await?;
    free.send_replace(true);
    crew.ends(&slow, JobStatus::Failed).await?;
    crew.close(case).await.map(|_| ())
}
