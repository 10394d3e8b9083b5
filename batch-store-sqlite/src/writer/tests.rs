//! Groups in which one step goes wrong (S1).

use batch_core::store::error::StoreErrorKind;
use tokio::sync::oneshot::Receiver;

use super::*;
use crate::connect::open_in_memory;
use crate::options::Options;

type Answer = Receiver<StoreResult<usize>>;

fn connection() -> Connection {
    open_in_memory(&Options::default()).unwrap().writer
}

fn step(act: impl FnMut(&mut Tables<'_>) -> StoreResult<usize> + Send + 'static) -> (Task, Answer) {
    let (reply, answer) = oneshot::channel();
    (Call::task(None, act, |_| (), reply), answer)
}

fn add(rows: i64) -> (Task, Answer) {
    step(move |tables| tables.run(sql::ADD_DUST, [rows]))
}

fn dust(conn: &Connection) -> i64 {
    let count = conn.query_row("SELECT count(*) FROM dust", [], |row| row.get(0));
    count.unwrap()
}

fn kind_of(mut answer: Answer) -> StoreErrorKind {
    answer.try_recv().unwrap().unwrap_err().kind()
}

/// S1.4
#[test]
fn a_step_that_panics_takes_no_neighbour_down() {
    let conn = connection();
    let (one, mut first) = add(1);
    let (bad, panicked) = step(|tables| {
        tables.run(sql::ADD_DUST, [2])?;
        panic!("a step that panics");
    });
    let (other, mut last) = add(3);

    serve_group(&conn, &mut Log::default(), vec![one, bad, other]);

    assert_eq!(first.try_recv().unwrap().unwrap(), 1);
    assert_eq!(kind_of(panicked), StoreErrorKind::Unavailable);
    assert_eq!(last.try_recv().unwrap().unwrap(), 1);
    assert_eq!(dust(&conn), 2);
}

/// S1.4
#[test]
fn a_step_that_loses_the_transaction_takes_no_neighbour_down() {
    let conn = connection();
    let (one, mut first) = add(1);
    let (bad, refused) = step(|tables| {
        tables.run(sql::ROLLBACK, [])?;
        Err(error(StoreErrorKind::Full, "as SQLite does on a full disk"))
    });
    let (other, mut last) = add(3);

    serve_group(&conn, &mut Log::default(), vec![one, bad, other]);

    assert!(first.try_recv().unwrap().is_ok());
    assert_eq!(kind_of(refused), StoreErrorKind::Full);
    assert!(last.try_recv().unwrap().is_ok());
    assert_eq!(dust(&conn), 2);
}

/// S1.1
#[test]
fn a_step_whose_caller_went_away_is_applied() {
    let conn = connection();
    let (only, answer) = add(1);
    drop(answer);

    serve_group(&conn, &mut Log::default(), vec![only]);

    assert_eq!(dust(&conn), 1);
}

/// S1.1
#[test]
fn a_refused_step_leaves_nothing_when_it_is_alone() {
    let conn = connection();
    let (only, answer) = step(|tables| {
        tables.run(sql::ADD_DUST, [1])?;
        Err(error(StoreErrorKind::Invalid, "refused"))
    });

    serve_group(&conn, &mut Log::default(), vec![only]);

    assert_eq!(kind_of(answer), StoreErrorKind::Invalid);
    assert_eq!(dust(&conn), 0);
    assert!(conn.is_autocommit());
}

/// S12.2, B40: a full disk has room again once the log is written from its beginning.
#[test]
fn room_is_made_by_writing_the_log_from_its_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let conn = crate::connect::open(&path, &Options::default())
        .unwrap()
        .writer;
    let log = || {
        std::fs::metadata(dir.path().join("store.db-wal"))
            .unwrap()
            .len()
    };
    for rows in 0..50 {
        serve_group(&conn, &mut Log::default(), vec![add(rows).0]);
    }
    let before = log();

    assert!(Log::default().make_room(&conn));
    serve_group(&conn, &mut Log::default(), vec![add(50).0]);

    assert_eq!(log(), before);
}

/// S12.2, B40: the log is short for a while after the disk was full, not for ever.
#[test]
fn the_log_is_short_for_a_while_after_a_full_disk() {
    let conn = connection();
    let limit = || -> u32 {
        let limit = conn.query_row("PRAGMA wal_autocheckpoint", [], |row| row.get(0));
        limit.unwrap()
    };
    let mut log = Log::default();

    log.make_room(&conn);
    let short = limit();
    log.short_for = 1;
    serve_group(&conn, &mut log, vec![add(1).0]);

    assert_eq!((short, limit()), (SHORT_LOG, CHECKPOINT_PAGES));
}
