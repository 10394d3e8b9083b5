//! The list of targets: a file that can be read more than once.
//!
//! What comes from a pipe is kept in a temporary file without a name. A list is
//! never held whole; what one line may say is in `line.rs`.

mod line;
mod reading;
mod source;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use batch_core::key::KeyHasher;

pub(crate) use reading::ListError;
use reading::Reading;

use crate::exit::Failure;

/// A list of targets.
#[derive(Debug, Clone)]
pub(crate) struct List {
    file: Arc<File>,
}

/// What one reading of a list tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Survey {
    /// The key of the request (R1.3).
    pub(crate) digest: String,
    /// Number of targets.
    pub(crate) total: u64,
}

impl List {
    /// Opens a list; `-` is standard input. Blocks.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let file = if path.as_os_str() == "-" {
            spool(io::stdin().lock())
        } else {
            File::open(path).and_then(|file| seekable(path, file))
        };
        let refused = |error| Failure::input(format!("cannot read {}: {error}", path.display()));
        Ok(Self {
            file: Arc::new(file.map_err(refused)?),
        })
    }

    /// Reads the list once, for its key and length; checks every line. Blocks.
    pub(crate) fn survey(&self, caller: &str) -> Result<Survey, ListError> {
        let mut hasher = KeyHasher::new(caller);
        let mut total = 0;
        let mut reading = self.read();
        while let Some(target) = reading.next()? {
            hasher.push(&target.url, &target.options);
            total += 1;
        }
        Ok(Survey {
            digest: hasher.finish(),
            total,
        })
    }

    fn read(&self) -> Reading {
        Reading::new(self.file.clone())
    }
}

fn seekable(path: &Path, file: File) -> io::Result<File> {
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    if kind.is_file() {
        return Ok(file);
    }
    tracing::debug!(path = %path.display(), "the list is kept in a temporary file");
    spool(file)
}

fn spool(mut from: impl io::Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut from, &mut file)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &[u8]) -> List {
        List {
            file: Arc::new(spool(text).unwrap()),
        }
    }

    #[test]
    fn a_list_can_be_surveyed_more_than_once() {
        let list = list(b"a\n{\"url\":\"b\",\"options\":{\"x\":1}}\n");

        let first = list.survey("ann").unwrap();

        assert_eq!(first.total, 2);
        assert_eq!(list.survey("ann").unwrap(), first);
        assert_ne!(list.survey("bob").unwrap().digest, first.digest);
    }

    #[test]
    fn b07_another_spelling_of_a_list_has_the_same_key() {
        let plain = list("é\nb".as_bytes());
        let spelled = list(b"\xef\xbb\xbf{\"options\":{ },\"url\":\"\\u00e9\"}\r\n\r\nb\r\n");

        assert_eq!(plain.survey("a").unwrap(), spelled.survey("a").unwrap());
    }
}
