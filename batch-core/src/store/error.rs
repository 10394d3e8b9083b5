//! Why a store could not answer, and what a client may do about it (S12).
//!
//! Texts never hold payloads, options, callers or passwords. Refusals are reply
//! variants, see `reply.rs`.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// The kinds of store errors, by what a client may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StoreErrorKind {
    /// Nothing happened; it may work later.
    Unavailable,
    /// It may have happened; send it again.
    Unknown,
    /// Nothing happened: there is no room.
    Full,
    /// Nothing happened: the call breaks a limit of the contract.
    Invalid,
    /// Nothing happened: this store does not offer it.
    Unsupported,
    /// The data is another program's, or of another schema.
    Incompatible,
    /// The data is damaged.
    Corrupt,
    /// The store was closed.
    Closed,
}

impl StoreErrorKind {
    /// Whether sending the call again may succeed.
    pub const fn may_retry(self) -> bool {
        matches!(self, Self::Unavailable | Self::Unknown | Self::Full)
    }

    /// The name in logs and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unavailable => "unavailable",
            Self::Unknown => "unknown",
            Self::Full => "full",
            Self::Invalid => "invalid",
            Self::Unsupported => "unsupported",
            Self::Incompatible => "incompatible",
            Self::Corrupt => "corrupt",
            Self::Closed => "closed",
        }
    }
}

impl fmt::Display for StoreErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A store could not answer.
#[derive(Debug, Clone)]
pub struct StoreError {
    kind: StoreErrorKind,
    operation: &'static str,
    id: Option<String>,
    reason: String,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// An error of `operation`, with a reason that says what to do.
    pub fn new(kind: StoreErrorKind, operation: &'static str, reason: impl Into<String>) -> Self {
        Self {
            kind,
            operation,
            id: None,
            reason: reason.into(),
            source: None,
        }
    }

    /// Names the job or session that the operation was about.
    #[must_use]
    pub fn with_id(mut self, id: impl fmt::Display) -> Self {
        self.id = Some(id.to_string());
        self
    }

    /// Names what the operation was about, unless the store has.
    #[must_use]
    pub fn about(mut self, id: impl fmt::Display) -> Self {
        self.id.get_or_insert_with(|| id.to_string());
        self
    }

    /// Keeps the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// The same error as one of another operation.
    #[must_use]
    pub fn in_operation(mut self, operation: &'static str) -> Self {
        self.operation = operation;
        self
    }

    /// The same error when an earlier sending of the call may have been applied: that
    /// nothing happened is no longer known.
    #[must_use]
    pub fn after_unknown(mut self) -> Self {
        if self.kind.may_retry() {
            self.kind = StoreErrorKind::Unknown;
        }
        self
    }

    /// What a client may do.
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Which operation failed.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// What the operation was about.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.operation)?;
        if let Some(id) = &self.id {
            write!(f, " {id}")?;
        }
        write!(f, ": {}: {}", self.kind, self.reason)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}
