//! S10: what was acknowledged survives a killed process.

use std::io::{BufRead as _, BufReader};

use batch_core::store::Store;
use batch_store_sqlite::{Options, SqliteStore};

use crate::child::child;
use batch_testkit::calls;

/// S10.1
#[tokio::test]
async fn a_killed_process_loses_nothing_that_it_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let mut crashing = child("crash", &path).spawn().unwrap();
    let mut lines = BufReader::new(crashing.stdout.take().unwrap()).lines();

    let seen = lines.find(|line| line.as_ref().unwrap().ends_with("acknowledged 300"));
    crashing.kill().unwrap();
    let rest = lines
        .map_while(Result::ok)
        .filter(|line| line.starts_with("acknowledged"));
    let acknowledged = 301 + rest.count() as u64;
    crashing.wait().unwrap();

    assert!(seen.is_some());
    let store = SqliteStore::open(&path, Options::default()).await.unwrap();
    let kept = calls::stats(&store).await.live;
    assert!(
        kept == acknowledged || kept == acknowledged + 1,
        "{kept} kept, {acknowledged} acknowledged"
    );
    store.close().await.unwrap();
}
