//! Who waits for whom, and what happens when the database broke.

use std::sync::mpsc;

use super::*;

fn engine(dir: &tempfile::TempDir) -> Engine {
    Engine::open(&dir.path().join("data")).unwrap()
}

/// R8.1, S8: the next group of steps waits for a reader that came before it.
#[test]
fn a_busy_writer_does_not_pass_a_waiting_reader() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&dir);
    let (tell, told) = mpsc::channel();

    thread::scope(|scope| {
        let first = engine.write();
        scope.spawn(|| {
            let _db = engine.read();
            tell.send("read").unwrap();
        });
        while engine.turn.try_lock().is_ok() {
            thread::yield_now();
        }
        drop(first);
        let _second = engine.write();

        assert_eq!(told.try_recv(), Ok("read"));
    });
}

/// S12.1: whoever comes next opens a broken database again, with all that it held.
#[test]
fn a_broken_database_is_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&dir);
    let insert = |db: &Db| db.insert("key", "value").and_then(|_| db.flush());
    insert(engine.read().as_ref().unwrap()).unwrap();

    engine.close();
    engine.revive().unwrap();

    let db = engine.read();
    let kept = db.as_ref().unwrap().get("key").unwrap();
    assert_eq!(kept.as_deref(), Some(&b"value"[..]));
}

/// S11.2: data that was taken away meanwhile is no new store.
#[test]
fn data_that_is_gone_is_not_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(&dir);
    engine.close();
    fs::remove_dir_all(dir.path().join("data")).unwrap();

    let error = engine.revive().unwrap_err();

    assert_eq!(error.kind(), StoreErrorKind::Corrupt);
    assert!(!dir.path().join("data").exists());
}
