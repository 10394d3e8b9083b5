//! What a deployment chooses when it opens a store.

/// How a store is opened.
///
/// ```
/// use batch_store_sled::Options;
///
/// let options = Options::default().with_readers(4);
/// # let _ = options;
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) readers: usize,
}

/// Threads that read, unless the options say otherwise.
const READERS: usize = 2;

/// Threads that read, at most.
const MAX_READERS: usize = 64;

impl Default for Options {
    fn default() -> Self {
        Self { readers: READERS }
    }
}

impl Options {
    /// How many threads read; 2 by default, from 1 to 64.
    #[must_use]
    pub fn with_readers(mut self, readers: usize) -> Self {
        self.readers = readers.clamp(1, MAX_READERS);
        self
    }
}
