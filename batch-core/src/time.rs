//! Points in time and lengths of time, as they are stored: whole milliseconds.
//!
//! All arithmetic saturates, so that an absurd clock or setting never panics
//! (S15, R11). Reading a clock is `clock.rs`.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A point in time: milliseconds since the Unix epoch.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest point that can be stored.
    pub const MIN: Self = Self(i64::MIN);

    /// The latest point that can be stored.
    pub const MAX: Self = Self(i64::MAX);

    /// A point `millis` milliseconds after the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Seconds since the Unix epoch, milliseconds as the fraction.
    #[expect(clippy::cast_precision_loss, reason = "exact below 285,000 years")]
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// This point moved later by `by`, or [`Timestamp::MAX`].
    #[must_use]
    pub fn after(self, by: Duration) -> Self {
        Self(self.0.saturating_add(millis(by)))
    }

    /// How long this point lies after `earlier`; zero when it does not (S15).
    pub fn since(self, earlier: Self) -> Duration {
        let gap = self.0.saturating_sub(earlier.0);
        Duration::from_millis(u64::try_from(gap).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// A length of time in whole milliseconds, at most `i64::MAX`.
pub fn millis(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

/// The length of time of `millis` milliseconds; zero for a negative number.
pub fn from_millis(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// A length of time as every store keeps it: whole milliseconds, at most `i64::MAX`.
pub fn whole(length: Duration) -> Duration {
    from_millis(millis(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S15, R11
    #[test]
    fn arithmetic_saturates_at_both_ends() {
        let early = Timestamp::from_millis(i64::MIN);
        let late = Timestamp::MAX;

        assert_eq!(early.since(late), Duration::ZERO);
        assert_eq!(late.after(Duration::MAX), Timestamp::MAX);
        assert_eq!(late.since(early), from_millis(i64::MAX));
    }

    /// S9: what one store cannot keep, none shows.
    #[test]
    fn a_stored_length_has_whole_milliseconds() {
        assert_eq!(whole(Duration::from_micros(1_999)), from_millis(1));
        assert_eq!(whole(Duration::MAX), from_millis(i64::MAX));
    }
}
