//! One reading of a list from its beginning, target by target.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use batch_core::store::call::NewTarget;

use super::line::{self, LineError};

/// The longest line, so that one without an end does not fill the memory.
const LINE_BYTES: usize = 16 << 20;
/// How many targets are handed on at a time, unless their bytes are enough before.
const BATCH_TARGETS: usize = 256;
const BATCH_BYTES: usize = 256 << 10;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Why a list cannot be used; names the line.
#[derive(Debug)]
pub(crate) enum ListError {
    Io(io::Error),
    TooLong { line: u64 },
    Bad { line: u64, reason: String },
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read the list: {error}"),
            Self::TooLong { line } => {
                write!(
                    f,
                    "line {line} of the list is longer than {} MiB",
                    LINE_BYTES >> 20
                )
            }
            Self::Bad { line, reason } => write!(f, "line {line} of the list: {reason}"),
        }
    }
}

impl std::error::Error for ListError {}

/// One reading of a list.
#[derive(Debug)]
pub(super) struct Reading {
    input: BufReader<At>,
    number: u64,
    line: Vec<u8>,
}

impl Reading {
    pub(super) fn new(file: Arc<File>) -> Self {
        let input = BufReader::with_capacity(64 << 10, At { file, offset: 0 });
        Self {
            input,
            number: 0,
            line: Vec::new(),
        }
    }

    /// The next target; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<NewTarget>, ListError> {
        while self.advance()? {
            let target = line::target(self.text()).map_err(|error| self.bad(error))?;
            if target.is_some() {
                return Ok(target);
            }
        }
        Ok(None)
    }

    /// The next targets, a bounded number of them; empty at the end.
    pub(super) fn batch(&mut self) -> Result<Vec<NewTarget>, ListError> {
        let mut targets = Vec::new();
        let mut bytes = 0;
        while targets.len() < BATCH_TARGETS && bytes < BATCH_BYTES {
            let Some(target) = self.next()? else { break };
            bytes += target.url.len() + target.options.len();
            targets.push(target);
        }
        Ok(targets)
    }

    /// Reads the next line. `false` at the end.
    fn advance(&mut self) -> Result<bool, ListError> {
        self.line.clear();
        self.number += 1;
        let mut limited = (&mut self.input).take(LINE_BYTES as u64 + 1);
        let read = limited
            .read_until(b'\n', &mut self.line)
            .map_err(ListError::Io)?;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        if self.line.len() > LINE_BYTES {
            return Err(ListError::TooLong { line: self.number });
        }
        Ok(read > 0)
    }

    fn text(&self) -> &[u8] {
        match self.line.strip_prefix(BOM) {
            Some(rest) if self.number == 1 => rest,
            _ => &self.line,
        }
    }

    fn bad(&self, error: LineError) -> ListError {
        let reason = match error {
            LineError::NotUtf8 => "not UTF-8".to_owned(),
            LineError::NotJson(reason) => reason,
            LineError::Options(reason) => reason.to_string(),
        };
        ListError::Bad {
            line: self.number,
            reason,
        }
    }
}

/// A file read at a place of its own, so that readings do not disturb each other.
#[derive(Debug)]
struct At {
    file: Arc<File>,
    offset: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(text: &[u8]) -> Reading {
        Reading::new(Arc::new(super::super::spool(text).unwrap()))
    }

    #[test]
    fn a_bad_line_is_named_by_its_number() {
        let mut reading = reading(b"a\n\n\xff\xfe\n");

        assert_eq!(reading.next().unwrap().unwrap().url, "a");
        assert_eq!(
            reading.next().unwrap_err().to_string(),
            "line 3 of the list: not UTF-8"
        );
    }

    #[test]
    fn only_the_first_line_may_begin_with_a_mark() {
        let mut reading = reading(b"\xef\xbb\xbfa\n\xef\xbb\xbfb");

        assert_eq!(reading.next().unwrap().unwrap().url, "a");
        assert_eq!(reading.next().unwrap().unwrap().url, "\u{feff}b");
        assert!(reading.next().unwrap().is_none());
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut reading = reading(&vec![b'x'; LINE_BYTES + 1]);

        assert!(matches!(
            reading.next(),
            Err(ListError::TooLong { line: 1 })
        ));
    }

    #[test]
    fn a_batch_is_bounded() {
        let mut reading = reading("t\n".repeat(BATCH_TARGETS + 1).as_bytes());

        assert_eq!(reading.batch().unwrap().len(), BATCH_TARGETS);
        assert_eq!(reading.batch().unwrap().len(), 1);
        assert!(reading.batch().unwrap().is_empty());
    }
}
