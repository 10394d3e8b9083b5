//! R8.2, S2: every writing operation, cut before it reaches the server and after it did.
//!
//! The call is then sent again with the same names, and answers as S2 says. Whether
//! the server executed the first sending is read from its keys, see `place.rs`. Calls
//! that make and run work are in `work.rs`, those that keep and end it in `care.rs`.

use batch_core::store::call::Start;
use batch_core::store::view::KindStats;
use batch_testkit::Case;
use batch_testkit::case::job;

/// Two tests for each operation: a trial of the name, with each of both cuts.
macro_rules! cut {
    ($($(#[$rule:meta])* $name:ident;)*) => {$(
        mod $name {
            use batch_testkit::proxy::Act;

            $(#[$rule])*
            #[tokio::test]
            async fn that_is_cut_before_it_arrives_is_made_by_the_next_sending() {
                super::$name(Act::CutBefore).await;
            }

            $(#[$rule])*
            #[tokio::test]
            async fn that_is_cut_after_it_was_executed_is_not_made_twice() {
                super::$name(Act::CutAfter).await;
            }
        }
    )*};
}

mod care;
mod work;

/// A session `s` and a job `job` of two targets, of which the first is in flight.
async fn with_a_start(case: &mut Case<'_>) -> Start {
    case.enter("s").await.unwrap();
    case.make(job("job").targets(2)).await.unwrap();
    case.start("s").await.unwrap().start
}

async fn counted(case: &mut Case<'_>) -> KindStats {
    case.recount().await.unwrap();
    case.stats().await.unwrap()
}
