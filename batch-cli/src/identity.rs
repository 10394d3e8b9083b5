//! Which job a run is: its kind is a hash of the work, and its note tells it to people.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use batch_core::id::Kind;
use batch_core::limits::NOTE_BYTES;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::args;

/// What is done to each target.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    Command(Vec<OsString>),
    Get(args::Http),
}

/// What `show` tells of a job's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) command: Vec<String>,
    pub(crate) directory: String,
}

impl Work {
    /// The kind of this work by this caller in this directory on this list.
    pub(crate) fn kind(&self, directory: &Path, caller: &str, digest: &str) -> Kind {
        let mut hash = Parts::default();
        match self {
            Self::Command(words) => {
                hash.add(b"command");
                hash.add(&words.len().to_be_bytes());
                for word in words {
                    hash.add(word.as_bytes());
                }
            }
            Self::Get(options) => {
                hash.add(b"get");
                hash.add(&options.max_redirects().to_be_bytes());
                hash.add(&options.connect_timeout().as_millis().to_be_bytes());
                hash.add(&options.max_body().to_be_bytes());
                hash.add(&options.header.len().to_be_bytes());
                for (name, value) in &options.header {
                    hash.add(name.as_bytes());
                    hash.add(value.as_bytes());
                }
            }
        }
        hash.add(directory.as_os_str().as_bytes());
        hash.add(caller.as_bytes());
        hash.add(digest.as_bytes());
        Kind::new(format!("run-{}", hash.finish()))
    }

    /// The note of this work; empty when it would be too long. Header values stay out.
    pub(crate) fn note(&self, directory: &Path) -> String {
        let command = match self {
            Self::Command(words) => words
                .iter()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            Self::Get(options) => {
                let headers = options
                    .header
                    .iter()
                    .map(|(name, _)| format!("--header={name}: …"));
                std::iter::once("--get".to_owned()).chain(headers).collect()
            }
        };
        let note = Note {
            command,
            directory: directory.to_string_lossy().into_owned(),
        };
        serde_json::to_string(&note)
            .ok()
            .filter(|text| text.len() <= NOTE_BYTES)
            .unwrap_or_default()
    }
}

/// Hashes parts so that no two lists of parts give the same input.
#[derive(Default)]
struct Parts(Sha256);

impl Parts {
    fn add(&mut self, part: &[u8]) {
        self.0.update(part.len().to_be_bytes());
        self.0.update(part);
    }

    /// Half of the hash: 128 bits tell all works of a store apart.
    fn finish(self) -> String {
        let mut text = hex::encode(self.0.finalize());
        text.truncate(32);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(words: &[&str], directory: &str, caller: &str) -> Kind {
        let work = Work::Command(words.iter().map(OsString::from).collect());
        work.kind(Path::new(directory), caller, "d")
    }

    #[test]
    fn b46_every_part_of_the_identity_counts() {
        let base = kind(&["a", "b"], "/x", "ann");

        assert_eq!(base, kind(&["a", "b"], "/x", "ann"));
        for other in [
            kind(&["ab"], "/x", "ann"),
            kind(&["a", "b", ""], "/x", "ann"),
            kind(&["a", "b"], "/x/", "ann"),
            kind(&["a", "b"], "/xa", "nn"),
            kind(&["a", "b"], "/x", "ann "),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn a_note_tells_the_command() {
        let work = Work::Command(vec!["wc".into(), "{}".into()]);

        let note: Note = serde_json::from_str(&work.note(Path::new("/x"))).unwrap();

        assert_eq!(
            note,
            Note {
                command: vec!["wc".into(), "{}".into()],
                directory: "/x".into()
            }
        );
        assert_eq!(
            Work::Command(vec!["x".repeat(NOTE_BYTES).into()]).note(Path::new("/")),
            ""
        );
    }
}
