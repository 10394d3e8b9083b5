//! The log of ended tries, in the columns of GNU parallel's `--joblog`.
//!
//! A line per try that this process ran, so that a retried target has several.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use batch_core::clock::{Clock, SystemClock};
use batch_core::time::Timestamp;

const HEADER: &str = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
/// What stands for this machine.
const LOCAL: &str = ":";
/// The signal that ends a try which is given up.
const KILL: i32 = 9;

/// A log that is appended to.
#[derive(Debug)]
pub(crate) struct Joblog {
    file: Mutex<Lines>,
}

/// A file that is appended to by lines.
#[derive(Debug)]
struct Lines {
    file: File,
    /// Whether its last line has no end.
    cut: bool,
}

/// A try that has begun.
#[derive(Debug)]
struct Entry {
    seq: u64,
    start: Timestamp,
    clock: SystemClock,
    command: String,
}

/// The line of a try that runs. One that is given up is logged as killed.
#[derive(Debug)]
pub(crate) struct Pending<'a> {
    log: &'a Joblog,
    entry: Entry,
    ended: bool,
}

impl Joblog {
    /// Opens a log, and begins it with the header if it is new.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        let known = file.metadata()?;
        if known.len() == 0 {
            file.write_all(HEADER.as_bytes())?;
        }
        let cut = known.is_file() && is_cut(path);
        Ok(Self {
            file: Mutex::new(Lines { file, cut }),
        })
    }

    /// Begins the line of the target of this index.
    pub(crate) fn begin(&self, index: u64, command: &[OsString]) -> Pending<'_> {
        Pending {
            log: self,
            entry: Entry::begin(index, command),
            ended: false,
        }
    }

    /// Appends a line in one write.
    fn append(&self, line: &str) {
        let mut lines = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let end = if lines.cut { "\n" } else { "" };
        let written = lines.file.write_all(format!("{end}{line}").as_bytes());
        lines.cut = written.is_err();
        if let Err(error) = written {
            tracing::warn!(%error, "a line of the job log was lost");
        }
    }
}

/// Whether a disk that filled up, or a power cut, left the last line without its end. What
/// may not be read is taken to be whole.
fn is_cut(path: &Path) -> bool {
    let last = || {
        let (mut file, mut last) = (File::open(path)?, [0]);
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last).map(|()| last)
    };
    last().is_ok_and(|last: [u8; 1]| last != *b"\n")
}

impl Pending<'_> {
    /// Appends the line of a try that has ended by itself.
    pub(crate) fn end(mut self, received: usize, status: ExitStatus) {
        self.ended = true;
        self.log.append(&self.entry.line(received, status));
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let killed = ExitStatus::from_raw(KILL);
            self.log.append(&self.entry.line(0, killed));
        }
    }
}

impl Entry {
    fn begin(index: u64, command: &[OsString]) -> Self {
        let words: Vec<_> = command
            .iter()
            .map(|word| quote(&word.to_string_lossy()))
            .collect();
        let clock = SystemClock::new();
        Self {
            seq: index.saturating_add(1),
            start: clock.now(),
            clock,
            command: words.join(" "),
        }
    }

    fn line(&self, received: usize, status: ExitStatus) -> String {
        format!(
            "{}\t{LOCAL}\t{:.3}\t{:.3}\t0\t{received}\t{}\t{}\t{}\n",
            self.seq,
            self.start.as_secs_f64(),
            self.clock.elapsed().as_secs_f64(),
            status.code().unwrap_or(0),
            status.signal().unwrap_or(0),
            self.command,
        )
    }
}

/// A word as a shell reads it back; never a tab or a line end.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "%+,-./:=@_".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if word.chars().any(char::is_control) {
        let escaped: String = word.chars().map(escape).collect();
        return format!("$'{escaped}'");
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn escape(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quote("a/b.txt"), "a/b.txt");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("it's $x"), r"'it'\''s $x'");
        assert_eq!(quote("a\tb\\\n"), r"$'a\u0009b\\\u000a'");
    }

    #[test]
    fn b40_a_line_that_was_cut_takes_no_other_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let status = || ExitStatus::from_raw(0);
        Joblog::open(&path)
            .unwrap()
            .begin(0, &["a".into()])
            .end(1, status());
        let mut whole = std::fs::read(&path).unwrap();
        whole.truncate(whole.len() - 3);
        std::fs::write(&path, whole).unwrap();

        let log = Joblog::open(&path).unwrap();
        log.begin(1, &["b".into()]).end(1, status());
        log.begin(2, &["c".into()]).end(1, status());

        let text = std::fs::read_to_string(&path).unwrap();
        let columns: Vec<_> = text.lines().map(|line| line.split('\t').count()).collect();
        assert_eq!(columns, [9, 8, 9, 9], "{text}");
    }

    #[test]
    fn a_line_has_the_nine_columns() {
        let entry = Entry::begin(4, &["wc".into(), "a\nb".into()]);

        let line = entry.line(12, ExitStatus::from_raw(9));
        let columns: Vec<_> = line.trim_end().split('\t').collect();

        assert_eq!(columns.len(), HEADER.split('\t').count());
        assert_eq!((columns[0], columns[1], columns[5]), ("5", ":", "12"));
        assert_eq!(
            (columns[6], columns[7], columns[8]),
            ("0", "9", r"wc $'a\u000ab'")
        );
    }
}
