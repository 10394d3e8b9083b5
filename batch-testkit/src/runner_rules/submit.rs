//! What a submit answers, and what a fetch sees of its caller (R1).
//!
//! Lists too long for one call are in `long.rs`, races in `race.rs`.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use batch_core::caller::{Caller, PlainCaller};
use batch_core::config::Config;
use batch_core::error::{Error, Field};
use batch_core::hooks::JobEvent;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::call::NewTarget;
use batch_core::store::error::StoreErrorKind;
use batch_core::submission::{Mode, Submission};

use super::crew::{crew, list};
use super::heard::Note;
use crate::breach::{Verdict, holds, present, same, unlike};
use crate::case::Case;
use crate::fault::{Fault, FaultStore, Often, Plan, drop_at_poll};

/// R1.1 A job has a target.
pub async fn a_submit_without_targets_is_refused(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;

    let refused = crew.try_submit(crew.job("a", 0)).await;

    holds(matches!(refused, Err(Error::NoTargets)), "NoTargets")?;
    same(case.listed().await?.len(), 0)?;
    crew.close(case).await.map(|_| ())
}

/// R1.2 Bad options name their target and the field, and show nothing of themselves.
pub async fn bad_options_name_their_target(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let mut targets = list(case.markers(), "a", 3);
    let twice = case.markers().text("twice");
    present(targets.get_mut(1), "a target")?.options = format!(r#"{{"{twice}":1,"{twice}":2}}"#);

    let refused = crew
        .try_submit(Submission::new(crew.caller("caller"), targets))
        .await;

    match refused {
        Err(
            error @ Error::BadTarget {
                index: 1,
                field: Field::Options,
                ..
            },
        ) => {
            holds(
                !format!("{error} {error:?}").contains(&twice),
                "no payload in the error",
            )?;
        }
        other => return unlike(&other, "BadTarget of target 1"),
    }
    same(case.listed().await?.len(), 0)?;
    crew.close(case).await.map(|_| ())
}

/// R1.2, R1.3, B07 Spelling makes no other request, and absent options are `{}`.
pub async fn b07_another_spelling_is_the_same_request(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let url = case.markers().text("url");
    let request = |options: &str| {
        let target = NewTarget::new(url.clone()).with_options(options);
        Submission::new(
            crew.caller("caller"),
            vec![target, NewTarget::new(url.clone())],
        )
    };
    let id = crew
        .make(request(r#"{ "b": "\u00e9", "a": [1.0] }"#))
        .await?;

    let again = crew.try_submit(request(r#"{"a":[1.0],"b":"é"}"#)).await?;

    same((again.id, again.reused), (id.clone(), true))?;
    let stored: Vec<_> = case.all_targets(id.as_str()).await?;
    let options: Vec<_> = stored
        .iter()
        .map(|target| target.options.as_str())
        .collect();
    same(options, vec![r#"{"a":[1.0],"b":"é"}"#, "{}"])?;
    crew.script.run(2).await?;
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R1.3, R7.4 A repeat finds its job, meets no cap, and is told as reused.
pub async fn a_repeat_is_reused_and_meets_no_cap(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case)
        .with(|config| config.jobs_per_caller = 1)
        .start()
        .await?;
    let id = crew.submit("a", 1).await?;

    let live = crew.try_submit(crew.job("a", 1)).await?;
    crew.script.run(1).await?;
    crew.ends(&id, JobStatus::Done).await?;
    let done = crew.try_submit(crew.job("a", 1)).await?;

    same((live.id, live.reused), (id.clone(), true))?;
    same((done.id, done.reused), (id, true))?;
    same(crew.runner.tally().reused, 2)?;
    let heard = crew.close(case).await?;
    same(heard.times(&Note::Job(JobEvent::Created)), 1)?;
    same(heard.times(&Note::Job(JobEvent::Reused)), 2)
}

/// R1.3 What failed or was cancelled is made anew.
pub async fn a_failed_or_cancelled_job_is_not_reused(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let failed = crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.fails("no");
    crew.ends(&failed, JobStatus::Failed).await?;

    let second = crew.submit("a", 1).await?;
    let held = crew.script.expect("a1").await?;
    holds(
        crew.runner.cancel(&second).await?,
        "a live job is cancelled",
    )?;
    held.done("late");
    let third = crew.submit("a", 1).await?;

    crew.script.expect("a1").await?.done("yes");
    crew.ends(&third, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R1.4, R7.4 Every cap refuses by its own name, and leaves nothing.
pub async fn every_cap_refuses_by_its_name(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case)
        .with(|config| {
            config.targets_per_job = 3;
            config.jobs_per_caller = 1;
            config.jobs_total = 2;
        })
        .start()
        .await?;
    let first = crew.submit("a", 3).await?;
    let second = crew.make(crew.job_of("other", "a", 3)).await?;

    let many = crew.try_submit(crew.job_of("third", "b", 4)).await;
    let caller = crew.try_submit(crew.job("b", 1)).await;
    let total = crew.try_submit(crew.job_of("third", "b", 1)).await;

    holds(
        matches!(many, Err(Error::TooManyTargets { limit: 3 })),
        "TooManyTargets",
    )?;
    holds(matches!(caller, Err(Error::CallerBusy)), "CallerBusy")?;
    holds(matches!(total, Err(Error::Busy)), "Busy")?;
    same(crew.runner.tally().refused, 3)?;
    same(
        case.listed().await?,
        vec![first.to_string(), second.to_string()],
    )?;
    crew.close(case).await.map(|_| ())
}

/// R1.5 A client's key belongs to its targets while its job could be reused.
pub async fn a_client_key_with_other_targets_is_a_conflict(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let key = case.markers().text("key");
    let id = crew.make(crew.job("a", 1).client_key(&key)).await?;

    let conflict = crew.try_submit(crew.job("b", 1).client_key(&key)).await;
    let again = crew.try_submit(crew.job("a", 1).client_key(&key)).await?;

    match conflict {
        Err(Error::KeyConflict { id: of }) => same(of, id.clone())?,
        other => return unlike(&other, "KeyConflict"),
    }
    same((again.id, again.reused), (id.clone(), true))?;
    crew.script.run(1).await?;
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R1.5 `fresh` makes a new job, which the key names from then on.
pub async fn a_fresh_submit_takes_the_key_over(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let old = crew.submit("a", 1).await?;

    let new = crew.make(crew.job("a", 1).fresh()).await?;
    let found = crew.try_submit(crew.job("a", 1)).await?;

    holds(old != new, "another job")?;
    same((found.id, found.reused), (new.clone(), true))?;
    crew.script.run(2).await?;
    crew.ends(&old, JobStatus::Done).await?;
    crew.ends(&new, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R1.7, R2.4 Before a worker reaches it, a job is stored as queued, with all it was given.
pub async fn a_job_is_queued_until_a_worker_reaches_it(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    crew.submit("a", 1).await?;
    let held = crew.script.expect("a1").await?;

    let note = case.markers().text("note");
    let id = crew
        .make(crew.job("b", 2).mode(Mode::Resume).note(&note))
        .await?;
    crew.spy.more("renew", 3).await?;

    let job = case.job(id.as_str()).await?;
    same(id.as_str().len(), 32)?;
    same((job.status, job.started_at), (JobStatus::Queued, None))?;
    same((job.created_at, job.counts.pending), (job.lease, 2))?;
    same((job.note, job.pin), (note, None))?;
    held.done("ok");
    crew.script.run(2).await?;
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R1.8, R1.9 A submit that has begun ends by itself.
pub async fn a_dropped_submit_makes_its_job(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    crew.spy.hold(Some("submit"));

    let answer = drop_at_poll(crew.runner.submit(crew.job("a", 1)), 1).await;
    crew.spy.hold(None);

    holds(answer.is_none(), "the submit is dropped before its end")?;
    crew.heard.until(&Note::Job(JobEvent::Created), 1).await?;
    crew.script.expect("a1").await?.done("ok");
    crew.heard
        .until(&Note::Job(JobEvent::Ended(JobStatus::Done)), 1)
        .await?;
    crew.close(case).await.map(|_| ())
}

/// A caller with more than a name.
struct Desk {
    plain: PlainCaller,
    secret: u32,
}

impl Caller for Desk {
    fn name(&self) -> &str {
        self.plain.name()
    }

    fn class(&self) -> &str {
        self.plain.class()
    }
}

/// R1.8 A fetch gets the very value that submitted the job.
pub async fn the_callers_value_reaches_its_fetch(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let plain = PlainCaller::new(case.markers().text("desk"));
    let desk = Arc::new(Desk { plain, secret: 7 });

    let id = crew
        .make(Submission::new(desk, list(case.markers(), "a", 1)))
        .await?;
    let begun = crew.script.next().await?;

    let desk = (&*begun.caller as &dyn Any).downcast_ref::<Desk>();
    same(desk.map(|desk| desk.secret), Some(7))?;
    begun.done("ok");
    let job = crew.ends(&id, JobStatus::Done).await?;
    same(job.caller.name, case.markers().text("desk"))?;
    crew.close(case).await.map(|_| ())
}

/// R1.8, R8.2 A submit that nobody learned of may have made its job, with its caller.
pub async fn a_submit_that_nobody_learned_of_keeps_its_caller(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    let brief = |config: &mut Config| config.store_retry_for = Duration::from_millis(200);
    let mut crew = crew(case).on(store).with(brief).start().await?;
    let plans = [
        (Often::Once, Fault::After),
        (
            Often::FromThenOn,
            Fault::Before(StoreErrorKind::Unavailable),
        ),
    ];
    for (often, fault_of) in plans {
        fault.plan(Plan {
            operation: Some("submit"),
            call: 1,
            often,
            fault: fault_of,
        });
    }
    let plain = PlainCaller::new(case.markers().text("desk"));
    let desk = Arc::new(Desk { plain, secret: 7 });

    let request = Submission::new(desk, list(case.markers(), "a", 1));
    let answer = crew.runner.submit(request).await;

    let kind = match &answer {
        Err(Error::Store(error)) => Some(error.kind()),
        _ => None,
    };
    same(kind, Some(StoreErrorKind::Unknown))?;
    let begun = crew.script.next().await?;
    let desk = (&*begun.caller as &dyn Any).downcast_ref::<Desk>();
    same(desk.map(|desk| desk.secret), Some(7))?;
    begun.done("ok");
    crew.heard
        .until(&Note::Job(JobEvent::Ended(JobStatus::Done)), 1)
        .await?;
    fault.heal();
    crew.close(case).await.map(|_| ())
}
