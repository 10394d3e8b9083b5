//! Lists that do not fit one call (R1.10).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use batch_core::caller::BoxError;
use batch_core::error::Error;
use batch_core::key::KeyHasher;
use batch_core::source::{Source, SourceReader};
use batch_core::store::Store;
use batch_core::store::call::NewTarget;
use batch_core::submission::Submission;

use super::crew::{Crew, crew, list};
use crate::breach::{Verdict, holds, same};
use crate::case::Case;
use crate::fault::drop_at_poll;
use crate::spy::SpyStore;

/// Submits a list, and compares what is stored with it.
async fn arrives(case: &mut Case<'_>, crew: Crew, targets: Vec<NewTarget>) -> Verdict<Crew> {
    let sent: Vec<_> = targets.iter().map(|target| target.url.clone()).collect();
    let id = crew
        .make(Submission::new(crew.caller("caller"), targets))
        .await?;

    let stored = case.all_targets(id.as_str()).await?;

    holds(
        stored.iter().map(|target| &target.url).eq(&sent),
        "the list, whole and in order",
    )?;
    holds(crew.runner.cancel(&id).await?, "the job is live")?;
    Ok(crew)
}

/// R1.10 Three thousand targets are staged in chunks and arrive in order.
pub async fn a_long_list_arrives_whole(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let targets = list(case.markers(), "a", 3_000);

    let crew = arrives(case, crew, targets).await?;

    same(
        (crew.spy.calls("stage"), crew.spy.largest_chunk()),
        (3, 1_000),
    )?;
    crew.close(case).await.map(|_| ())
}

/// R1.10 Targets over the limit of a call travel alone.
pub async fn a_list_of_large_targets_arrives_whole(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let mut targets = list(case.markers(), "a", 3);
    for target in &mut targets {
        target.url.push_str(&"x".repeat(2 << 20));
    }

    let crew = arrives(case, crew, targets).await?;

    same((crew.spy.calls("stage"), crew.spy.largest_chunk()), (3, 1))?;
    crew.close(case).await.map(|_| ())
}

/// R1.10, R1.3 A long list is found again without staging it.
pub async fn a_long_list_is_reused_without_staging(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let id = crew.submit("a", 1_500).await?;
    let staged = crew.spy.calls("stage");

    let again = crew.try_submit(crew.job("a", 1_500)).await?;

    same((again.id, again.reused), (id, true))?;
    same(crew.spy.calls("stage"), staged)?;
    crew.close(case).await.map(|_| ())
}

/// What a [`Made`] list does when it is read again.
#[derive(Clone, Copy)]
enum Again {
    Same,
    Different,
    Endless,
}

/// A list that is made while it is read, hundred targets at a time.
#[derive(Clone)]
struct Made {
    total: u64,
    again: Again,
    readings: Arc<AtomicU64>,
    spy: Option<Arc<SpyStore>>,
    most_ahead: Arc<AtomicU64>,
}

impl Made {
    fn new(total: u64, again: Again) -> Self {
        Self {
            total,
            again,
            readings: Arc::default(),
            spy: None,
            most_ahead: Arc::default(),
        }
    }
}

#[async_trait]
impl Source for Made {
    async fn open(&self) -> Result<Box<dyn SourceReader + '_>, BoxError> {
        let reading = self.readings.fetch_add(1, Ordering::SeqCst);
        let second = reading > 0;
        Ok(Box::new(Reading {
            made: self.clone(),
            second,
            read: 0,
        }))
    }
}

struct Reading {
    made: Made,
    second: bool,
    read: u64,
}

#[async_trait]
impl SourceReader for Reading {
    async fn next(&mut self) -> Result<Vec<NewTarget>, BoxError> {
        if let (true, Some(spy)) = (self.second, &self.made.spy) {
            let ahead = self.read.saturating_sub(spy.calls("stage") * 1_000);
            self.made.most_ahead.fetch_max(ahead, Ordering::SeqCst);
        }
        let endless = self.second && matches!(self.made.again, Again::Endless);
        let end = if endless { u64::MAX } else { self.made.total };
        let sign = match self.made.again {
            Again::Different if self.second => "y",
            _ => "x",
        };
        let batch = self.read..end.min(self.read.saturating_add(100));
        self.read = batch.end;
        Ok(batch
            .map(|number| NewTarget::new(format!("{sign}{number}")))
            .collect())
    }
}

/// R1.10 While it stages a list the runner holds one chunk of it.
pub async fn a_long_list_is_never_held_whole(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let mut made = Made::new(5_000, Again::Same);
    made.spy = Some(crew.spy.clone());
    let most_ahead = made.most_ahead.clone();

    let id = crew
        .make(Submission::new(crew.caller("caller"), made))
        .await?;

    same(case.job(id.as_str()).await?.total, 5_000)?;
    holds(
        most_ahead.load(Ordering::SeqCst) <= 1_100,
        "one chunk and one batch at most",
    )?;
    crew.close(case).await.map(|_| ())
}

/// R1.10 A list that reads differently the second time is refused.
pub async fn a_list_that_changes_is_refused(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let made = Made::new(1_500, Again::Different);

    let refused = crew
        .try_submit(Submission::new(crew.caller("caller"), made))
        .await;

    holds(
        matches!(refused, Err(Error::SourceChanged)),
        "SourceChanged",
    )?;
    same(case.listed().await?.len(), 0)?;
    crew.close(case).await.map(|_| ())
}

/// R1.3 A list that changed since its digest was taken makes no job.
pub async fn a_list_that_changed_before_its_submit_is_refused(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let other = crew.job("a", 2).digest(KeyHasher::new("caller").finish());

    let refused = crew.try_submit(other).await;

    holds(
        matches!(refused, Err(Error::SourceChanged)),
        "SourceChanged",
    )?;
    same(case.listed().await?.len(), 0)?;
    crew.close(case).await.map(|_| ())
}

/// R1.10 A second reading that has no end is left at the count of the first.
pub async fn a_list_that_grew_without_end_is_refused(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let made = Made::new(1_500, Again::Endless);

    let refused = crew
        .try_submit(Submission::new(crew.caller("caller"), made))
        .await;

    holds(
        matches!(refused, Err(Error::SourceChanged)),
        "SourceChanged",
    )?;
    crew.close(case).await.map(|_| ())
}

/// A list that has always one more.
struct Endless;

#[async_trait]
impl Source for Endless {
    async fn open(&self) -> Result<Box<dyn SourceReader + '_>, BoxError> {
        Ok(Box::new(Self))
    }
}

#[async_trait]
impl SourceReader for Endless {
    async fn next(&mut self) -> Result<Vec<NewTarget>, BoxError> {
        Ok(vec![NewTarget::new("more")])
    }
}

/// R10.1, R1.10 A list without an end is read no longer than its runner lives.
pub async fn a_list_without_an_end_ends_with_its_runner(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let (runner, caller) = (crew.runner.clone(), crew.caller("caller"));
    let mut submit = Box::pin(runner.submit(Submission::new(caller, Endless)));
    holds(
        drop_at_poll(&mut submit, 1).await.is_none(),
        "the list is being read",
    )?;

    let report = crew.runner.close(Some(Duration::from_millis(20))).await;

    same(report.unfinished.len(), 0)?;
    holds(matches!(submit.await, Err(Error::Closed)), "Closed")?;
    same(case.listed().await?.len(), 0)
}

/// R1.10, R8.2 A chunk and a commit whose replies are lost are sent again.
pub async fn a_long_list_survives_lost_replies(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(crate::fault::FaultStore::new(case.store().clone()));
    for (operation, call) in [("stage", 2), ("submit", 1), ("submit", 3)] {
        fault.plan(crate::fault::Plan {
            operation: Some(operation),
            call,
            often: crate::fault::Often::Once,
            fault: crate::fault::Fault::After,
        });
    }
    let store: Arc<dyn Store> = fault.clone();
    let crew = crew(case).on(store).start().await?;

    let crew = arrives(case, crew, list(case.markers(), "a", 1_500)).await?;

    same(case.listed().await?.len(), 1)?;
    holds(fault.struck() >= 3, "every plan struck")?;
    crew.close(case).await.map(|_| ())
}
