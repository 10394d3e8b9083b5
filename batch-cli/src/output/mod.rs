//! All that the command prints: data on standard output, the rest on standard error.

mod bar;
pub(crate) mod json;
pub(crate) mod rows;
pub(crate) mod shown;
pub(crate) mod table;

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

pub(crate) use bar::Bar;

use crate::exit::Failure;

/// Data that is gathered before it is written.
const GATHERED: usize = 64 << 10;

/// Writes to both streams, so that data, messages and the bar do not mix.
#[derive(Debug, Default)]
pub(crate) struct Console {
    quiet: bool,
    bar: OnceLock<Bar>,
    data: Mutex<Vec<u8>>,
}

impl Console {
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            quiet,
            ..Self::default()
        }
    }

    /// A message; `--quiet` drops it.
    pub(crate) fn say(&self, text: impl Display) {
        if !self.quiet {
            self.complain(text);
        }
    }

    /// An error.
    pub(crate) fn complain(&self, text: impl Display) {
        self.log(format!("batchq: {text}\n").as_bytes());
    }

    /// Writes to standard error; nobody could be told that it failed.
    pub(crate) fn log(&self, bytes: &[u8]) {
        self.aside(|| {
            let _ = io::stderr().write_all(bytes);
        });
    }

    /// Gathers data, and writes it when there is enough.
    pub(crate) async fn data(&self, bytes: &[u8]) -> Result<(), Failure> {
        let full = {
            let mut data = self.gathered();
            data.extend_from_slice(bytes);
            data.len() >= GATHERED
        };
        if full { self.flush().await } else { Ok(()) }
    }

    /// Writes the gathered data, off the runtime's threads: its reader may be slow.
    pub(crate) async fn flush(&self) -> Result<(), Failure> {
        let data = std::mem::take(&mut *self.gathered());
        if data.is_empty() {
            return Ok(());
        }
        let bar = self
            .bar
            .get()
            .filter(|_| io::stdout().is_terminal())
            .cloned();
        let write = move || {
            let write = || {
                let mut out = io::stdout().lock();
                out.write_all(&data).and_then(|()| out.flush())
            };
            match bar {
                Some(bar) => bar.aside(write),
                None => write(),
            }
        };
        let written = tokio::task::spawn_blocking(write).await;
        let written = written.unwrap_or_else(|broken| Err(io::Error::other(broken)));
        written.map_err(|error| Failure::output(&error))
    }

    fn gathered(&self) -> MutexGuard<'_, Vec<u8>> {
        self.data.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows how far `total` targets are, if somebody watches.
    pub(crate) fn show_bar(&self, total: u64, done: u64) {
        if !self.quiet && io::stderr().is_terminal() {
            // A run has one bar.
            let _ = self.bar.set(Bar::new(total, done));
        }
    }

    pub(crate) fn advance(&self, done: u64, failed: u64) {
        if let Some(bar) = self.bar.get() {
            bar.advance(done, failed);
        }
    }

    pub(crate) fn hide_bar(&self) {
        if let Some(bar) = self.bar.get() {
            bar.clear();
        }
    }

    /// Takes the bar away while something else is written.
    fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match self.bar.get() {
            Some(bar) => bar.aside(write),
            None => write(),
        }
    }
}

/// Passes log lines to the console.
#[derive(Debug, Clone)]
pub(crate) struct LogWriter(pub(crate) Arc<Console>);

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.log(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
