//! Brings a target's options to one canonical text (R1.2).
//!
//! The text is what gets hashed and stored, so it must not depend on a JSON
//! library's version or feature flags. Reader and writer are therefore our
//! own and small. They know JSON and nothing of jobs; [`crate::key`] hashes
//! what leaves here.

mod error;
mod reader;
mod string;
mod writer;

pub use error::{NotCanonical, Reason};
pub(crate) use writer::escape;

/// How many objects and lists may be open at once.
///
/// The reader and the writer recurse once per level, so this also bounds the
/// stack that hostile options can claim.
pub const MAX_NESTING: usize = 128;

/// Options that say nothing, in canonical text.
pub const NO_OPTIONS: &str = "{}";

/// Returns the canonical text of a target's options (R1.2).
///
/// Keys are sorted by code point at every depth, strings are decoded and
/// escaped again only where JSON demands it, white space goes, and numbers
/// keep every digit: `1`, `1.0` and `1e0` stay three different texts. Empty
/// text counts as absent options and becomes [`NO_OPTIONS`].
///
/// # Errors
///
/// [`NotCanonical`] if the text is not one JSON object, repeats a key after
/// decoding, holds half of a surrogate pair, or nests deeper than
/// [`MAX_NESTING`].
///
/// ```
/// use batch_core::canonical::canonical_options;
///
/// let text = canonical_options(r#"{ "b": 1.0, "a": "\u00e9" }"#)?;
/// assert_eq!(text, r#"{"a":"é","b":1.0}"#);
/// # Ok::<(), batch_core::canonical::NotCanonical>(())
/// ```
pub fn canonical_options(text: &str) -> Result<String, NotCanonical> {
    if text.is_empty() {
        return Ok(NO_OPTIONS.to_owned());
    }
    let options = reader::read_object(text)?;
    let mut canonical = String::with_capacity(text.len());
    writer::write(&options, &mut canonical);
    Ok(canonical)
}
