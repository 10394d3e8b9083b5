//! Secrets that no log line, span or error text may show (R8.5).
//!
//! Every case plants markers of its own in urls, options, results, errors, hints,
//! names and notes. One subscriber, installed once, watches every event at every
//! level, also those of a store's own threads, and keeps warnings and lines that show a
//! marker.

use std::error::Error;
use std::fmt::Write as _;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use batch_core::store::error::StoreError;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::backend::Setup;
use crate::breach::{Failure, Verdict};

/// How every marker of every case begins; it looks the same however it is quoted.
const SIGN: &str = "zq7marker";

static DRAWN: AtomicU64 = AtomicU64::new(0);
static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
static WARNED: Mutex<Vec<String>> = Mutex::new(Vec::new());
static WATCHING: OnceLock<bool> = OnceLock::new();

/// The markers of one case.
#[derive(Debug, Clone)]
pub struct Markers {
    own: String,
}

impl Markers {
    /// Draws markers and makes sure that somebody watches for them.
    pub fn plant() -> Setup<Self> {
        if !*WATCHING.get_or_init(watch) {
            return Err(
                "another tracing subscriber is installed; the kit must see all logs".into(),
            );
        }
        let number = DRAWN.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            own: format!("{SIGN}x{number}x"),
        })
    }

    /// A text with a marker in it, for the field `place`.
    pub fn text(&self, place: &str) -> String {
        format!("{}{place}", self.own)
    }

    /// Looks for the case's markers in all that was logged so far.
    pub fn check_logs(&self) -> Verdict {
        let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.iter().find(|line| line.contains(&self.own)) {
            None => Ok(()),
            Some(line) => {
                Err(Failure::broken("no payload in a log line", line.trim_end()).of("R8.5"))
            }
        }
    }

    /// The warnings so far that say `text`, of all cases.
    pub fn warnings(&self, text: &str) -> Vec<String> {
        let warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = warned.iter().filter(|line| line.contains(text));
        lines.cloned().collect()
    }

    /// Looks for the case's markers in an error and all its causes.
    pub fn check_error(&self, error: &StoreError) -> Verdict {
        let mut text = String::new();
        let mut cause: Option<&dyn Error> = Some(error);
        while let Some(part) = cause {
            let _ = write!(text, "{part} {part:?} ");
            cause = part.source();
        }
        if text.contains(&self.own) {
            return Err(Failure::broken("no payload in an error text", text).of("R8.5"));
        }
        Ok(())
    }
}

/// Installs the watching subscriber; whether it is the one in charge.
fn watch() -> bool {
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(FmtSpan::FULL)
        .with_ansi(false)
        .without_time()
        .with_writer(|| Watch)
        .try_init()
        .is_ok()
}

/// Keeps warnings, and lines that show a marker.
struct Watch;

impl io::Write for Watch {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        if text.contains("WARN") {
            let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
            warned.push(text.clone().into_owned());
        }
        if text.contains(SIGN) {
            let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
            seen.push(text.into_owned());
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use batch_core::store::error::StoreErrorKind;

    use super::*;

    /// R8.5
    #[test]
    fn a_logged_marker_is_noticed() {
        let markers = Markers::plant().unwrap();

        tracing::trace!(url = markers.text("url"), "started");

        assert!(markers.check_logs().is_err());
        assert!(Markers::plant().unwrap().check_logs().is_ok());
    }

    /// R8.5
    #[test]
    fn a_marker_in_the_cause_of_an_error_is_noticed() {
        let markers = Markers::plant().unwrap();
        let cause = io::Error::other(markers.text("url"));

        let error = StoreError::new(StoreErrorKind::Corrupt, "job", "a row is damaged");

        assert!(markers.check_error(&error).is_ok());
        assert!(markers.check_error(&error.with_source(cause)).is_err());
    }
}
