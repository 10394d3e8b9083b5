//! What an error of a fetch means, and when a busy target is tried again (R3.2).
//!
//! Plain functions over plain data: no clock, no store.

use std::error::Error;
use std::time::Duration;

use tokio::task::JoinError;

use crate::caller::BoxError;
use crate::fetch::{RetryLater, TargetError};
use crate::time::Timestamp;

/// How many errors of a chain are looked at: one that leads back to itself has no end.
const CHAIN: usize = 64;

/// What an error means for its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// What is stored as the error.
    pub(super) error: String,
    /// What is stored as the hint.
    pub(super) hint: Option<String>,
    /// Set when the target was only busy: the wait that the error carries, or zero.
    pub(super) later: Option<Duration>,
}

/// What a panic is called, whatever it carried (R3.1).
pub(super) const PANICKED: &str = "internal error";

/// The same error, or what is said instead of one that tells of a panic: the text of a task
/// that panicked holds what the panic carried (R3.1).
pub(super) fn without_panic(error: BoxError) -> BoxError {
    if !find::<JoinError>(&error).is_some_and(JoinError::is_panic) {
        return error;
    }
    let panicked = TargetError::new(PANICKED);
    match find::<RetryLater>(&error).map(RetryLater::wait) {
        Some(wait) => {
            let later = RetryLater::new().because(panicked);
            later.after(wait.unwrap_or_default()).into()
        }
        None => panicked.into(),
    }
}

/// Looks through an error and its sources.
pub(super) fn classify(error: &BoxError) -> Failure {
    let later = find::<RetryLater>(error).map(|later| later.wait().unwrap_or_default());
    match find::<TargetError>(error) {
        Some(target) => Failure {
            error: target.msg.clone(),
            hint: Some(target.hint.clone()).filter(|hint| !hint.is_empty()),
            later,
        },
        None => Failure {
            error: error.to_string(),
            hint: None,
            later,
        },
    }
}

/// The first error of this type in the chain.
fn find<T: Error + 'static>(error: &BoxError) -> Option<&T> {
    let outermost: &(dyn Error + 'static) = &**error;
    let chain = std::iter::successors(Some(outermost), |&error| error.source());
    chain.take(CHAIN).find_map(|error| error.downcast_ref())
}

/// When a busy target is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// After this wait.
    Park(Duration),
    /// Never: it was busy for too long.
    GiveUp,
}

/// R3.2: the longer of both waits, never beyond what is left of `retry_for`.
pub(super) fn retry(
    busy_since: Option<Timestamp>,
    now: Timestamp,
    asked: Duration,
    retry_wait: Duration,
    retry_for: Duration,
) -> Retry {
    let busy_for = busy_since.map_or(Duration::ZERO, |since| now.since(since));
    if busy_for >= retry_for {
        return Retry::GiveUp;
    }
    let wait = asked.max(retry_wait);
    Retry::Park(wait.min(retry_for.saturating_sub(busy_for)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Duration = Duration::ZERO;
    const WAIT: Duration = Duration::from_secs(2);
    const FOR: Duration = Duration::from_secs(10);

    fn at(secs: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + secs * 1000)
    }

    /// R3.2
    #[test]
    fn the_longer_wait_counts() {
        let own = retry(None, at(0), NONE, WAIT, FOR);
        let asked = retry(None, at(0), WAIT * 2, WAIT, FOR);
        let shorter = retry(None, at(0), WAIT / 2, WAIT, FOR);

        assert_eq!(own, Retry::Park(WAIT));
        assert_eq!(asked, Retry::Park(WAIT * 2));
        assert_eq!(shorter, Retry::Park(WAIT));
    }

    /// R3.2
    #[test]
    fn no_wait_goes_beyond_what_is_left() {
        let left = retry(Some(at(0)), at(9), FOR * 9, WAIT, FOR);

        assert_eq!(left, Retry::Park(Duration::from_secs(1)));
    }

    /// R3.2, B22: at the limit and after it, never before.
    #[test]
    fn a_target_is_given_up_at_the_limit() {
        let before = retry(
            Some(at(0)),
            Timestamp::from_millis(at(10).as_millis() - 1),
            NONE,
            WAIT,
            FOR,
        );

        assert_eq!(before, Retry::Park(Duration::from_millis(1)));
        assert_eq!(retry(Some(at(0)), at(10), NONE, WAIT, FOR), Retry::GiveUp);
        assert_eq!(
            retry(Some(at(0)), at(86_400), NONE, WAIT, FOR),
            Retry::GiveUp
        );
    }

    /// R3.2, S15: a stamp from the future counts as just now.
    #[test]
    fn a_clock_that_went_back_gives_nothing_up() {
        assert_eq!(
            retry(Some(at(60)), at(0), NONE, WAIT, FOR),
            Retry::Park(WAIT)
        );
    }

    /// R3.2, R3.3
    #[test]
    fn an_error_is_known_by_its_chain() {
        let target = TargetError::new("no such page").with_hint("check the address");
        let later: BoxError = Box::new(RetryLater::new().after(WAIT).because(target));

        let failure = classify(&later);

        assert_eq!(failure.error, "no such page");
        assert_eq!(failure.hint.as_deref(), Some("check the address"));
        assert_eq!(failure.later, Some(WAIT));
    }

    /// R3.3
    #[test]
    fn any_other_error_is_its_text() {
        let failure = classify(&"it broke".into());

        assert_eq!(
            failure,
            Failure {
                error: "it broke".into(),
                hint: None,
                later: None
            }
        );
    }
    /// R3.1: the worker is not held up for ever.
    #[test]
    fn a_chain_that_leads_back_to_itself_ends() {
        #[derive(Debug)]
        struct Own;
        impl std::fmt::Display for Own {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("its own cause")
            }
        }
        impl Error for Own {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(self)
            }
        }

        let failure = classify(&Own.into());

        assert_eq!(failure.error, "its own cause");
        assert_eq!(failure.later, None);
    }
}
