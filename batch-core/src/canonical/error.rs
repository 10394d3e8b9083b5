//! Why options have no canonical text, and where.
//!
//! Neither type carries any part of the options: errors are logged and
//! answered to clients, payloads are not.

use thiserror::Error;

/// The options have no canonical text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("options at byte {offset}: {reason}")]
pub struct NotCanonical {
    /// What is wrong.
    pub reason: Reason,
    /// Where it begins, in bytes from the start of the text.
    pub offset: usize,
}

/// What is wrong with options that have no canonical text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum Reason {
    /// The text is another JSON value than an object, or none.
    #[error("not an object; wrap the options in braces")]
    NotAnObject,
    /// The text ends inside a value.
    #[error("the text ends too early; close every string, list and object")]
    UnexpectedEnd,
    /// A character stands where the JSON grammar has no place for it.
    #[error("unexpected character; write the options as plain JSON")]
    UnexpectedCharacter,
    /// A sign, point or exponent is not followed by a digit.
    #[error("malformed number; put a digit here")]
    BadNumber,
    /// A backslash begins no escape sequence of JSON.
    #[error("unknown escape sequence; use one that JSON defines")]
    BadEscape,
    /// A control character stands in a string without an escape.
    #[error("control character in a string; escape it")]
    ControlCharacter,
    /// An escape names one half of a surrogate pair without the other.
    #[error("lone surrogate; write both halves of the pair or the character itself")]
    LoneSurrogate,
    /// One object has the same key twice, once both are decoded.
    #[error("duplicate key in one object; keep one of the two")]
    DuplicateKey,
    /// More than [`MAX_NESTING`](super::MAX_NESTING) levels are open.
    #[error("nested too deeply; keep within {} levels", super::MAX_NESTING)]
    TooDeep,
    /// Something follows the object.
    #[error("text after the object; remove it")]
    TrailingText,
}
