//! S12: what each refusal of a server comes to, and that the next call is made.
//!
//! The proxy says them in the server's place: the server is never in that state, so
//! nothing has happened. Servers that really are in it are in `outage.rs` and `memory.rs`.

use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::SubmitReply;
use batch_testkit::Case;
use batch_testkit::case::job;
use batch_testkit::proxy::{Act, Chosen};

use crate::place::Place;

/// A submit that is answered so; the kind of its error. The same call is then made.
async fn kind_of(reply: &str) -> StoreErrorKind {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let call = case.call(&job("job"));
    let answer = Act::Answer(format!("{reply}\r\n"));
    let planned = place.proxy.plan(Chosen::holding("EVALSHA"), answer);

    let error = case.store().submit(call.clone()).await.unwrap_err();
    planned.happened().await.unwrap();
    case.markers().check_error(&error).unwrap();
    let again = case.store().submit(call).await.unwrap();

    assert_eq!((error.operation(), error.id()), ("submit", Some("job")));
    assert!(matches!(again, SubmitReply::Created { .. }), "{again:?}");
    case.recount().await.unwrap();
    error.kind()
}

macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident: $reply:literal => $kind:ident;)*) => {$(
        $(#[$doc])*
        #[tokio::test]
        async fn $name() {
            assert_eq!(kind_of($reply).await, StoreErrorKind::$kind);
        }
    )*};
}

refusals! {
    /// S12.2
    b38_a_loading_server_is_unavailable:
        "-LOADING Redis is loading the dataset in memory" => Unavailable;
    /// S12.2
    b38_a_demoted_server_is_unavailable:
        "-READONLY You can't write against a read only replica." => Unavailable;
    /// S12.2
    b38_a_replica_without_its_primary_is_unavailable:
        "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
        => Unavailable;
    /// S12.2
    b38_a_cluster_that_is_down_is_unavailable:
        "-CLUSTERDOWN The cluster is down" => Unavailable;
    /// S12.2
    a_server_that_runs_another_script_is_unavailable:
        "-BUSY Redis is busy running a script." => Unavailable;
    /// S12.2
    a_server_that_cannot_save_is_full:
        "-MISCONF Errors writing to the AOF file: No space left on device" => Full;
    /// S12.2
    a_server_without_enough_replicas_is_unavailable:
        "-NOREPLICAS Not enough good replicas to write." => Unavailable;
    /// S12.2
    a_server_without_memory_is_full:
        "-OOM command not allowed when used memory > 'maxmemory'." => Full;
}

/// B37, S12.2: a forgotten script is loaded again, and nobody hears of it.
#[tokio::test]
async fn b37_a_forgotten_script_is_no_error() {
    let place = Place::new().await;
    let case = Case::new(&place).await.unwrap();
    let answer = Act::Answer("-NOSCRIPT No matching script.\r\n".to_owned());
    let planned = place.proxy.plan(Chosen::holding("EVALSHA"), answer);

    let reply = case.store().submit(case.call(&job("job"))).await.unwrap();

    planned.happened().await.unwrap();
    assert!(matches!(reply, SubmitReply::Created { .. }), "{reply:?}");
}
