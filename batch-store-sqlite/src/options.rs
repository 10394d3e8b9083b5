//! What a deployment chooses when it opens a store.

use std::time::Duration;

use batch_core::store::capability;

/// What an acknowledged write survives (S10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Durability {
    /// A killed process. After a loss of power the newest writes may be missing; what
    /// is there is whole.
    Kill,
    /// Loss of power: every group of writes is synced before it is acknowledged.
    #[default]
    Power,
}

impl Durability {
    pub(crate) fn declared(self) -> capability::Durability {
        match self {
            Self::Kill => capability::Durability::Kill,
            Self::Power => capability::Durability::Power,
        }
    }

    /// The value of SQLite's `synchronous`.
    pub(crate) fn synchronous(self) -> &'static str {
        match self {
            Self::Kill => "NORMAL",
            Self::Power => "FULL",
        }
    }
}

/// How a store is opened.
///
/// ```
/// use batch_store_sqlite::{Durability, Options};
///
/// let options = Options::default().with_durability(Durability::Kill);
/// # let _ = options;
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) durability: Durability,
    pub(crate) busy_timeout: Duration,
    pub(crate) readers: usize,
    pub(crate) max_pages: Option<u32>,
}

/// Threads that read, unless the options say otherwise.
const READERS: usize = 2;

/// Threads that read, at most.
const MAX_READERS: usize = 64;

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::default(),
            busy_timeout: Duration::from_secs(30),
            readers: READERS,
            max_pages: None,
        }
    }
}

impl Options {
    /// What an acknowledged write survives; [`Durability::Power`] by default.
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// How long a write waits for another process before it is `Unavailable`; 30 s.
    #[must_use]
    pub fn with_busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// How many threads read; 2 by default, from 1 to 64.
    #[must_use]
    pub fn with_readers(mut self, readers: usize) -> Self {
        self.readers = readers.clamp(1, MAX_READERS);
        self
    }

    /// How many pages of 4 KiB the file may have; writes beyond it are `Full`.
    #[must_use]
    pub fn with_max_pages(mut self, pages: u32) -> Self {
        self.max_pages = Some(pages);
        self
    }
}
