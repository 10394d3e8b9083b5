//! The SQLite store of the batch job runner: one file, any number of processes.
//!
//! One thread writes, and commits steps that wait together in one transaction; a few
//! threads read. The decisions are those of `batch-core`; the statements are in
//! `sql.rs`, the tables in `schema.rs`.
//!
//! ```
//! use batch_core::id::Kind;
//! use batch_core::store::{Store, query::StatsQuery};
//! use batch_store_sqlite::{Options, SqliteStore};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("jobs.db");
//! let store = SqliteStore::open(&path, Options::default()).await?;
//! let stats = store.stats(StatsQuery { kind: Kind::default(), caller: None }).await?;
//! assert_eq!(stats.kind.live, 0);
//! store.close().await?;
//! # Ok(())
//! # }
//! ```

#![deny(clippy::print_stdout)]

mod cancel;
mod change;
mod columns;
mod connect;
mod error;
mod handle;
mod keys;
mod lock;
mod lookup;
mod migrate;
mod options;
mod pages;
mod probe;
mod read;
mod reader;
mod retain;
mod room;
mod rows;
mod schema;
mod session;
mod sql;
mod submit;
mod tables;
mod turn;
mod writer;

use std::fmt;
use std::path::Path;

use async_trait::async_trait;
use batch_core::store::call::{
    Cancel, Enter, Evict, Finish, Reap, Renew, Stage, Submit, Sweep, Take, Touch, Turn,
};
use batch_core::store::capability::{self, Capabilities, Sharing};
use batch_core::store::query::{JobList, JobQuery, KindList, Sessions, StatsQuery, TargetQuery};
use batch_core::store::reply::{
    CancelReply, EnterReply, Evicted, FinishReply, JobPage, JobReply, KindPage, ReapReply,
    RenewReply, SessionPage, StageReply, Stats, SubmitReply, Swept, TakeReply, TargetReply,
    TouchReply, TurnReply,
};
use batch_core::store::{Store, StoreResult};

pub use options::{Durability, Options};

use handle::Handle;
use lock::Locks;

/// A store in one SQLite file, or in memory.
pub struct SqliteStore {
    handle: Handle,
    sharing: Sharing,
}

impl SqliteStore {
    /// Opens the store at `path`; a missing or empty file becomes a new one.
    ///
    /// Whatever else is there is refused with its address and the reason, unchanged
    /// (S11). Beside the file there will be `…-wal`, `…-shm` and `….sessions/`.
    pub async fn open(path: impl AsRef<Path>, options: Options) -> StoreResult<Self> {
        let path = path.as_ref().to_owned();
        let opened = handle::blocking(move || {
            let path = handle::absolute(&path)?;
            let connections = connect::open(&path, &options)?;
            let durability = options.durability.declared();
            Handle::start(connections, Locks::beside(&path)?, durability)
        });
        Ok(Self {
            handle: opened.await.map_err(|cause| cause.in_operation("open"))?,
            sharing: Sharing::ManyProcesses,
        })
    }

    /// Opens a private store that is lost with its handle.
    pub async fn open_in_memory() -> StoreResult<Self> {
        let opened = handle::blocking(|| {
            let connections = connect::open_in_memory(&Options::default())?;
            Handle::start(connections, Locks::none(), capability::Durability::Process)
        });
        Ok(Self {
            handle: opened.await.map_err(|cause| cause.in_operation("open"))?,
            sharing: Sharing::OneOwner,
        })
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn capabilities(&self) -> StoreResult<Capabilities> {
        if self.handle.is_closed() {
            return Err(error::closed().in_operation("capabilities"));
        }
        Ok(Capabilities::v1(self.handle.durability(), self.sharing))
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

    async fn close(&self) -> StoreResult<()> {
        self.handle.close().await;
        Ok(())
    }
}
