//! S11: what is no store of ours is refused, with its address, and left as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

use batch_core::store::Store;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_store_sqlite::{Options, SqliteStore};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::child::child;
use batch_testkit::calls;

/// Every file below a directory, with its bytes.
fn files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
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

    let error = SqliteStore::open(path, Options::default())
        .await
        .unwrap_err();

    assert_eq!(files(dir.path()), before);
    assert_eq!(error.operation(), "open");
    assert!(
        error.to_string().contains(path.to_str().unwrap()),
        "{error}"
    );
    error
}

async fn new_store(path: &Path) {
    let store = SqliteStore::open(path, Options::default()).await.unwrap();
    store.close().await.unwrap();
}

/// S11.1, S11.2
#[tokio::test]
async fn b41_a_missing_parent_is_refused() {
    let dir = tempfile::tempdir().unwrap();

    let error = refused(&dir, &dir.path().join("missing/store.db")).await;

    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
}

/// S11.1, S11.2
#[tokio::test]
async fn b41_a_directory_is_refused() {
    let dir = tempfile::tempdir().unwrap();

    let error = refused(&dir, dir.path()).await;

    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
}

/// S11.1, S11.2
#[tokio::test]
async fn a_text_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notes.txt");
    fs::write(&path, "not a database").unwrap();

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Incompatible);
}

/// S11.1, S11.2
#[tokio::test]
async fn another_programs_database_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("other.db");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(other);

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Incompatible);
}

/// S11.1, S11.2
#[tokio::test]
async fn a_file_that_is_cut_off_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    new_store(&path).await;
    let whole = fs::read(&path).unwrap();
    fs::write(&path, whole.get(..5_000).unwrap()).unwrap();

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Corrupt);
}

/// S11.1, S11.2
#[tokio::test]
async fn a_damaged_header_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    new_store(&path).await;
    let mut bytes = fs::read(&path).unwrap();
    bytes.splice(0..16, [0xff; 16]);
    fs::write(&path, bytes).unwrap();

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Incompatible);
}

/// S11.1, S11.2 not a byte of it changes.
#[tokio::test]
async fn b41_a_newer_major_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    new_store(&path).await;
    set_version(&path, 2_000);

    let error = refused(&dir, &path).await;

    assert_eq!(error.kind(), StoreErrorKind::Incompatible);
    assert!(error.to_string().contains("schema 2.0"), "{error}");
}

/// S11.4 what this program does not know was only added.
#[tokio::test]
async fn a_newer_minor_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    new_store(&path).await;
    set_version(&path, 1_999);

    let store = SqliteStore::open(&path, Options::default()).await.unwrap();

    assert_eq!(calls::stats(&store).await.live, 0);
}

fn set_version(path: &Path, version: i64) {
    let conn = Connection::open(path).unwrap();
    conn.pragma_update(None, "user_version", version).unwrap();
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    fs::write(&path, "").unwrap();

    new_store(&path).await;
    new_store(&path).await;
}

/// S11.1: its journal, still there, says that the file had no page before.
#[tokio::test]
async fn a_file_whose_creation_a_crash_cut_short_becomes_a_store() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    new_store(&path).await;
    fs::write(dir.path().join("store.db-journal"), journal_of_nothing()).unwrap();

    new_store(&path).await;
    new_store(&path).await;
}

/// The rollback journal of a transaction that began on an empty file.
fn journal_of_nothing() -> Vec<u8> {
    const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let (records, nonce, pages) = (0_u32, 0_u32, 0_u32);
    let (sector, page) = (512_u32, 4_096_u32);
    let mut journal = MAGIC.to_vec();
    for field in [records, nonce, pages, sector, page] {
        journal.extend(field.to_be_bytes());
    }
    journal.resize(512, 0);
    journal
}

/// S9.3 a path is never read as a URI or a pattern.
#[tokio::test]
async fn any_path_is_only_a_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a b?mode=memory&x=%41#é'.db");

    new_store(&path).await;
    new_store(&path).await;

    assert_eq!(files(dir.path()).len(), 1);
    assert!(path.is_file());
}

/// S11.1
#[tokio::test]
async fn a_file_that_somebody_holds_exclusively_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    new_store(&path).await;
    let holder = Connection::open(&path).unwrap();
    holder
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;")
        .unwrap();

    let error = SqliteStore::open(&path, Options::default())
        .await
        .unwrap_err();

    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
    assert!(
        error.to_string().contains("another process holds"),
        "{error}"
    );
}

/// S11.1, S11.2: root may write everything, so a child that is nobody tries.
#[test]
fn b41_a_read_only_file_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    tokio::runtime::Runtime::new()
        .unwrap()
        .block_on(new_store(&path));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let before = files(dir.path());

    let said = as_nobody("open", &path);

    assert!(said.contains("refused open: unavailable"), "{said}");
    assert!(said.contains(path.to_str().unwrap()), "{said}");
    assert_eq!(files(dir.path()), before);
}

/// S11.1, S11.2
#[test]
fn b41_a_read_only_directory_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();

    let said = as_nobody("open", &path);

    assert!(said.contains("refused open: unavailable"), "{said}");
    assert_eq!(files(dir.path()), []);
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

/// What a child without privileges says.
fn as_nobody(role: &str, path: &Path) -> String {
    let mut child = child(role, path);
    if fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
        child.uid(65_534);
    }
    String::from_utf8(child.output().unwrap().stdout).unwrap()
}
