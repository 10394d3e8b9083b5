//! With replicas to wait for, a write is acknowledged once enough of them have it (S10).

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test panics where it fails"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::SubmitReply;
use batch_store_redis::{Options, RedisStore};
use batch_testkit::calls;
use batch_testkit::redis_server::{RedisServer, RedisSettings};

/// A primary and its replica, once both are linked.
fn pair() -> (RedisServer, RedisServer) {
    let fast = RedisSettings::default().set("repl-diskless-sync-delay", "0");
    let primary = RedisServer::with(fast).unwrap();
    let port = primary.port().to_string();
    let follow = RedisSettings::default().set_words("replicaof", &["127.0.0.1", &port]);
    let mut replica = RedisServer::with(follow).unwrap();
    replica.await_log("Finished with success").unwrap();
    (primary, replica)
}

/// Gives a server a command, and waits for its answer.
fn tell(server: &RedisServer, command: &str) {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    writeln!(stream, "{command}\r").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    assert!(answer.starts_with('+'), "{answer}");
}

async fn opened(server: &RedisServer, within: Duration) -> RedisStore {
    let options = Options::default().with_replicas(1, within);
    RedisStore::open(&server.url(), options).await.unwrap()
}

/// S10.1
#[tokio::test]
async fn a_write_that_a_replica_has_is_acknowledged() {
    let (mut primary, replica) = pair();
    let store = opened(&primary, Duration::from_secs(30)).await;

    let job = calls::submit("job", vec![calls::target("u")]);
    store.submit(job).await.unwrap();
    primary.kill();

    let refused = RedisStore::open(&replica.url(), Options::default()).await;
    let refused = refused.unwrap_err().to_string();
    tell(&replica, "REPLICAOF NO ONE");
    let promoted = RedisStore::open(&replica.url(), Options::default()).await;

    assert!(refused.contains("is a replica"), "{refused}");
    assert!(calls::job(&promoted.unwrap(), "job").await.is_some());
}

/// S10.1, S2.1
#[tokio::test]
async fn a_write_that_no_replica_has_is_unknown_and_sent_again() {
    let (primary, replica) = pair();
    let store = opened(&primary, Duration::from_millis(50)).await;
    let job = calls::submit("job", vec![calls::target("u")]);
    replica.freeze().unwrap();

    let lost = store.submit(job.clone()).await.unwrap_err();
    replica.thaw().unwrap();
    let patient = opened(&primary, Duration::from_secs(30)).await;
    let again = patient.submit(job).await.unwrap();

    assert_eq!(lost.kind(), StoreErrorKind::Unknown);
    assert_eq!(again, SubmitReply::Created { seq: 1 });
}
