//! The files of the workspace, read once for all checks.

use std::io;
use std::path::{Path, PathBuf};

/// A text file of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// The path from the root, with `/` between its parts.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path)
            .extension()
            .is_some_and(|found| found == extension)
    }
}

/// The extensions that some check reads.
const READ: [&str; 3] = ["rs", "sql", "lua"];

/// The root of the workspace: the folder above this package.
///
/// Cargo says at run time where the package is. The value at compile time
/// would go stale with a build folder that was moved or shared.
pub(crate) fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package
        .as_deref()
        .and_then(Path::parent)
        .unwrap_or(Path::new("."))
        .to_path_buf()
}

/// Reads all sources, in the order of their paths.
pub(crate) fn sources() -> Result<Vec<File>, String> {
    let root = root();
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        visit(&folder, &root, &mut folders, &mut files)
            .map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

fn visit(
    folder: &Path,
    root: &Path,
    folders: &mut Vec<PathBuf>,
    files: &mut Vec<File>,
) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() {
            folders.extend(Some(path).filter(|path| is_ours(path)));
        } else if path
            .extension()
            .is_some_and(|found| READ.iter().any(|read| found == *read))
        {
            files.push(File {
                text: std::fs::read_to_string(&path)?,
                path: relative(&path, root),
            });
        }
    }
    Ok(())
}

/// Whether a folder holds sources, and no build output or repository data.
fn is_ours(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name != "target" && !name.starts_with('.')
}

fn relative(path: &Path, root: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
