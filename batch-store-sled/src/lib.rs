//! The sled store of the batch job runner: one directory, one process.
//!
//! One thread writes, and flushes steps that wait together once before it answers; a few
//! threads read. The decisions are those of `batch-core`; the keys are in `keys.rs`, the
//! values in `rows.rs`. What sled promises, and what it does not, is in
//! `docs/backends.md`.
//!
//! ```
//! use batch_core::id::Kind;
//! use batch_core::store::{Store, query::StatsQuery};
//! use batch_store_sled::{Options, SledStore};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("jobs.sled");
//! let store = SledStore::open(&path, Options::default()).await?;
//! let stats = store.stats(StatsQuery { kind: Kind::default(), caller: None }).await?;
//! assert_eq!(stats.kind.live, 0);
//! store.close().await?;
//! # Ok(())
//! # }
//! ```

#![deny(clippy::print_stdout)]

mod cancel;
mod change;
mod codec;
#[cfg(test)]
mod costs;
mod engine;
mod error;
mod handle;
mod keys;
mod lookup;
mod options;
mod pages;
mod probe;
mod read;
mod reader;
mod recover;
mod retain;
mod room;
mod rows;
mod session;
mod step;
mod submit;
mod turn;
mod writer;

use std::fmt;
use std::path::Path;

use async_trait::async_trait;
use batch_core::id::Kind;
use batch_core::store::call::{
    Cancel, Enter, Evict, Finish, Reap, Renew, Stage, Submit, Sweep, Take, Touch, Turn,
};
use batch_core::store::capability::{Capabilities, Durability, Sharing};
use batch_core::store::query::{JobList, JobQuery, KindList, Sessions, StatsQuery, TargetQuery};
use batch_core::store::reply::{
    CancelReply, EnterReply, Evicted, FinishReply, JobPage, JobReply, KindPage, ReapReply,
    RenewReply, SessionPage, StageReply, Stats, SubmitReply, Swept, TakeReply, TargetReply,
    TouchReply, TurnReply,
};
use batch_core::store::{Store, StoreResult};

pub use options::Options;

use handle::Handle;

/// A store in a directory of its own.
pub struct SledStore {
    handle: Handle,
}

impl SledStore {
    /// Opens the store in the directory `path`; a missing or empty one becomes a new store.
    ///
    /// Whatever else is there is refused with its address and the reason, unchanged
    /// (S11). A store that another handle holds, in this process or another, is refused
    /// after 2 s at most, in case that one is just closing.
    pub async fn open(path: impl AsRef<Path>, options: Options) -> StoreResult<Self> {
        let path = path.as_ref().to_owned();
        let opened = handle::blocking(move || Handle::open(&path, &options)).await;
        let handle = opened.map_err(|cause| cause.in_operation("open"))?;
        Ok(Self { handle })
    }
}

impl fmt::Debug for SledStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SledStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for SledStore {
    async fn capabilities(&self) -> StoreResult<Capabilities> {
        if self.handle.is_closed() {
            return Err(error::closed().in_operation("capabilities"));
        }
        Ok(Capabilities::v1(Durability::Kill, Sharing::OneOwner).with_wakes())
    }

    async fn submit(&self, call: Submit) -> StoreResult<SubmitReply> {
        submit::submit(&self.handle, call).await
    }

    async fn stage(&self, call: Stage) -> StoreResult<StageReply> {
        submit::stage(&self.handle, call).await
    }

    async fn enter(&self, call: Enter) -> StoreResult<EnterReply> {
        session::enter(&self.handle, call).await
    }

    async fn renew(&self, call: Renew) -> StoreResult<RenewReply> {
        session::renew(&self.handle, call).await
    }

    async fn sessions(&self, call: Sessions) -> StoreResult<SessionPage> {
        session::sessions(&self.handle, call).await
    }

    async fn reap(&self, call: Reap) -> StoreResult<ReapReply> {
        session::reap(&self.handle, call).await
    }

    async fn take(&self, call: Take) -> StoreResult<TakeReply> {
        turn::take(&self.handle, call).await
    }

    async fn finish(&self, call: Finish) -> StoreResult<FinishReply> {
        turn::finish(&self.handle, call).await
    }

    async fn turn(&self, call: Turn) -> StoreResult<TurnReply> {
        turn::turn(&self.handle, call).await
    }

    async fn cancel(&self, call: Cancel) -> StoreResult<CancelReply> {
        cancel::cancel(&self.handle, call).await
    }

    async fn touch(&self, call: Touch) -> StoreResult<TouchReply> {
        retain::touch(&self.handle, call).await
    }

    async fn sweep(&self, call: Sweep) -> StoreResult<Swept> {
        retain::sweep(&self.handle, call).await
    }

    async fn evict(&self, call: Evict) -> StoreResult<Evicted> {
        retain::evict(&self.handle, call).await
    }

    async fn job(&self, call: JobQuery) -> StoreResult<JobReply> {
        read::job(&self.handle, call).await
    }

    async fn targets(&self, call: TargetQuery) -> StoreResult<TargetReply> {
        read::targets(&self.handle, call).await
    }

    async fn list(&self, call: JobList) -> StoreResult<JobPage> {
        read::list(&self.handle, call).await
    }

    async fn stats(&self, call: StatsQuery) -> StoreResult<Stats> {
        read::stats(&self.handle, call).await
    }

    async fn kinds(&self, call: KindList) -> StoreResult<KindPage> {
        read::kinds(&self.handle, call).await
    }

    async fn wake(&self, _kind: &Kind) {
        self.handle.woken().await;
    }

    async fn close(&self) -> StoreResult<()> {
        self.handle.close().await;
        Ok(())
    }
}
