//! A command with a place for its target, and whether it can be run at all.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// What stands for the target.
const PLACE: &[u8] = b"{}";

/// A program and its arguments; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    words: Vec<OsString>,
}

impl Program {
    /// Takes a command line; the target is appended when it has no place.
    pub(crate) fn new(mut words: Vec<OsString>) -> Option<Self> {
        let first = words.first()?;
        if first.is_empty() {
            return None;
        }
        if !words.iter().any(|word| find(word.as_bytes()).is_some()) {
            words.push(OsStr::from_bytes(PLACE).to_owned());
        }
        Some(Self { words })
    }

    /// The command line for a target.
    pub(crate) fn with(&self, target: &str) -> Vec<OsString> {
        self.words
            .iter()
            .map(|word| fill(word.as_bytes(), target.as_bytes()))
            .collect()
    }

    /// What keeps the system from running it; `None` if nothing is known to.
    pub(crate) fn missing(&self, path: Option<&OsStr>) -> Option<String> {
        let name = self.words.first()?;
        if find(name.as_bytes()).is_some() {
            return None;
        }
        let shown = name.to_string_lossy();
        if name.as_bytes().contains(&b'/') {
            let found = runnable(Path::new(name));
            return (!found).then(|| format!("{shown}: no such program, or not executable"));
        }
        let mut folders = std::env::split_paths(path.unwrap_or_default());
        let found = folders.any(|folder| runnable(&here(folder).join(name)));
        (!found).then(|| format!("{shown}: command not found in PATH"))
    }
}

/// An empty entry of PATH is the working directory.
fn here(folder: PathBuf) -> PathBuf {
    if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder
    }
}

fn runnable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

fn find(word: &[u8]) -> Option<usize> {
    word.windows(PLACE.len()).position(|window| window == PLACE)
}

fn fill(word: &[u8], target: &[u8]) -> OsString {
    let mut filled = Vec::with_capacity(word.len() + target.len());
    let mut rest = word;
    while let Some(at) = find(rest) {
        let (before, after) = rest.split_at(at);
        filled.extend_from_slice(before);
        filled.extend_from_slice(target);
        rest = after.strip_prefix(PLACE).unwrap_or(after);
    }
    filled.extend_from_slice(rest);
    OsString::from_vec(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(words: &[&str]) -> Program {
        Program::new(words.iter().map(OsString::from).collect()).unwrap()
    }

    #[test]
    fn every_place_is_filled() {
        let words = program(&["cp", "{}", "{}.bak{}", "{"]).with("a b");

        assert_eq!(words, ["cp", "a b", "a b.baka b", "{"]);
    }

    #[test]
    fn a_target_is_never_filled_again() {
        assert_eq!(program(&["echo", "-{}-"]).with("{}{}"), ["echo", "-{}{}-"]);
    }

    #[test]
    fn a_target_without_a_place_is_appended() {
        assert_eq!(
            program(&["wc", "-c"]).with("-x; rm *"),
            ["wc", "-c", "-x; rm *"]
        );
    }

    #[test]
    fn a_program_that_is_not_there_is_missed() {
        let path = Some(OsStr::new("/nonexistent:/bin:/usr/bin"));

        assert_eq!(program(&["sh"]).missing(path), None);
        assert_eq!(program(&["{}"]).missing(path), None);
        assert!(program(&["no-such-program-here"]).missing(path).is_some());
        assert!(program(&["/etc/passwd"]).missing(path).is_some());
        assert!(program(&["sh"]).missing(None).is_some());
        assert_eq!(Program::new(vec![OsString::new()]), None);
    }
}
