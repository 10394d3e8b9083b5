//! The reads of a case: whole lists where the store has pages.

use batch_core::id::{JobId, Kind};
use batch_core::store::query::{
    JobFilter, JobOrder, JobQuery, Sessions, StatsQuery, TargetOrder, TargetQuery,
};
use batch_core::store::reply::{JobReply, Stats, TargetReply};
use batch_core::store::view::{Job, KindStats, Session, Target};

use super::Case;
use crate::breach::{Verdict, present, unlike};
use crate::recount;

/// Rows of one page.
const PAGE: u32 = 1_000;

impl Case<'_> {
    /// A job, if it is there.
    pub async fn find(&self, id: &str) -> Verdict<Option<Job>> {
        match self.store.job(JobQuery::Id(JobId::from(id))).await? {
            JobReply::Found(job) => Ok(Some(*job)),
            JobReply::NotFound => Ok(None),
        }
    }

    /// A job that must be there.
    pub async fn job(&self, id: &str) -> Verdict<Job> {
        present(self.find(id).await?, "the job")
    }

    /// One page of targets.
    pub async fn page(
        &self,
        id: &str,
        order: TargetOrder,
        from: u64,
        max: u32,
    ) -> Verdict<TargetReply> {
        let call = TargetQuery {
            id: JobId::from(id),
            order,
            from,
            max,
        };
        Ok(self.store.targets(call).await?)
    }

    /// All targets of a job, by index.
    pub async fn all_targets(&self, id: &str) -> Verdict<Vec<Target>> {
        self.in_order(id, TargetOrder::Index).await
    }

    /// All targets of a job with an outcome, in the order in which they were stored.
    pub async fn stored(&self, id: &str) -> Verdict<Vec<Target>> {
        self.in_order(id, TargetOrder::Stored).await
    }

    async fn in_order(&self, id: &str, order: TargetOrder) -> Verdict<Vec<Target>> {
        let mut all = Vec::new();
        let mut from = Some(0);
        while let Some(first) = from {
            match self.page(id, order, first, PAGE).await? {
                TargetReply::Page(page) => {
                    all.extend(page.targets);
                    from = page.next;
                }
                other => return unlike(&other, "a page"),
            }
        }
        Ok(all)
    }

    /// One target, which must be there.
    pub async fn target(&self, id: &str, index: u64) -> Verdict<Target> {
        let targets = self.all_targets(id).await?;
        let found = targets.into_iter().find(|target| target.index == index);
        present(found, "the target")
    }

    /// The ids of all jobs that pass the filter, in an order.
    pub async fn ids(&self, filter: JobFilter, order: JobOrder) -> Verdict<Vec<String>> {
        let jobs = recount::jobs(self.store.as_ref(), &filter, order).await?;
        Ok(jobs.iter().map(|job| job.id.as_str().to_owned()).collect())
    }

    /// The ids of all jobs, by sequence.
    pub async fn listed(&self) -> Verdict<Vec<String>> {
        self.ids(JobFilter::default(), JobOrder::Sequence).await
    }

    /// The ids of the default kind's rotation.
    pub async fn rotation(&self) -> Verdict<Vec<String>> {
        let filter = JobFilter {
            kind: Some(Kind::default()),
            ..JobFilter::default()
        };
        self.ids(filter, JobOrder::Rotation).await
    }

    /// The counts of the default kind.
    pub async fn stats(&self) -> Verdict<KindStats> {
        Ok(self.stats_of("", None).await?.kind)
    }

    /// The counts of a kind, and of a caller within it.
    pub async fn stats_of(&self, kind: &str, caller: Option<&str>) -> Verdict<Stats> {
        let call = StatsQuery {
            kind: Kind::new(kind),
            caller: caller.map(str::to_owned),
        };
        Ok(self.store.stats(call).await?)
    }

    /// All sessions.
    pub async fn sessions(&self) -> Verdict<Vec<Session>> {
        let mut sessions = Vec::new();
        let mut after = None;
        loop {
            let page = self.store.sessions(Sessions { after, max: PAGE }).await?;
            sessions.extend(page.sessions);
            after = page.next;
            if after.is_none() {
                return Ok(sessions);
            }
        }
    }

    /// One session, if it is there.
    pub async fn session(&self, id: &str) -> Verdict<Option<Session>> {
        let sessions = self.sessions().await?;
        Ok(sessions.into_iter().find(|found| found.id.as_str() == id))
    }
}
