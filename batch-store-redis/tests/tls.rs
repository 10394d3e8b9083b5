//! Over TLS, with a password, and a certificate that only the options trust.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test panics where it fails"
)]

use std::fs;
use std::net::TcpListener;

use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_store_redis::{Options, RedisStore};
use batch_testkit::calls;
use batch_testkit::redis_server::{RedisServer, RedisSettings};
use tempfile::TempDir;

/// A server that speaks TLS, its address, and the certificate that it shows.
struct Sealed {
    _server: RedisServer,
    _files: TempDir,
    url: String,
    certificate: String,
}

fn sealed() -> Sealed {
    let files = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = made.cert.pem();
    let (cert, key) = (files.path().join("cert.pem"), files.path().join("key.pem"));
    fs::write(&cert, &certificate).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let settings = RedisSettings::default()
        .password("S3cr3t")
        .set("tls-port", &port.to_string())
        .set("tls-cert-file", cert.to_str().unwrap())
        .set("tls-key-file", key.to_str().unwrap())
        .set("tls-auth-clients", "no");
    Sealed {
        _server: RedisServer::with(settings).unwrap(),
        _files: files,
        url: format!("rediss://:S3cr3t@localhost:{port}/"),
        certificate,
    }
}

/// S11.1
#[tokio::test]
async fn a_trusted_server_is_used_over_tls() {
    let server = sealed();
    let options = Options::default().with_root_certificate(server.certificate.clone());

    let store = RedisStore::open(&server.url, options).await.unwrap();
    let job = calls::submit("job", vec![calls::target("u")]);
    store.submit(job).await.unwrap();

    assert!(calls::job(&store, "job").await.is_some());
}

/// S11.1, R8.5
#[tokio::test]
async fn a_server_that_nobody_trusts_is_refused_without_its_password() {
    let server = sealed();

    let refused = RedisStore::open(&server.url, Options::default()).await;

    let refused = refused.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Unavailable);
    assert!(
        !format!("{refused} {refused:?}").contains("S3cr3t"),
        "{refused:?}"
    );
}
