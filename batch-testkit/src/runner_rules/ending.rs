//! How jobs end, and who is told (R4).

use std::sync::Arc;
use std::time::Duration;

use batch_core::hooks::{Hooks, JobEvent};
use batch_core::id::Kind;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::query::{JobFilter, JobList, JobOrder};
use batch_core::store::reply::JobPage;
use batch_core::submission::Mode;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::block_in_place;

use super::crew::crew;
use super::heard::Note;
use crate::breach::{Verdict, holds, same};
use crate::case::Case;
use crate::clocks::ShiftedClock;

/// R4.1, R4.2 All done is done, all failed is failed, a mix is partial, each told once.
pub async fn outcomes_decide_how_a_job_ends(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;

    let done = crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.done("ok");
    crew.ends(&done, JobStatus::Done).await?;
    let failed = crew.submit("b", 1).await?;
    crew.script.expect("b1").await?.fails("no");
    crew.ends(&failed, JobStatus::Failed).await?;
    let partial = crew.submit("c", 2).await?;
    crew.script.expect("c1").await?.fails("no");
    crew.script.expect("c2").await?.done("ok");
    crew.ends(&partial, JobStatus::Partial).await?;

    let heard = crew.close(case).await?;
    same(heard.ended(JobStatus::Done), 1)?;
    same(heard.ended(JobStatus::Failed), 1)?;
    same(heard.ended(JobStatus::Partial), 1)?;
    same(heard.seconds().len(), 3)
}

/// R4.2, S15 A job takes no negative time, wherever the clock goes.
pub async fn a_job_never_takes_less_than_no_time(case: &mut Case<'_>) -> Verdict {
    let clock = Arc::new(ShiftedClock::default());
    let mut crew = crew(case).clock(clock.clone()).start().await?;
    let id = crew.submit("a", 1).await?;
    let begun = crew.script.expect("a1").await?;

    clock.back(Duration::from_hours(1));
    begun.done("ok");

    crew.ends(&id, JobStatus::Done).await?;
    crew.heard
        .until(&Note::Job(JobEvent::Ended(JobStatus::Done)), 1)
        .await?;
    let heard = crew.close(case).await?;
    holds(
        heard
            .seconds()
            .iter()
            .all(|took| *took < Duration::from_mins(1)),
        "no time at all",
    )
}

/// R4.2, B16 Over two runners and a sweep each ending is told once.
pub async fn b16_every_ending_is_told_once_over_all_runners(case: &mut Case<'_>) -> Verdict {
    let sweep = |config: &mut batch_core::config::Config| {
        config.sweep_every = Duration::from_millis(1);
        config.workers = 4;
    };
    let one = crew(case).with(sweep).run(crate::script::echo).await?;
    let other = crew(case)
        .with(sweep)
        .on(case.second().await?)
        .run(crate::script::echo)
        .await?;
    let mut ids = Vec::new();
    for number in 0..50 {
        let name = format!("{number}-");
        ids.push(one.make(one.job(&name, 2).mode(Mode::Resume)).await?);
    }

    for id in &ids {
        one.ends(id, JobStatus::Done).await?;
    }

    let (one, other) = (one.stop().await?, other.close(case).await?);
    same(
        one.ended(JobStatus::Done) + other.ended(JobStatus::Done),
        50,
    )?;
    same(one.seconds().len() + other.seconds().len(), 50)?;
    same(one.targets().len() + other.targets().len(), 100)
}

async fn statuses(store: Arc<dyn Store>) -> Vec<JobStatus> {
    let call = JobList {
        filter: JobFilter {
            kind: Some(Kind::default()),
            ..JobFilter::default()
        },
        order: JobOrder::Sequence,
        after: None,
        max: 10,
    };
    let page = store.list(call).await;
    page.map_or_else(
        |_| Vec::new(),
        |JobPage { jobs, .. }| jobs.iter().map(|j| j.status).collect(),
    )
}

/// R4.2, R7.3, B16 A hook that reads its job from inside sees it ended.
pub async fn b16_a_hook_sees_the_job_ended(case: &mut Case<'_>) -> Verdict {
    let (seen, mut saw) = mpsc::channel(10);
    let store = case.store().clone();
    let hooks = Hooks {
        job: Some(Arc::new(move |event| {
            let store = store.clone();
            if let JobEvent::Ended(_) = event {
                let now = block_in_place(|| Handle::current().block_on(statuses(store)));
                let _ = seen.try_send(now);
            }
        })),
        ..Hooks::default()
    };
    let mut crew = crew(case).hooks(hooks).start().await?;

    crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.done("ok");

    same(saw.recv().await, Some(vec![JobStatus::Done]))?;
    crew.close(case).await.map(|_| ())
}
