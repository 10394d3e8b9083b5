//! Where one case runs: a directory and a name of its own, gone when it passes.

use std::path::Path;

use tempfile::TempDir;

use crate::backend::Setup;

/// A place that no other case uses.
#[derive(Debug)]
pub struct Site {
    dir: TempDir,
    namespace: String,
}

impl Site {
    /// A new place; its directory is removed when it is dropped, and kept after a panic.
    pub fn new() -> Setup<Self> {
        let dir = tempfile::Builder::new()
            .prefix("batch-testkit-")
            .tempdir()?;
        let namespace = dir
            .path()
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        Ok(Self { dir, namespace })
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Its name: letters, digits, `-` and `_`.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.dir.disable_cleanup(true);
        }
    }
}
