//! Where one case runs: a directory and a name of its own, gone when it passes.
//!
//! A second process of the same case, and a store that is reopened, work in the same
//! place through [`Site::at`], which never removes anything.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::backend::Setup;

/// A place that no other case uses.
#[derive(Debug)]
pub struct Site {
    place: Place,
    namespace: String,
}

#[derive(Debug)]
enum Place {
    Own(TempDir),
    Guest(PathBuf),
}

impl Site {
    /// A new place; its directory is removed when it is dropped, and kept after a panic.
    pub fn new() -> Setup<Self> {
        let dir = tempfile::Builder::new()
            .prefix("batch-testkit-")
            .tempdir()?;
        let namespace = name_of(dir.path());
        Ok(Self {
            place: Place::Own(dir),
            namespace,
        })
    }

    /// The place of another process's case; it is left as it is.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        let dir = dir.into();
        Self {
            namespace: name_of(&dir),
            place: Place::Guest(dir),
        }
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        match &self.place {
            Place::Own(dir) => dir.path(),
            Place::Guest(dir) => dir,
        }
    }

    /// Its name: letters, digits, `-` and `_`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Leaves its directory for whoever looks into a failure.
    pub fn keep(&mut self) {
        if let Place::Own(dir) = &mut self.place {
            dir.disable_cleanup(true);
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.keep();
        }
    }
}

fn name_of(dir: &Path) -> String {
    dir.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
