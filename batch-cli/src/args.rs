//! The command line, and its help.
//!
//! What the values mean is in `value.rs`; what the commands do in `commands/`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use batch_core::state::JobStatus;
use batch_core::store::call::Halt;
use clap::{ArgAction, Parser, Subcommand};

use crate::value;

/// Runs a list of targets, and resumes where it stopped.
#[derive(Debug, Parser)]
#[command(
    name = "batchq",
    version,
    after_help = "Examples:
  batchq run files.txt -- wc -c {}
  batchq list"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a command, or fetch a URL, once per target of a list
    #[command(
        after_help = "Give the same command again to resume it, or from a second terminal to help.

Examples:
  batchq run -j 4 --joblog log.tsv files.txt -- gzip -k {}
  batchq run --get --timeout 30s urls.txt > pages.txt"
    )]
    Run(Run),
    /// List the jobs of a store, oldest first
    #[command(after_help = "Examples:
  batchq list --status running
  batchq list --json --caller ann")]
    List(List),
    /// Show one job
    #[command(after_help = "Examples:
  batchq show 0f3c9a52d1e84b7796aa31c2d4e5f607
  batchq show --json 0f3c9a52d1e84b7796aa31c2d4e5f607")]
    Show(One),
    /// Print the stored results of a job in target order
    #[command(after_help = "Examples:
  batchq results 0f3c9a52d1e84b7796aa31c2d4e5f607 > out.txt
  batchq results --json 0f3c9a52d1e84b7796aa31c2d4e5f607")]
    Results(One),
    /// Cancel a live job; what is in flight finishes
    #[command(after_help = "Examples:
  batchq cancel 0f3c9a52d1e84b7796aa31c2d4e5f607
  batchq cancel --store sqlite:jobs.db 0f3c9a52d1e84b7796aa31c2d4e5f607")]
    Cancel(One),
}

impl Command {
    pub(crate) fn common(&self) -> &Common {
        match self {
            Self::Run(run) => &run.common,
            Self::List(list) => &list.common,
            Self::Show(one) | Self::Results(one) | Self::Cancel(one) => &one.common,
        }
    }
}

/// What every command takes.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Common {
    #[arg(
        help = "The store: memory:, sqlite:PATH or sqlite:///PATH?durability=power|kill \
        [default: batchq.db in your state directory]"
    )]
    #[arg(long, value_name = "URL", env = "BATCHQ_STORE", hide_env_values = true)]
    pub(crate) store: Option<String>,
    /// Print JSON, one object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// Print no progress and no messages, only errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[arg(help = "Log more to standard error; RUST_LOG says it in detail")]
    #[arg(long, short, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,
}

#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a flag of the command line each"
)]
#[expect(clippy::struct_field_names, reason = "the flag is called so")]
pub(crate) struct Run {
    /// The list: a target a line, as plain text or as {"url": …, "options": {…}}; - for stdin
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The command and its arguments; {} is the target, appended when absent
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "get")]
    pub(crate) command: Vec<OsString>,
    /// Targets at once; 1 keeps the order strictly [default: 1]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Who submits [default: your user name]
    #[arg(long, value_name = "NAME")]
    pub(crate) caller: Option<String>,
    /// Append a line per ended try to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) joblog: Option<PathBuf>,
    /// Start nothing more after failures: never, fail=N or fail=P% [default: never]
    #[arg(long, value_name = "WHEN", value_parser = value::halt)]
    pub(crate) halt: Option<Halt>,
    /// The longest that one try may take, as 90s, 5m or 1h [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = value::duration)]
    pub(crate) timeout: Option<Duration>,
    /// How long a busy target waits at least
    #[arg(long, value_name = "TIME", value_parser = value::duration, default_value = "2s")]
    pub(crate) retry_wait: Duration,
    /// How long a target may keep coming back busy
    #[arg(long, value_name = "TIME", value_parser = value::duration, default_value = "10m")]
    pub(crate) retry_for: Duration,
    /// Bytes that ended runs of this job may keep [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) max_bytes: Option<u64>,
    /// Cancel the job if it is live, and run it anew
    #[arg(long, conflicts_with = "retry_failed")]
    pub(crate) fresh: bool,
    /// Run the failed targets again
    #[arg(long)]
    pub(crate) retry_failed: bool,
    /// Say what would happen, and do nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Fetch each target over HTTP instead of running a command
    #[arg(long, conflicts_with = "command")]
    pub(crate) get: bool,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) http: Http,
}

/// Options of --get.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Options of --get")]
pub(crate) struct Http {
    /// Redirects that are followed [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) max_redirects: Option<u32>,
    /// How long connecting may take [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = value::duration)]
    pub(crate) connect_timeout: Option<Duration>,
    /// The largest body that is kept [default: 32M]
    #[arg(long, value_name = "SIZE", value_parser = value::size)]
    pub(crate) max_body: Option<u64>,
    /// A header to send, as 'Name: value'; may be given again
    #[arg(long, value_name = "HEADER", value_parser = value::header)]
    pub(crate) header: Vec<(String, String)>,
}

impl Http {
    /// Whether none was given.
    pub(crate) fn is_empty(&self) -> bool {
        let Self {
            max_redirects,
            connect_timeout,
            max_body,
            header,
        } = self;
        (max_redirects, connect_timeout, max_body) == (&None, &None, &None) && header.is_empty()
    }

    pub(crate) fn max_redirects(&self) -> u32 {
        self.max_redirects.unwrap_or(10)
    }

    pub(crate) fn connect_timeout(&self) -> Duration {
        self.connect_timeout.unwrap_or(Duration::from_secs(10))
    }

    pub(crate) fn max_body(&self) -> u64 {
        self.max_body.unwrap_or(32 << 20)
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only jobs of this status
    #[arg(long, value_parser = status)]
    pub(crate) status: Option<JobStatus>,
    /// Only jobs of this caller
    #[arg(long, value_name = "NAME")]
    pub(crate) caller: Option<String>,
    /// Only jobs of this kind
    #[arg(long)]
    pub(crate) kind: Option<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// A command about one job.
#[derive(Debug, clap::Args)]
pub(crate) struct One {
    /// The job
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) common: Common,
}

fn status(text: &str) -> Result<JobStatus, String> {
    JobStatus::parse(text).ok_or_else(|| {
        let names = JobStatus::ALL.map(JobStatus::as_str).join(", ");
        format!("give one of {names}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
