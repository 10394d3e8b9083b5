//! A fetch that does what a test tells it, try by try.
//!
//! Every begun try is announced to the [`Script`]; the test answers it when it
//! wants to. Fetches that need no script are at the end.

use std::any::Any;
use std::fmt;
use std::panic::panic_any;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use batch_core::caller::{BoxError, Caller};
use batch_core::fetch::{Attempt, CancelSignal, Fetch, Json, RetryLater, TargetError};
use batch_core::target::RawTarget;
use tokio::sync::{mpsc, oneshot};

use crate::breach::{Verdict, present, unlike};
use crate::markers::Markers;

/// Tries that may be begun before the test looks at the first.
const BEGUN: usize = 4_096;

/// How long a try may take to begin; far longer than any runner needs.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// What a try answers.
type Say = Box<dyn FnOnce() -> Result<Json, BoxError> + Send>;

/// The test's side of a scripted fetch.
#[derive(Debug)]
pub struct Script {
    begun: mpsc::Receiver<Try>,
    fetch: Scripted,
}

impl Script {
    /// A script whose results and errors carry these markers.
    pub fn new(markers: &Markers) -> Self {
        let (announce, begun) = mpsc::channel(BEGUN);
        let fetch = Scripted {
            announce,
            markers: markers.clone(),
        };
        Self { begun, fetch }
    }

    /// The runner's side; several runners may share a script.
    pub fn fetch(&self) -> Scripted {
        self.fetch.clone()
    }

    /// The next try that begins.
    pub async fn next(&mut self) -> Verdict<Try> {
        match tokio::time::timeout(SOON, self.begun.recv()).await {
            Ok(begun) => present(begun, "a try"),
            Err(_) => unlike(&"none", "a try begins"),
        }
    }

    /// The next try, which must be of the target of this name.
    pub async fn expect(&mut self, name: &str) -> Verdict<Try> {
        let begun = self.next().await?;
        crate::breach::same(begun.name(), name)?;
        Ok(begun)
    }

    /// A try that has begun already.
    pub fn begun(&mut self) -> Option<Try> {
        self.begun.try_recv().ok()
    }

    /// Answers so many tries as done, in the order in which they begin; their names.
    pub async fn run(&mut self, count: usize) -> Verdict<Vec<String>> {
        let mut names = Vec::with_capacity(count);
        for _ in 0..count {
            let begun = self.next().await?;
            names.push(begun.name().to_owned());
            begun.done("done");
        }
        Ok(names)
    }
}

/// The runner's side of a [`Script`].
#[derive(Debug, Clone)]
pub struct Scripted {
    announce: mpsc::Sender<Try>,
    markers: Markers,
}

#[async_trait]
impl Fetch for Scripted {
    async fn fetch(
        &self,
        attempt: Attempt,
        signal: CancelSignal,
        caller: Arc<dyn Caller>,
        target: RawTarget,
    ) -> Result<Json, BoxError> {
        let (say, said) = oneshot::channel();
        let begun = Try {
            attempt,
            signal,
            caller,
            url: target.url,
            options: target.options,
            markers: self.markers.clone(),
            say,
        };
        self.announce
            .send(begun)
            .await
            .map_err(|_| "the script has ended")?;
        // A try that was sent while the script was dropped may stay in the channel.
        if self.announce.is_closed() {
            return Err("the script has ended".into());
        }
        said.await.map_err(|_| "the try was let go")?()
    }
}

/// One begun try; dropping it fails the target.
pub struct Try {
    /// Its names.
    pub attempt: Attempt,
    /// What tells it that the runner closes.
    pub signal: CancelSignal,
    /// For whom it runs.
    pub caller: Arc<dyn Caller>,
    /// What to fetch.
    pub url: String,
    /// How to fetch it.
    pub options: String,
    markers: Markers,
    say: oneshot::Sender<Say>,
}

impl Try {
    /// The last part of the url.
    pub fn name(&self) -> &str {
        self.url.rsplit('/').next().unwrap_or_default()
    }

    /// Ends with a result.
    pub fn done(self, result: &str) {
        let text = self.markers.text(result);
        self.says(move || Ok(Json::of(&text)?));
    }

    /// Ends with a result of so many bytes of JSON.
    pub fn result(self, bytes: usize) {
        self.says(move || Ok(Json::of(&"x".repeat(bytes.saturating_sub(2)))?));
    }

    /// Ends with an error.
    pub fn fails(self, error: &str) {
        let text = self.markers.text(error);
        self.says(move || Err(text.into()));
    }

    /// Ends with an error that has a hint.
    pub fn fails_with(self, error: TargetError) {
        self.says(move || Err(error.into()));
    }

    /// Ends as busy, with the runner's own wait.
    pub fn busy(self) {
        self.busy_for(Duration::ZERO);
    }

    /// Ends as busy, with a wait of its own.
    pub fn busy_for(self, wait: Duration) {
        let cause = self.markers.text("busy");
        self.says(move || Err(RetryLater::new().after(wait).because(cause).into()));
    }

    /// Ends with a panic.
    pub fn panics(self) {
        let text = self.markers.text("panic");
        self.panics_with(text);
    }

    /// Ends with a panic that carries this.
    pub fn panics_with(self, payload: impl Any + Send) {
        self.says(move || panic_any(payload));
    }

    /// Ends with whatever this comes to.
    pub fn says(self, say: impl FnOnce() -> Result<Json, BoxError> + Send + 'static) {
        // A try that was dropped meanwhile hears nothing any more.
        let _ = self.say.send(Box::new(say));
    }

    /// Resolves when the runner has dropped the try.
    pub async fn dropped(&mut self) -> Verdict {
        match tokio::time::timeout(SOON, self.say.closed()).await {
            Ok(()) => Ok(()),
            Err(_) => unlike(&"it runs on", "the try is dropped"),
        }
    }

    /// Resolves when the runner has raised its signal.
    pub async fn signalled(&self) -> Verdict {
        match tokio::time::timeout(SOON, self.signal.cancelled()).await {
            Ok(()) => Ok(()),
            Err(_) => unlike(&"no signal", "the signal is raised"),
        }
    }
}

impl fmt::Debug for Try {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Try")
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// Answers every target with its url.
pub async fn echo(
    _: Attempt,
    _: CancelSignal,
    _: Arc<dyn Caller>,
    target: RawTarget,
) -> Result<String, BoxError> {
    Ok(target.url)
}

/// Answers every target with busy.
pub fn always_busy(
    _: Attempt,
    _: CancelSignal,
    _: Arc<dyn Caller>,
    _: RawTarget,
) -> std::future::Ready<Result<(), RetryLater>> {
    std::future::ready(Err(RetryLater::new()))
}
