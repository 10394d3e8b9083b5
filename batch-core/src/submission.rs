//! What a service submits: who, what, and how the job is to be run.
//!
//! How it becomes a job is in `runner/submit.rs`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::caller::Caller;
use crate::id::JobId;
use crate::source::Source;
use crate::store::call::{Halt, Reuse};

/// What becomes of a job when its runner is gone (R1.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// It ends `failed: interrupted`; only the runner that submitted it runs it.
    #[default]
    Interrupt,
    /// Any runner of its kind goes on with it.
    Resume,
}

/// Which targets of a terminal job are run again (R12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Selection {
    /// Those with an error.
    Failed,
    /// Those without an outcome.
    Pending,
    /// Both.
    Undone,
}

impl Selection {
    /// The name, as keys and command lines have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Pending => "pending",
            Self::Undone => "undone",
        }
    }
}

/// Where the targets of a submission come from.
#[derive(Clone)]
pub(crate) enum Work {
    Source(Arc<dyn Source>),
    Rerun { id: JobId, selection: Selection },
}

/// A request for a job. Everything but caller and targets has a default.
#[derive(Clone)]
#[must_use = "a submission does nothing until it is submitted"]
pub struct Submission {
    pub(crate) caller: Arc<dyn Caller>,
    pub(crate) work: Work,
    pub(crate) client_key: Option<String>,
    pub(crate) digest: Option<String>,
    pub(crate) reuse: Reuse,
    pub(crate) mode: Mode,
    pub(crate) width: u32,
    pub(crate) halt: Option<Halt>,
    pub(crate) ttl: Option<Duration>,
    pub(crate) note: String,
}

impl Submission {
    /// A job of these targets for this caller.
    pub fn new(caller: Arc<dyn Caller>, source: impl Source) -> Self {
        Self::of(caller, Work::Source(Arc::new(source)))
    }

    /// A job of the chosen targets of a terminal job, of its kind (R12).
    ///
    /// Its key is that of origin and selection; a client key is not heeded.
    pub fn rerun(caller: Arc<dyn Caller>, id: &JobId, selection: Selection) -> Self {
        Self::of(
            caller,
            Work::Rerun {
                id: id.clone(),
                selection,
            },
        )
    }

    fn of(caller: Arc<dyn Caller>, work: Work) -> Self {
        Self {
            caller,
            work,
            client_key: None,
            digest: None,
            reuse: Reuse::Allowed,
            mode: Mode::default(),
            width: 1,
            halt: None,
            ttl: None,
            note: String::new(),
        }
    }

    /// The client's own idempotency key (R1.5).
    pub fn client_key(mut self, key: impl Into<String>) -> Self {
        self.client_key = Some(key.into());
        self
    }

    /// What [`KeyHasher`](crate::key::KeyHasher) gave when the list was read before: a
    /// list that differs now is refused as `SourceChanged`, before the store is called.
    pub fn digest(mut self, digest: impl Into<String>) -> Self {
        self.digest = Some(digest.into());
        self
    }

    /// Makes a new job even if the same request made one before (R1.5).
    pub fn fresh(mut self) -> Self {
        self.reuse = Reuse::Fresh;
        self
    }

    /// What becomes of the job when its runner is gone.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// How many targets may be open at once; clamped to `max_width` (R2.2).
    pub fn width(mut self, width: u32) -> Self {
        self.width = width;
        self
    }

    /// When failures stop the job (R14).
    pub fn halt(mut self, halt: Halt) -> Self {
        self.halt = Some(halt);
        self
    }

    /// How long the job is kept after its lease.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// Opaque text that reads of the job show.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission")
            .field("mode", &self.mode)
            .field("width", &self.width)
            .finish_non_exhaustive()
    }
}

/// What a submit came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitted {
    /// The job.
    pub id: JobId,
    /// Whether the same request had made it before.
    pub reused: bool,
}
