//! Which request meets which fault, and how a test learns that it did.

use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::backend::Setup;
use crate::script::SOON;

/// What happens to the chosen request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Its connection is cut before the server sees it.
    CutBefore,
    /// Its connection is cut after the server answered, before the client sees the reply.
    CutAfter,
    /// All connections fall silent before the server sees it.
    SilenceBefore,
    /// All connections fall silent after the server answered, before the client sees the reply.
    SilenceAfter,
    /// The server never sees it: the proxy replies with these bytes.
    Answer(String),
    /// It passes, and the test is told.
    Note,
}

/// Chooses a request: the n-th of those that hold a text.
#[derive(Debug, Clone)]
pub struct Chosen {
    holding: Vec<u8>,
    nth: u64,
}

impl Chosen {
    /// The first request that holds `text`: a command, the hash of a script, an id.
    pub fn holding(text: &str) -> Self {
        let holding = text.as_bytes().to_vec();
        Self { holding, nth: 1 }
    }

    /// The next request, whatever it is.
    pub fn next() -> Self {
        Self::holding("")
    }

    /// The `nth` of them instead of the first; counted from 1.
    #[must_use]
    pub fn nth(self, nth: u64) -> Self {
        Self { nth, ..self }
    }

    /// Whether this is the one; counts those that only look like it.
    fn meets(&mut self, request: &[u8]) -> bool {
        if !holds(request, &self.holding) {
            return false;
        }
        self.nth = self.nth.saturating_sub(1);
        self.nth == 0
    }
}

fn holds(request: &[u8], text: &[u8]) -> bool {
    text.is_empty() || request.windows(text.len()).any(|part| part == text)
}

/// A fault that will happen; dropping this leaves it planned.
#[derive(Debug)]
pub struct Planned {
    done: oneshot::Receiver<()>,
}

impl Planned {
    /// Waits until it happened.
    pub async fn happened(self) -> Setup<()> {
        match tokio::time::timeout(SOON, self.done).await {
            Ok(done) => Ok(done?),
            Err(_) => Err("no such request came to the proxy".into()),
        }
    }

    /// Whether it happened already.
    pub fn has_happened(&mut self) -> bool {
        self.done.try_recv().is_ok()
    }
}

#[derive(Debug)]
struct Plan {
    chosen: Chosen,
    act: Act,
    done: oneshot::Sender<()>,
}

/// A plan whose request arrived; it is told once the fault is complete.
#[derive(Debug)]
pub(super) struct Due {
    pub(super) act: Act,
    done: oneshot::Sender<()>,
}

impl Due {
    /// Whether it happens as soon as the request arrives.
    pub(super) fn is_before(&self) -> bool {
        matches!(self.act, Act::CutBefore | Act::SilenceBefore)
    }

    /// Whether the proxy replies.
    pub(super) fn is_answer(&self) -> bool {
        matches!(self.act, Act::Answer(_))
    }

    pub(super) fn tell(self) {
        // A test that is not waiting needs no answer.
        let _ = self.done.send(());
    }
}

/// All that is planned.
#[derive(Debug, Default)]
pub(super) struct Plans {
    waiting: Mutex<Vec<Plan>>,
}

impl Plans {
    pub(super) fn add(&self, chosen: Chosen, act: Act) -> Planned {
        let (tell, done) = oneshot::channel();
        let plan = Plan {
            chosen,
            act,
            done: tell,
        };
        self.lock().push(plan);
        Planned { done }
    }

    /// The plan that this request meets; every plan that waits counts it.
    pub(super) fn meet(&self, request: &[u8]) -> Option<Due> {
        let mut waiting = self.lock();
        let met: Vec<_> = waiting
            .iter_mut()
            .map(|plan| plan.chosen.meets(request))
            .collect();
        let first = met.iter().position(|met| *met)?;
        let Plan { act, done, .. } = waiting.remove(first);
        Some(Due { act, done })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Plan>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
