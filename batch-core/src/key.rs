//! The idempotency key of a request: a hash over caller name and targets.
//!
//! The hash names a request that came without a key of its own (R1.3). The
//! same value is the digest that tells whether a client's own key was given
//! again with other targets (R1.5), or a rerun's key with another selection
//! (R12). Which name space a key belongs to is the store's column, not part
//! of the hash; kind and settings are left out as well.

use sha2::{Digest, Sha256};

use crate::canonical::escape;

/// Hashes a caller name and a list of targets, one target at a time.
///
/// The input is the caller name, one NUL byte and the JSON text
/// `[{"url":…,"options":…},…]`. That text holds no raw NUL, so the last NUL
/// ends the name even if the name has some of its own.
///
/// ```
/// use batch_core::key::KeyHasher;
///
/// let mut hasher = KeyHasher::new("ann");
/// hasher.push("https://example.org/", "{}");
/// assert_eq!(hasher.finish().len(), 64);
/// ```
#[derive(Debug, Clone)]
pub struct KeyHasher {
    hash: Sha256,
    separator: &'static str,
}

impl KeyHasher {
    /// Begins the key of a request by the caller of this name.
    pub fn new(caller_name: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(caller_name);
        hash.update([0]);
        hash.update("[");
        Self {
            hash,
            separator: "",
        }
    }

    /// Adds the next target.
    ///
    /// The options must come from
    /// [`canonical_options`](crate::canonical::canonical_options): they are
    /// hashed as they are.
    pub fn push(&mut self, url: &str, canonical_options: &str) {
        self.hash.update(self.separator);
        self.hash.update("{\"url\":");
        escape(url, |part| self.hash.update(part));
        self.hash.update(",\"options\":");
        self.hash.update(canonical_options);
        self.hash.update("}");
        self.separator = ",";
    }

    /// Returns the key as 64 lower-case hex digits.
    pub fn finish(mut self) -> String {
        self.hash.update("]");
        hex::encode(self.hash.finalize())
    }
}
