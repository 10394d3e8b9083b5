//! Prints results in target order while the job runs.

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::exit::Failure;
use crate::output::Console;
use crate::output::rows::{Format, Rows};
use crate::reads::Reads;
use crate::view::{Family, View};

/// A job that is followed, and what wakes and stops it.
pub(super) struct Following<'a> {
    pub(super) reads: &'a Reads,
    pub(super) family: Family,
    pub(super) progress: &'a Notify,
    /// Set when nothing more of this process will come.
    pub(super) stop: &'a CancellationToken,
    pub(super) console: &'a Console,
}

impl Following<'_> {
    /// Prints until the job has ended or `stop` is set, whichever comes first.
    pub(super) async fn print(
        &mut self,
        rows: &mut Rows<'_>,
        format: Format,
    ) -> Result<(), Failure> {
        let (done, failed) = self.family.progress();
        self.console.show_bar(self.family.root.total, done + failed);
        match format {
            Format::Text => self.in_order(rows).await?,
            Format::Json => self.as_stored(rows).await?,
        }
        self.console.flush().await
    }

    async fn in_order(&mut self, rows: &mut Rows<'_>) -> Result<(), Failure> {
        let reads = self.reads;
        let mut view = View::new(reads, &self.family);
        loop {
            let last = self.look().await?;
            view.refresh();
            while let Some(head) = view.head().await? {
                if !head.is_settled(&self.family) {
                    break;
                }
                let Some(row) = view.next().await? else { break };
                rows.print(row.target()).await?;
            }
            let ended = view.head().await?.is_none();
            self.console.flush().await?;
            if last || (ended && self.family.is_settled()) {
                return Ok(());
            }
            self.pause().await;
        }
    }

    /// Reads how far the jobs are. Whether this is the last look.
    pub(super) async fn look(&mut self) -> Result<bool, Failure> {
        let last = self.stop.is_cancelled();
        self.family.refresh(self.reads).await?;
        let (done, failed) = self.family.progress();
        self.console.advance(done + failed, failed);
        Ok(last)
    }

    /// Waits until a target of this process is stored, or others may have stored one.
    pub(super) async fn pause(&self) {
        tokio::select! {
            () = self.progress.notified() => {}
            () = self.stop.cancelled() => {}
            () = self.reads.pause() => {}
        }
    }
}
