//! S11: servers that cannot keep the contract are refused at once, by name, and left as they were.

use std::net::TcpListener;
use std::time::Duration;

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_store_redis::{Options, RedisStore};
use batch_testkit::calls;
use batch_testkit::proxy::{Act, Chosen};
use batch_testkit::redis_server::{RedisServer, RedisSettings};

use crate::place::{PASSWORD, Place, opened};

const PREFIX: &str = "p";

/// Opens a store at `url`, which must be refused with its address and without a password.
async fn refused(url: &str) -> StoreError {
    let error = opened(url, PREFIX).await.unwrap_err();

    let text = format!("{error} {error:?}");
    assert_eq!(error.operation(), "open");
    assert!(text.contains("127.0.0.1"), "{text}");
    assert!(!text.contains(PASSWORD), "{text}");
    error
}

/// A place whose server has the user `guest` with these permissions; and the guest's address.
async fn guest(rules: &[&str]) -> (Place, String) {
    let secret = format!(">{PASSWORD}");
    let mut all = vec!["on", secret.as_str()];
    all.extend_from_slice(rules);
    let place = Place::with(RedisSettings::default().user("guest", &all)).await;
    let url = format!("redis://guest:{PASSWORD}@{}/", place.proxy.address());
    (place, url)
}

/// S11.1, S11.2
#[tokio::test]
async fn b40_a_server_that_may_drop_keys_is_refused_by_the_name_of_the_setting() {
    let settings = RedisSettings::default().set("maxmemory-policy", "allkeys-lru");
    let place = Place::with(settings).await;

    let error = refused(&place.url()).await;

    assert!(error.to_string().contains("maxmemory-policy"), "{error}");
    assert!(place.dump().is_empty());
}

/// S11.1 keys of the store have no expiry of the server's: these policies never drop one.
#[tokio::test]
async fn a_server_that_drops_only_expiring_keys_is_accepted() {
    let settings = RedisSettings::default().set("maxmemory-policy", "volatile-lru");
    let place = Place::with(settings).await;

    opened(&place.url(), PREFIX).await.unwrap();
}

/// S11.1, S11.2
#[tokio::test]
async fn b38_a_wrong_password_is_refused_at_once() {
    let place = Place::with(RedisSettings::default().password("right")).await;
    let url = format!("redis://:{PASSWORD}@{}/", place.proxy.address());

    let error = refused(&url).await;

    assert!(error.to_string().contains("password"), "{error}");
    assert!(place.dump().is_empty());
}

/// S11.1
#[tokio::test]
async fn a_missing_password_is_refused_at_once() {
    let place = Place::with(RedisSettings::default().password(PASSWORD)).await;

    let error = refused(&place.url()).await;

    assert!(error.to_string().contains("password"), "{error}");
}

/// R8.5, S11.1
#[tokio::test]
async fn a_right_password_opens_and_is_never_shown() {
    let place = Place::with(RedisSettings::default().password(PASSWORD)).await;
    let url = format!("redis://:{PASSWORD}@{}/", place.proxy.address());

    let store = opened(&url, PREFIX).await.unwrap();

    assert!(!format!("{store:?}").contains(PASSWORD));
}

/// S11.1
#[tokio::test]
async fn a_user_with_all_permissions_is_accepted() {
    let (_place, url) = guest(&["~*", "&*", "+@all"]).await;

    opened(&url, PREFIX).await.unwrap();
}

/// What `docs/backends.md` lists as needed, for the prefix of these tests.
const NEEDED: &str = "~{p}:* &{p}:wake +evalsha +eval +script|load +info +time +type +get +set \
    +del +hdel +hexists +hget +hgetall +hincrby +hmget +hset +incr +unlink +zadd +zrange \
    +zrangebylex +zrangebyscore +zrem +publish +subscribe";

/// S11.1 a user who may do what is needed under the prefix, and nothing else.
#[tokio::test]
async fn a_user_with_what_is_needed_is_accepted() {
    let rules: Vec<_> = NEEDED.split_whitespace().collect();
    let (_place, url) = guest(&rules).await;
    let store = opened(&url, PREFIX).await.unwrap();
    let session = SessionId::from("s");

    store.enter(calls::enter(&session)).await.unwrap();
    let call = calls::submit("job", vec![calls::target("u"); 3]);
    store.submit(call).await.unwrap();

    assert_eq!(calls::drain(&store, &session).await, 3);
}

/// S11.1, S11.2
#[tokio::test]
async fn a_user_who_may_not_run_scripts_is_refused() {
    let (place, url) = guest(&["~*", "&*", "+@all", "-@scripting"]).await;

    let error = refused(&url).await;

    assert!(error.to_string().contains("the user"), "{error}");
    assert!(place.dump().is_empty());
}

/// S11.1, S11.2
#[tokio::test]
async fn a_user_who_may_not_see_the_keys_is_refused() {
    let (place, url) = guest(&["~other:*", "&*", "+@all"]).await;

    let error = refused(&url).await;

    assert!(error.to_string().contains("the user"), "{error}");
    assert!(place.dump().is_empty());
}

/// S11.1, S11.2
#[tokio::test]
async fn a_user_who_may_not_write_is_refused() {
    let (place, url) = guest(&["~*", "&*", "+@all", "-@write"]).await;

    let error = refused(&url).await;

    assert!(error.to_string().contains("the user"), "{error}");
    assert!(place.dump().is_empty());
}

/// S11.1, S11.2
#[tokio::test]
async fn a_user_who_may_not_publish_is_refused() {
    let (place, url) = guest(&["~*", "resetchannels", "+@all"]).await;

    let error = refused(&url).await;

    assert!(error.to_string().contains("the user"), "{error}");
    assert!(place.dump().is_empty());
}

/// S11.1, S11.2
#[tokio::test]
async fn a_user_who_may_not_listen_is_refused() {
    let (place, url) = guest(&["~*", "&*", "+@all", "-subscribe"]).await;

    let error = refused(&url).await;

    assert!(error.to_string().contains("subscribe"), "{error}");
    assert!(place.dump().is_empty());
}

/// S11.1, S11.2 a script that was run by its text may still not be run by its hash.
#[tokio::test]
async fn a_user_who_may_not_call_scripts_by_hash_is_refused() {
    let (place, url) = guest(&["~*", "&*", "+@all", "-evalsha"]).await;

    let error = refused(&url).await;

    assert!(error.to_string().contains("evalsha"), "{error}");
    assert!(place.dump().is_empty());
}

/// S11.1, S11.2
#[tokio::test]
async fn a_server_that_is_too_old_is_refused() {
    let place = Place::new().await;
    let info = "# Server\r\nredis_version:6.2.14\r\n";
    let old = Act::Answer(format!("${}\r\n{info}\r\n", info.len()));
    let planned = place.proxy.plan(Chosen::holding("\nINFO\r"), old);

    let error = refused(&place.url()).await;

    planned.happened().await.unwrap();
    assert_eq!(error.kind(), StoreErrorKind::Unsupported);
    assert!(error.to_string().contains("6.2.14"), "{error}");
    assert!(place.dump().is_empty());
}

/// S11.1
#[tokio::test]
async fn an_address_where_nobody_listens_is_refused_at_once() {
    let server = RedisServer::start().unwrap();
    let url = server.url();
    drop(server);

    let error = refused(&url).await;

    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
}

/// S11.1
#[tokio::test]
async fn b38_a_silent_address_is_noticed() {
    // It listens, and never accepts nor answers.
    let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("redis://{}/", silent.local_addr().unwrap());
    let options = Options::default()
        .with_prefix(PREFIX)
        .with_response_timeout(Duration::from_millis(50));

    let error = RedisStore::open(&url, options).await.unwrap_err();

    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
}

/// S11.1, S11.2 a loading server may soon be there: the kind says that it can be tried again.
#[tokio::test]
async fn b38_a_loading_server_is_unavailable_at_open() {
    let place = Place::new().await;
    let loading = "-LOADING Redis is loading the dataset in memory\r\n".to_owned();
    let planned = place
        .proxy
        .plan(Chosen::holding("\nINFO\r"), Act::Answer(loading));

    let error = refused(&place.url()).await;

    planned.happened().await.unwrap();
    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
}

/// A place with one key under the prefix; and the error of opening a store there.
async fn refused_beside(words: &[&str]) -> StoreError {
    let place = Place::new().await;
    place.say::<redis::Value>(words);
    let before = place.dump();

    let error = refused(&place.url()).await;

    assert_eq!(place.dump(), before);
    assert_eq!(error.kind(), StoreErrorKind::Incompatible, "{error}");
    error
}

/// S11.1, S11.2
#[tokio::test]
async fn another_programs_prefix_is_refused() {
    refused_beside(&["SET", "{p}:schema", "other 1.0"]).await;
}

/// S11.1, S11.2
#[tokio::test]
async fn another_programs_keys_of_our_names_are_refused() {
    refused_beside(&["SADD", "{p}:jobs", "member"]).await;
}

/// S11.1, S11.2
#[tokio::test]
async fn a_schema_of_another_type_is_refused() {
    refused_beside(&["HSET", "{p}:schema", "field", "value"]).await;
}

/// S11.1, S11.2, S11.4
#[tokio::test]
async fn b41_a_newer_major_schema_is_refused_by_its_version() {
    let error = refused_beside(&["SET", "{p}:schema", "batch-store-redis 2.0"]).await;

    assert!(error.to_string().contains("version 2"), "{error}");
}

/// S11.4
#[tokio::test]
async fn a_newer_minor_schema_is_accepted_and_kept() {
    let place = Place::new().await;
    place.say::<()>(&["SET", "{p}:schema", "batch-store-redis 1.9"]);

    opened(&place.url(), PREFIX).await.unwrap();

    let kept: String = place.say(&["GET", "{p}:schema"]);
    assert_eq!(kept, "batch-store-redis 1.9");
}

/// S9.3, S11.2
#[tokio::test]
async fn keys_of_other_names_are_nobodys_business() {
    let place = Place::new().await;
    place.say::<()>(&["SET", "p", "1"]);
    place.say::<()>(&["SET", "{p}", "1"]);
    place.say::<()>(&["SET", "{pp}:schema", "other 1.0"]);

    opened(&place.url(), PREFIX).await.unwrap();
}

/// S9.3 a prefix that could be read as syntax is refused before anything is sent.
#[tokio::test]
async fn b46_a_prefix_with_syntax_is_refused() {
    let place = Place::new().await;

    let error = opened(&place.url(), "a}b:*").await.unwrap_err();

    assert_eq!(error.kind(), StoreErrorKind::Invalid, "{error}");
    assert!(place.dump().is_empty());
}
