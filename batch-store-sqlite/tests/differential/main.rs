//! Random calls give the same replies and the same reads as the reference store.
//!
//! The calls are drawn in `draw.rs`; `dump.rs` reads everything that a store shows.

#![allow(clippy::unwrap_used, reason = "a test panics where it fails")]

mod draw;
mod dump;

use batch_core::memory::MemoryStore;
use batch_core::store::Store;
use batch_store_sqlite::{Durability, Options, SqliteStore};
use draw::Draw;

/// Calls between two comparisons of everything.
const CALLS_PER_DUMP: usize = 60;

#[tokio::test]
async fn random_calls_give_equal_answers_in_memory() {
    for seed in 0..60 {
        let sqlite = SqliteStore::open_in_memory().await.unwrap();
        compare(seed, 420, &sqlite).await;
    }
}

#[tokio::test]
async fn random_calls_give_equal_answers_over_a_file() {
    let dir = tempfile::tempdir().unwrap();
    for seed in 1_000..1_006 {
        let path = dir.path().join(format!("{seed}.db"));
        let options = Options::default().with_durability(Durability::Kill);
        let sqlite = SqliteStore::open(path, options).await.unwrap();
        compare(seed, 420, &sqlite).await;
    }
}

async fn compare(seed: u64, calls: usize, sqlite: &dyn Store) {
    let memory = MemoryStore::new();
    let mut draw = Draw::new(seed);
    for number in 0..calls {
        let call = draw.call();
        let expected = call.send(&memory).await;
        let found = call.send(sqlite).await;
        assert_eq!(expected, found, "seed {seed}, call {number}: {call:?}");
        draw.learn(&expected);
        if number % CALLS_PER_DUMP == 0 || number + 1 == calls {
            let (expected, found) = (dump::all(&memory).await, dump::all(sqlite).await);
            assert_eq!(
                expected, found,
                "seed {seed}, after call {number}: {call:?}"
            );
        }
    }
    assert!(draw.started() > 0, "seed {seed} started nothing");
}
