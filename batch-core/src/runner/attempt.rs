//! One try of one target: the fetch under its signal and limits (R3.1, R3.5, R3.6).

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use tokio_util::task::AbortOnDropHandle;

use super::gauges::{Guarded, let_go};
use super::retry::{Failure, PANICKED, Retry, classify, retry, without_panic};
use super::shared::Shared;
use super::worker::Taken;
use crate::caller::{BoxError, Caller};
use crate::fetch::{Attempt, CancelSignal, Json, TargetError};
use crate::store::call::Answer;
use crate::store::reply::Started;
use crate::target::RawTarget;

/// What came of a try.
pub(super) struct Tried {
    /// What is sent to the store.
    pub(super) answer: Answer,
    /// The error, for the hook.
    pub(super) error: Option<Held>,
    /// How long the try took.
    pub(super) took: Duration,
}

/// An error of a fetch.
pub(super) type Held = Guarded<BoxError>;

impl Tried {
    /// Nothing was tried.
    pub(super) fn handed_back() -> Self {
        Self::parked(Answer::HandBack {
            wait: Duration::ZERO,
        })
    }

    fn parked(answer: Answer) -> Self {
        Self {
            answer,
            error: None,
            took: Duration::ZERO,
        }
    }

    fn failed(error: Held, failure: Failure) -> Self {
        let answer = Answer::Failed {
            error: failure.error,
            hint: failure.hint,
        };
        Self {
            answer,
            error: Some(error),
            took: Duration::ZERO,
        }
    }

    fn failed_with(text: &str) -> Self {
        let failure = Failure {
            error: text.to_owned(),
            hint: None,
            later: None,
        };
        Self::failed(Held::new(TargetError::new(text)), failure)
    }
}

/// What the task of a try ends with.
enum End {
    Fetched(Result<Json, (Held, Failure)>),
    /// R9.6: nobody knows the caller.
    NoCaller,
    /// R9.6: the caller could not be rebuilt now.
    CallerLater,
}

/// Tries a target, on a task of its own, so that nothing it does ends a worker.
pub(super) async fn attempt(shared: &Shared, taken: &Taken) -> Tried {
    let started = &taken.started;
    let begun = shared.clock.elapsed();
    let end = {
        let _counted = shared.gauges.fetching();
        within_limit(shared, taken).await
    };
    let took = shared.clock.elapsed().saturating_sub(begun);
    let tried = match end {
        Ok(End::Fetched(Ok(json))) => stored(shared, json),
        Ok(End::Fetched(Err((error, failure)))) => failed(shared, started, error, failure),
        Ok(End::NoCaller) => Tried::parked(Answer::Refuse),
        Ok(End::CallerLater) => Tried::parked(Answer::HandBack {
            wait: shared.config.retry_wait,
        }),
        Err(Broken::Panicked) => Tried::failed_with(PANICKED),
        Err(Broken::TimedOut) => Tried::failed_with("timed out"),
        Err(Broken::Ended) => Tried::handed_back(),
    };
    Tried {
        took,
        ..after_signal(shared, tried)
    }
}

/// Why a try has no end of its own.
enum Broken {
    Panicked,
    TimedOut,
    /// The runtime ends, and its tasks with it.
    Ended,
}

/// R3.5: at the limit the try is dropped. One that blocks its thread cannot be: it is late
/// at the limit where another thread notices, else when it ends.
async fn within_limit(shared: &Shared, taken: &Taken) -> Result<End, Broken> {
    let begun = shared.clock.elapsed();
    let (work, clock) = (quiet(run(shared, taken)), shared.clock.clone());
    let timed = async move { (work.await, clock.elapsed()) };
    let task = AbortOnDropHandle::new(shared.runtime.spawn(timed));
    let limit = shared.config.target_timeout;
    let ended = match limit {
        None => task.await,
        Some(limit) => tokio::select! {
            biased;
            ended = task => ended,
            () = shared.clock.sleep(limit) => return Err(Broken::TimedOut),
        },
    };
    let (end, at) = ended.map_err(|_| Broken::Ended)?;
    if limit.is_some_and(|limit| at.saturating_sub(begun) > limit) {
        let_go(end);
        return Err(Broken::TimedOut);
    }
    end.ok_or(Broken::Panicked)
}

/// The try itself; `None` when it panicked. Nobody may be there any more to take its
/// panic, and what that carries must end no thread of the runtime.
async fn quiet(work: impl Future<Output = End> + Send) -> Option<End> {
    let work = AssertUnwindSafe(Quiet(Some(Box::pin(work)))).catch_unwind();
    work.await.map_err(let_go).ok()
}

/// A future of injected code. Dropping it may panic, also where it stands (R3.1).
struct Quiet<F>(Option<Pin<Box<F>>>);

impl<F: Future> Future for Quiet<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        match &mut self.0 {
            Some(work) => work.as_mut().poll(context),
            None => Poll::Pending,
        }
    }
}

impl<F> Drop for Quiet<F> {
    fn drop(&mut self) {
        let_go(self.0.take());
    }
}

/// The same, free of borrows. An error is read here, where it may panic.
fn run(shared: &Shared, taken: &Taken) -> impl Future<Output = End> + Send + 'static + use<> {
    let Taken {
        started, caller, ..
    } = taken;
    let known = caller.get().cloned();
    let callers = shared.callers.clone();
    let fetch = shared.fetch.clone();
    let signal = CancelSignal::new(shared.signals.cancel.clone());
    let name = started.caller.clone();
    let target = RawTarget::new(started.url.clone(), started.options.clone());
    let attempt = Attempt {
        job: started.start.job.clone(),
        index: started.start.index,
        origin: started.origin,
        fence: started.start.fence,
        tries: started.tries.saturating_add(1),
    };
    async move {
        let caller: Arc<dyn Caller> = match known {
            Some(caller) => caller,
            None => match callers.rebuild(&name.name, &name.class).await {
                Ok(Some(caller)) => caller,
                Ok(None) => return End::NoCaller,
                Err(_) => return End::CallerLater,
            },
        };
        let result = fetch.fetch(attempt, signal, caller, target).await;
        End::Fetched(result.map_err(without_panic).map_err(|error| {
            let failure = classify(&error);
            (Held::new(error), failure)
        }))
    }
}

/// R3.6: a result over the limit fails its target.
fn stored(shared: &Shared, json: Json) -> Tried {
    if json.as_str().len() as u64 > shared.config.max_result_bytes {
        return Tried::failed_with("result too large");
    }
    Tried::parked(Answer::Done {
        result: json.into_string(),
    })
}

/// R3.2, R3.3: parked when it was only busy, else failed.
fn failed(shared: &Shared, started: &Started, error: Held, failure: Failure) -> Tried {
    if let Some(asked) = failure.later {
        let config = &shared.config;
        let (since, now) = (started.busy_since, shared.now());
        if let Retry::Park(wait) = retry(since, now, asked, config.retry_wait, config.retry_for) {
            return Tried::parked(Answer::Busy { wait });
        }
    }
    let bytes = failure.error.len() + failure.hint.as_ref().map_or(0, String::len);
    if bytes as u64 > shared.config.max_result_bytes {
        return Tried::failed_with("error too large");
    }
    Tried::failed(error, failure)
}

/// R10.2: an error after the signal says nothing about the target.
fn after_signal(shared: &Shared, tried: Tried) -> Tried {
    let failed = matches!(tried.answer, Answer::Failed { .. });
    if failed && shared.signals.cancel.is_cancelled() {
        Tried::handed_back()
    } else {
        tried
    }
}
