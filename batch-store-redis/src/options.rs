//! What a deployment chooses when it opens a store.

use std::time::Duration;

/// How a store is opened.
///
/// ```
/// use batch_store_redis::Options;
///
/// let options = Options::default().with_prefix("orders");
/// # let _ = options;
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) prefix: String,
    pub(crate) connect_timeout: Duration,
    pub(crate) response_timeout: Duration,
    /// In PEM form; without it the system's certificates are trusted.
    pub(crate) root_certificate: Option<Vec<u8>>,
    /// How many must have a write, and how long they may take.
    pub(crate) replicas: Option<(u32, Duration)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            prefix: "batch".to_owned(),
            connect_timeout: Duration::from_secs(3),
            response_timeout: Duration::from_secs(10),
            root_certificate: None,
            replicas: None,
        }
    }
}

impl Options {
    /// Under which prefix all keys are, one per service that shares a server: 1 to 64
    /// letters, digits, points, underscores and hyphens; `batch` by default.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// How long connecting may take; 3 s.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// How long a reply may take before its call counts as unknown; 10 s.
    #[must_use]
    pub fn with_response_timeout(mut self, timeout: Duration) -> Self {
        self.response_timeout = timeout;
        self
    }

    /// Whom to trust over TLS (`rediss://`): a root certificate in PEM form, instead of those
    /// that the system trusts.
    #[must_use]
    pub fn with_root_certificate(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.root_certificate = Some(pem.into());
        self
    }

    /// Waits after each write until `count` replicas have it, `within` this time at most.
    ///
    /// A write that fewer have by then is `Unknown`, and is sent again.
    #[must_use]
    pub fn with_replicas(mut self, count: u32, within: Duration) -> Self {
        self.replicas = Some((count, within));
        self
    }
}
