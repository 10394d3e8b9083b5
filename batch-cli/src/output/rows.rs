//! Prints the targets of a job one by one, and counts them.

use batch_core::store::view::{Outcome, Target};

use super::Console;
use super::json::{self, TargetLine};
use super::shown;
use crate::exit::Failure;
use crate::fetch::body;

/// How targets are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Contents on standard output, a line per failure on standard error.
    Text,
    /// JSON lines on standard output.
    Json,
}

impl Format {
    pub(crate) fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }
}

/// Prints targets of the job of this id.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    console: &'a Console,
    format: Format,
    job: &'a str,
    pub(crate) done: u64,
    pub(crate) failed: u64,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(console: &'a Console, format: Format, job: &'a str) -> Self {
        Self {
            console,
            format,
            job,
            done: 0,
            failed: 0,
        }
    }

    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Prints a target; as text only its outcome is of interest.
    pub(crate) async fn print(&mut self, target: &Target) -> Result<(), Failure> {
        match &target.outcome {
            Some(Outcome::Done { .. }) => self.done += 1,
            Some(Outcome::Failed { .. }) => self.failed += 1,
            None => {}
        }
        match self.format {
            Format::Json => json::line(self.console, &TargetLine::of(self.job, target)).await,
            Format::Text => self.text(target).await,
        }
    }

    async fn text(&self, target: &Target) -> Result<(), Failure> {
        match &target.outcome {
            Some(Outcome::Done { result }) => self.console.data(&body::content(result)).await,
            Some(Outcome::Failed { error, hint }) => {
                let (url, error) = (shown::target(&target.url), shown::error(error));
                let hint = hint.as_deref().filter(|hint| !hint.is_empty());
                let hint = hint
                    .map(|hint| format!(" ({})", shown::text(hint)))
                    .unwrap_or_default();
                self.console.say(format!(
                    "target {} failed: {url}: {error}{hint}",
                    target.origin
                ));
                Ok(())
            }
            None => Ok(()),
        }
    }
}
