//! The injected work: what a runner calls for every start of a target (R3).
//!
//! A closure is a fetch; [`typed`] adapts one that speaks typed options.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::caller::{BoxError, Caller};
use crate::id::JobId;
use crate::target::{RawTarget, Target};

/// Names one try of one target, for effects downstream (R3.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The job. With `index` it names the effect: a receiver can drop a repeat.
    pub job: JobId,
    /// The target's place in the job, from 0.
    pub index: u64,
    /// The target's place in the first job of a chain of reruns.
    pub origin: u64,
    /// Grows with each start: a receiver can refuse an older one.
    pub fence: u64,
    /// Busy answers so far, and one more: 1 at first.
    pub tries: u32,
}

/// Tells a fetch that its runner closes; a fetch that heeds it ends soon with an error.
#[derive(Debug, Clone)]
pub struct CancelSignal(CancellationToken);

impl CancelSignal {
    pub(crate) fn new(token: CancellationToken) -> Self {
        Self(token)
    }

    /// Resolves when the runner closes.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }

    /// Whether the runner closes.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// A result as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json(String);

impl Json {
    /// The JSON text of any value.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(Self)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text.
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Does one target for the caller that submitted its job.
///
/// An error whose chain of sources holds a [`RetryLater`] parks the target (R3.2);
/// one that holds a [`TargetError`] is stored with its message and hint, any other
/// with its text (R3.3). A panic becomes `internal error` (R3.1). Work that
/// blocks its thread belongs in `spawn_blocking` (R9.2).
#[async_trait]
pub trait Fetch: Send + Sync + 'static {
    /// Fetches one target. The future is dropped at the target's time-out, and when
    /// the runner's close runs out of time.
    async fn fetch(
        &self,
        attempt: Attempt,
        signal: CancelSignal,
        caller: Arc<dyn Caller>,
        target: RawTarget,
    ) -> Result<Json, BoxError>;
}

#[async_trait]
impl<F, Fut, R, E> Fetch for F
where
    F: Fn(Attempt, CancelSignal, Arc<dyn Caller>, RawTarget) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, E>> + Send,
    R: Serialize + Send,
    E: Into<BoxError> + Send,
{
    async fn fetch(
        &self,
        attempt: Attempt,
        signal: CancelSignal,
        caller: Arc<dyn Caller>,
        target: RawTarget,
    ) -> Result<Json, BoxError> {
        let result = self(attempt, signal, caller, target)
            .await
            .map_err(Into::into)?;
        encode(&result)
    }
}

/// Adapts a closure that takes typed options.
///
/// ```
/// use batch_core::fetch::typed;
/// use batch_core::target::{Target, TargetResult};
///
/// let fetch = typed(|_attempt, _signal, _caller, target: Target| async move {
///     Ok::<_, std::io::Error>(TargetResult { content: target.url, ..Default::default() })
/// });
/// # let _ = fetch;
/// ```
pub fn typed<F, Fut, O, R, E>(work: F) -> Typed<F, O>
where
    F: Fn(Attempt, CancelSignal, Arc<dyn Caller>, Target<O>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, E>> + Send,
    O: DeserializeOwned + Send + Sync + 'static,
{
    Typed {
        work,
        options: PhantomData,
    }
}

/// A fetch over typed options, made by [`typed`].
pub struct Typed<F, O> {
    work: F,
    options: PhantomData<fn() -> O>,
}

impl<F, O> fmt::Debug for Typed<F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed").finish_non_exhaustive()
    }
}

#[async_trait]
impl<F, Fut, O, R, E> Fetch for Typed<F, O>
where
    F: Fn(Attempt, CancelSignal, Arc<dyn Caller>, Target<O>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, E>> + Send,
    O: DeserializeOwned + Send + Sync + 'static,
    R: Serialize + Send,
    E: Into<BoxError> + Send,
{
    async fn fetch(
        &self,
        attempt: Attempt,
        signal: CancelSignal,
        caller: Arc<dyn Caller>,
        target: RawTarget,
    ) -> Result<Json, BoxError> {
        // The cause may quote the options: it stays out of the stored error.
        let options = serde_json::from_str(&target.options)
            .map_err(|_| TargetError::new("the options do not fit this fetch"))?;
        let target = Target {
            url: target.url,
            options,
        };
        let result = (self.work)(attempt, signal, caller, target)
            .await
            .map_err(Into::into)?;
        encode(&result)
    }
}

fn encode(result: &impl Serialize) -> Result<Json, BoxError> {
    Json::of(result).map_err(|_| TargetError::new("the result is not JSON").into())
}

/// A failure with a hint for whoever reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetError {
    /// The HTTP status that the same failure would have; for hooks only.
    pub status: u16,
    /// What went wrong.
    pub msg: String,
    /// What may help; empty for nothing.
    pub hint: String,
}

impl TargetError {
    /// A failure without status and hint.
    pub fn new(msg: impl Into<String>) -> Self {
        Self {
            status: 0,
            msg: msg.into(),
            hint: String::new(),
        }
    }

    /// The same failure with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The same failure with a status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.msg)
    }
}

impl Error for TargetError {}

/// The target was only busy: it is tried again later (R3.2).
#[derive(Debug)]
pub struct RetryLater {
    wait: Option<Duration>,
    cause: Option<BoxError>,
}

impl RetryLater {
    /// Tried again after the runner's own wait.
    pub fn new() -> Self {
        Self {
            wait: None,
            cause: None,
        }
    }

    /// Tried again after `wait`, if that is longer than the runner's own.
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.wait = Some(wait);
        self
    }

    /// Keeps the cause, whose text is stored when the target is given up.
    #[must_use]
    pub fn because(mut self, cause: impl Into<BoxError>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// How long to wait at least.
    pub fn wait(&self) -> Option<Duration> {
        self.wait
    }
}

impl Default for RetryLater {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for RetryLater {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Some(cause) => write!(f, "{cause}"),
            None => f.write_str("retry later"),
        }
    }
}

impl Error for RetryLater {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause
            .as_deref()
            .map(|cause| cause as &(dyn Error + 'static))
    }
}
