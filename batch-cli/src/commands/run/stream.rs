//! Prints targets as they are stored, one JSON line each.
//!
//! First come those that no live job holds, then those of the live jobs as they are
//! stored, then older outcomes of targets that a rerun was stopped before.

use batch_core::id::JobId;
use batch_core::store::query::{TargetOrder, TargetQuery};

use super::follow::Following;
use crate::exit::Failure;
use crate::output::rows::Rows;
use crate::view::View;

/// Outcomes that are read at a time.
const PAGE: u32 = 256;

/// A live job, and how many of its outcomes were printed.
struct Live {
    place: usize,
    id: JobId,
    from: u64,
}

impl Following<'_> {
    pub(super) async fn as_stored(&mut self, rows: &mut Rows<'_>) -> Result<(), Failure> {
        let mut live = self.live();
        if live.len() <= self.family.reruns.len() {
            self.settled(rows, &live).await?;
        }
        loop {
            let last = self.look().await?;
            for job in &mut live {
                self.stored(rows, job).await?;
            }
            self.console.flush().await?;
            if self.family.is_settled() && !self.family.reruns.is_empty() {
                return self.older(rows, &live).await;
            }
            if last || self.family.is_settled() {
                return Ok(());
            }
            self.pause().await;
        }
    }

    /// The members that may still store something.
    fn live(&self) -> Vec<Live> {
        let places = self.family.jobs().enumerate();
        let live = places.filter(|(_, job)| job.status.is_live() || job.counts.running > 0);
        live.map(|(place, job)| Live {
            place,
            id: job.id.clone(),
            from: 0,
        })
        .collect()
    }

    /// What no live job holds.
    async fn settled(&self, rows: &mut Rows<'_>, live: &[Live]) -> Result<(), Failure> {
        let mut view = View::new(self.reads, &self.family);
        while let Some(row) = view.next().await? {
            let waits = live.iter().any(|job| job.place == row.owner);
            if !waits && row.target().outcome.is_some() {
                rows.print(row.target()).await?;
            }
        }
        Ok(())
    }

    /// The next outcomes of a live job, as many as there are.
    async fn stored(&self, rows: &mut Rows<'_>, job: &mut Live) -> Result<(), Failure> {
        loop {
            let order = TargetOrder::Stored;
            let query = TargetQuery {
                id: job.id.clone(),
                order,
                from: job.from,
                max: PAGE,
            };
            let page = self.reads.targets(query).await?;
            job.from += page.targets.len() as u64;
            for target in &page.targets {
                rows.print(target).await?;
            }
            if page.next.is_none() {
                return Ok(());
            }
        }
    }

    /// Outcomes that a member ended without replacing.
    async fn older(&self, rows: &mut Rows<'_>, live: &[Live]) -> Result<(), Failure> {
        if live.is_empty() {
            return Ok(());
        }
        let mut view = View::new(self.reads, &self.family);
        while let Some(row) = view.next().await? {
            let waited = live.iter().any(|job| job.place == row.owner);
            if waited && row.newest.outcome.is_none() && row.target().outcome.is_some() {
                rows.print(row.target()).await?;
            }
        }
        Ok(())
    }
}
