//! The numbers by which SQLite finds rows, and their limits.

use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};

use crate::error::error;

/// Bits of a target's index in `at`.
const INDEX_BITS: u32 = 24;

/// Targets that one job may have.
pub(crate) const MAX_TARGETS: u64 = 1 << INDEX_BITS;

const _: () = assert!(
    MAX_TARGETS > 10_000_000,
    "a job of ten million targets must fit"
);

/// A number that SQLite orders or looks up.
pub(crate) fn number(value: u64) -> StoreResult<i64> {
    i64::try_from(value).map_err(|_| error(StoreErrorKind::Full, "a number is beyond 2^63"))
}

/// Where the row of a target, a start or an outcome is: rows × 2^24 + index.
pub(crate) fn at(rows: u64, index: u64) -> StoreResult<i64> {
    if index >= MAX_TARGETS {
        return Err(too_many());
    }
    let packed = rows
        .checked_shl(INDEX_BITS)
        .filter(|packed| packed >> INDEX_BITS == rows);
    let packed = packed.and_then(|packed| i64::try_from(packed | index).ok());
    packed.ok_or_else(|| error(StoreErrorKind::Full, "the store's sequence is used up"))
}

/// The first and the last place that rows of a job may have.
pub(crate) fn span(rows: u64) -> StoreResult<(i64, i64)> {
    Ok((at(rows, 0)?, at(rows, MAX_TARGETS - 1)?))
}

/// The index of the target at a place.
pub(crate) fn index_of(at: i64) -> u64 {
    at.cast_unsigned() & (MAX_TARGETS - 1)
}

/// A job is longer than this store's keys can count.
pub(crate) fn too_many() -> StoreError {
    error(
        StoreErrorKind::Unsupported,
        "a job of this store has at most 16,777,216 targets; split it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_keeps_both_its_parts() {
        let last = (1 << 39) - 1;

        let place = at(last, MAX_TARGETS - 1).unwrap();

        assert_eq!(place, i64::MAX);
        assert_eq!(index_of(place), MAX_TARGETS - 1);
        assert_eq!(span(1).unwrap().1 + 1, span(2).unwrap().0);
    }

    #[test]
    fn what_does_not_fit_a_place_is_refused() {
        let long = at(1, MAX_TARGETS).unwrap_err();
        let used_up = at(1 << 39, 0).unwrap_err();
        let absurd = at(u64::MAX, 0).unwrap_err();

        assert_eq!(long.kind(), StoreErrorKind::Unsupported);
        assert_eq!(used_up.kind(), StoreErrorKind::Full);
        assert_eq!(absurd.kind(), StoreErrorKind::Full);
    }
}
