//! What a rule gets: a fresh store, a clock that it moves, and calls with defaults.
//!
//! `act.rs` holds the writing calls and `read.rs` the reads, `request.rs` how a
//! submit is put together. After every writing call the counts of the whole store
//! are recounted; what a case plants and no log may show is in `markers.rs`.

mod act;
mod read;
mod request;

use std::sync::Arc;
use std::time::Duration;

use batch_core::memory::MemoryStore;
use batch_core::store::call::{Answer, Reap};
use batch_core::store::capability::Capabilities;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::{Store, StoreResult};
use batch_core::time::Timestamp;

use crate::backend::{Backend, Setup, Stop};
use crate::breach::{Failure, Verdict, unlike};
use crate::markers::Markers;
use crate::recount::Recount;
use crate::site::Site;

pub use act::Reaped;
pub use request::{HOUR, Request, job, just_before, target};

/// When every case begins: far from zero, so that a length of time is not taken for a time.
pub const START: Timestamp = Timestamp::from_millis(1_750_000_000_000);

/// One run of one rule on a store of its own.
pub struct Case<'b> {
    backend: &'b dyn Backend,
    site: Site,
    store: Arc<dyn Store>,
    capabilities: Capabilities,
    now: Timestamp,
    drawn: u64,
    markers: Markers,
    recount: Recount,
}

impl<'b> Case<'b> {
    /// A fresh store of the backend, at [`START`].
    pub async fn new(backend: &'b dyn Backend) -> Setup<Self> {
        let site = Site::new()?;
        let markers = Markers::plant()?;
        let store = backend.create(&site).await?;
        let capabilities = store.capabilities().await?;
        Ok(Self {
            backend,
            site,
            store,
            capabilities,
            now: START,
            drawn: 0,
            markers,
            recount: Recount::default(),
        })
    }

    /// The store itself, for calls that the case has no words for.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// What the store promises.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// The backend under test.
    pub fn backend(&self) -> &'b dyn Backend {
        self.backend
    }

    /// Where the store is.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// The texts that no log and no error may show.
    pub fn markers(&self) -> &Markers {
        &self.markers
    }

    /// The time of the next call.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Moves the clock on.
    pub fn advance(&mut self, by: Duration) {
        self.now = self.now.after(by);
    }

    /// Moves the clock on, or back. Calls carry the time by which a store decides, also one
    /// that has a clock to tell it (S15).
    pub fn set_clock(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Puts another store in front of the same data, such as one with faults.
    pub fn replace_store(&mut self, store: Arc<dyn Store>) -> Arc<dyn Store> {
        std::mem::replace(&mut self.store, store)
    }

    /// A second handle on the same data: an independent one if it is offered, else a clone.
    pub async fn second(&self) -> Verdict<Arc<dyn Store>> {
        let second = self.backend.second(&self.site).await?;
        Ok(second.unwrap_or_else(|| Arc::clone(&self.store)))
    }

    /// Ends the store in this way, and opens it again on the same data.
    pub async fn reopen(&mut self, how: Stop) -> Verdict {
        if how == Stop::Close {
            self.store.close().await?;
        }
        // A store may be owned by one handle only: let go of it first.
        self.store = Arc::new(MemoryStore::new());
        let Some(store) = self.backend.reopen(&self.site, how).await? else {
            return Err(Failure::NotOffered(
                "the store does not outlive its handle".to_owned(),
            ));
        };
        self.store = store;
        self.recount().await
    }

    /// Recounts the whole store from its own rows.
    pub async fn recount(&mut self) -> Verdict {
        self.recount.check(self.store.as_ref()).await
    }

    /// Waits until every call that was dropped before is applied, or never will be.
    ///
    /// A store applies the writes of one handle in their order: this is one more, which
    /// changes nothing.
    pub async fn flush(&mut self) -> Verdict {
        let nobody = Reap {
            session: "a session that never was".into(),
            beat: 0,
            now: self.now,
            max: 1,
        };
        self.store.reap(nobody).await?;
        Ok(())
    }

    /// What every case asks in the end: logs without payloads.
    pub fn end(&mut self) -> Verdict {
        self.markers.check_logs()
    }

    /// Leaves the case's directory for whoever looks into the failure.
    pub fn keep_site(&mut self) {
        self.site.keep();
    }

    /// The kind of the error that a call must answer with, and no payload in it.
    pub fn error_of<T: std::fmt::Debug>(
        &mut self,
        answer: StoreResult<T>,
    ) -> Verdict<StoreErrorKind> {
        match answer {
            Ok(reply) => unlike(&reply, "an error"),
            Err(error) => {
                self.markers.check_error(&error)?;
                Ok(error.kind())
            }
        }
    }

    /// A reply, after a look at everything that must still be true.
    async fn checked<T>(&mut self, answer: StoreResult<T>) -> Verdict<T> {
        let reply = answer.map_err(|error| self.unexpected(error))?;
        self.recount().await?;
        Ok(reply)
    }

    fn unexpected(&self, error: StoreError) -> Failure {
        match self.markers.check_error(&error) {
            Err(leak) => leak,
            Ok(()) => error.into(),
        }
    }

    /// A text that no other call of the case uses.
    fn draw(&mut self, what: &str) -> String {
        self.drawn += 1;
        format!("{what}-{}", self.drawn)
    }
}

impl std::fmt::Debug for Case<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Case")
            .field("site", &self.site)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

/// An outcome: a result, which is JSON text of this string.
pub fn done(result: &str) -> Answer {
    Answer::Done {
        result: format!("\"{result}\""),
    }
}

/// An outcome: an error without a hint.
pub fn failed(error: &str) -> Answer {
    Answer::Failed {
        error: error.to_owned(),
        hint: None,
    }
}

/// A target that is only busy.
pub fn busy(wait: Duration) -> Answer {
    Answer::Busy { wait }
}

/// A target that the runner cannot finish.
pub fn hand_back(wait: Duration) -> Answer {
    Answer::HandBack { wait }
}
