//! Counts a family's targets by their newest outcomes.

use batch_core::state::TargetStatus;
use batch_core::store::view::Counts;

use super::{Family, View};
use crate::exit::Failure;
use crate::reads::Reads;

impl Family {
    /// The counts of the whole; without a rerun they are those of the job.
    pub(crate) async fn tally(&self, reads: &Reads) -> Result<Counts, Failure> {
        if self.reruns.is_empty() {
            return Ok(self.root.counts);
        }
        let (mut done, mut failed) = (0, 0);
        let mut view = View::new(reads, self);
        while let Some(row) = view.next().await? {
            match row.target().status {
                TargetStatus::Done => done += 1,
                TargetStatus::Failed => failed += 1,
                TargetStatus::Pending | TargetStatus::Running => {}
            }
        }
        Ok(self.counts(done, failed))
    }

    /// Done and failed without reading the targets: exact for a single job, for a bar
    /// good enough, since no done target is ever run again.
    pub(crate) fn progress(&self) -> (u64, u64) {
        let done = self.jobs().map(|job| job.counts.done).sum();
        let newest = self.reruns.last().unwrap_or(&self.root);
        let open = self.root.total.saturating_sub(done);
        (done, newest.counts.failed.min(open))
    }
}
