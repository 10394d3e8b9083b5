//! The one prefix under which all keys are, and the keys that Rust itself names.
//!
//! Every other key is built where it is used, in the scripts: `scripts/lib/keys.lua` lists
//! them all. The prefix is a hash tag, so that on a cluster all keys are in one slot.

use batch_core::store::StoreResult;
use batch_core::store::error::StoreErrorKind;

use crate::error::error;

/// Letters of a prefix, at most.
const LONGEST: usize = 64;

/// The beginning of every key of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prefix(String);

impl Prefix {
    /// A prefix of letters, digits, points, lines and hyphens, from 1 to 64.
    pub(crate) fn of(name: &str) -> StoreResult<Self> {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if name.is_empty() || name.len() > LONGEST || !name.bytes().all(known) {
            let reason = "a prefix is 1 to 64 letters, digits, points, underscores and hyphens";
            return Err(error(StoreErrorKind::Invalid, reason));
        }
        Ok(Self(format!("{{{name}}}:")))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// What identifies the data as a store's, and its schema.
    pub(crate) fn schema(&self) -> String {
        format!("{}schema", self.0)
    }

    /// The channel on which a kind is named that has a job to take.
    pub(crate) fn wake(&self) -> String {
        format!("{}wake", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S9.2
    #[test]
    fn a_prefix_is_a_hash_tag_without_syntax() {
        assert_eq!(Prefix::of("a.b-c_1").unwrap().as_str(), "{a.b-c_1}:");
        for name in ["", "a b", "{x}", "a:b", "é", "*", &"x".repeat(65)] {
            assert!(Prefix::of(name).is_err(), "{name}");
        }
    }
}
