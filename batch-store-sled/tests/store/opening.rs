//! S11: what is no store of ours is refused, with its address, and left as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use batch_core::store::Store;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_store_sled::{Options, SledStore};
use tempfile::TempDir;

use crate::child::child;

/// Every file below a directory, with its bytes.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((path.clone(), Vec::new()));
            found.extend(files(&path));
        } else {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Opens `path`, which must be refused with its name, and nothing changed in `dir`.
async fn refused(dir: &TempDir, path: &Path) -> StoreError {
    let before = files(dir.path());

    let error = SledStore::open(path, Options::default()).await.unwrap_err();

    assert_eq!(files(dir.path()), before);
    assert_eq!(error.operation(), "open");
    assert!(
        error.to_string().contains(path.to_str().unwrap()),
        "{error}"
    );
    error
}

/// A store that was opened and closed.
async fn new_store(dir: &TempDir) -> PathBuf {
    let path = dir.path().join("store");
    let store = SledStore::open(&path, Options::default()).await.unwrap();
    store.close().await.unwrap();
    path
}

/// S11.1, S11.2
#[tokio::test]
async fn b41_a_missing_parent_is_refused() {
    let dir = tempfile::tempdir().unwrap();

    let error = refused(&dir, &dir.path().join("missing/store")).await;

    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
}

/// S11.1, S11.2
#[tokio::test]
async fn a_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.txt");
    fs::write(&path, "not a database").unwrap();

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Incompatible);
}

/// S11.1, S11.2
#[tokio::test]
async fn another_programs_directory_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other");
    drop(sled::open(&path).unwrap());

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Incompatible);
}

/// S11.1, S11.2, S11.4
#[tokio::test]
async fn a_newer_schema_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = new_store(&dir).await;
    fs::write(path.join("batch.version"), "batch-store-sled 2.0\n").unwrap();

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Incompatible);
}

/// S11.3
#[tokio::test]
async fn a_newer_minor_schema_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let path = new_store(&dir).await;
    fs::write(path.join("batch.version"), "batch-store-sled 1.7\n").unwrap();

    let store = SledStore::open(&path, Options::default()).await.unwrap();

    store.close().await.unwrap();
}

/// S11.1, S11.2
#[tokio::test]
async fn a_damaged_version_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = new_store(&dir).await;
    for text in [
        &b""[..],
        b"batch-store-sled",
        b"batch-store-sled x.0",
        b"\xff\xfe",
    ] {
        fs::write(path.join("batch.version"), text).unwrap();

        let error = refused(&dir, &path).await;

        assert_eq!(error.kind(), StoreErrorKind::Corrupt);
    }
}

/// S11.2: what is left of a making that was cut short becomes a store.
#[tokio::test]
async fn b04_a_making_that_was_cut_short_is_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = new_store(&dir).await;
    fs::remove_file(path.join("batch.version")).unwrap();
    fs::write(path.join("batch.version.new"), "batch-st").unwrap();

    let store = SledStore::open(&path, Options::default()).await.unwrap();

    store.close().await.unwrap();
    assert!(path.join("batch.version").exists());
}

/// S11.2: a store whose data is gone is no new store, and nothing is made in its place.
#[tokio::test]
async fn b41_lost_data_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = new_store(&dir).await;
    fs::remove_dir_all(path.join("batch.data")).unwrap();

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Corrupt);
}

/// S11.1, S11.2: what sled would make anew, or cut off, is found before sled sees it.
#[tokio::test]
async fn b41_data_without_a_beginning_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = new_store(&dir).await;
    for bytes in [&b""[..], b"hello"] {
        fs::write(path.join("batch.data/db"), bytes).unwrap();

        let error = refused(&dir, &path).await;

        assert_eq!(error.kind(), StoreErrorKind::Corrupt);
    }
}

/// S11.1, S11.2: what sled refuses is told with the address, at once.
#[tokio::test]
async fn b41_damaged_settings_of_sled_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = new_store(&dir).await;
    fs::write(path.join("batch.data/conf"), "segment_size: 7\nuse").unwrap();

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Corrupt);
}

/// S11.1, S11.2: another user, to whom permissions apply as they do not to root.
#[tokio::test]
async fn b41_what_may_not_be_written_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = dir.path().join("store");
    let mut opening = child("open", &path);
    if rustix::process::geteuid().is_root() {
        opening.uid(65_534).gid(65_534);
    } else {
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    }

    let ended = opening.stdin(Stdio::null()).output().unwrap();

    let told = String::from_utf8(ended.stdout).unwrap();
    let expected = format!(
        "{} cannot be written; check its permissions",
        path.display()
    );
    assert!(
        told.contains("refused: ") && told.contains(&expected),
        "{told}"
    );
    assert!(!path.exists());
}
