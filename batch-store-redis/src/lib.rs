//! The Redis store of the batch job runner: one server, any number of hosts.
//!
//! Every operation is one script, which decides and writes in one step; the scripts are in
//! `scripts/`, and repeat the decisions of `batch-core`. What a deployment should know of
//! servers, settings and limits is in `docs/backends.md`.
//!
//! ```no_run
//! use batch_core::id::Kind;
//! use batch_core::store::{Store, query::StatsQuery};
//! use batch_store_redis::{Options, RedisStore};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let options = Options::default().with_prefix("orders");
//! let store = RedisStore::open("redis://localhost/", options).await?;
//! let stats = store.stats(StatsQuery { kind: Kind::default(), caller: None }).await?;
//! assert_eq!(stats.kind.live, 0);
//! store.close().await?;
//! # Ok(())
//! # }
//! ```

#![deny(clippy::print_stdout)]

mod cancel;
mod codec;
mod connection;
mod error;
mod keys;
mod options;
mod probe;
mod read;
mod replicas;
mod retain;
mod rows;
mod scripts;
mod server_time;
mod session;
mod submit;
mod turn;
mod wake;

use std::fmt;

use async_trait::async_trait;
use batch_core::id::Kind;
use batch_core::store::call::{
    Cancel, Enter, Evict, Finish, Reap, Renew, Stage, Submit, Sweep, Take, Touch, Turn,
};
use batch_core::store::capability::{Capabilities, Sharing};
use batch_core::store::operation::Operation;
use batch_core::store::query::{JobList, JobQuery, KindList, Sessions, StatsQuery, TargetQuery};
use batch_core::store::reply::{
    CancelReply, EnterReply, Evicted, FinishReply, JobPage, JobReply, KindPage, ReapReply,
    RenewReply, SessionPage, StageReply, Stats, SubmitReply, Swept, TakeReply, TargetReply,
    TouchReply, TurnReply,
};
use batch_core::store::{Store, StoreResult};
use redis::{Client, TlsCertificates};

pub use options::Options;

use connection::Connection;
use keys::Prefix;
use replicas::Replicas;
use wake::Wakes;

/// A store on a Redis server, under a prefix of its own.
pub struct RedisStore {
    connection: Connection,
    replicas: Option<Replicas>,
    wakes: Wakes,
}

impl RedisStore {
    /// Opens the store under the options' prefix; where there is none, one is made.
    ///
    /// `url` is `redis://[USER[:PASSWORD]@]HOST[:PORT][/DB]`, or `rediss://` for TLS. What
    /// cannot serve is refused with its address, without user and password, and the setting
    /// to change (S11): a server that is too old, a replica, of a cluster, or that may drop
    /// keys; a user who lacks a permission; another program's keys under the prefix.
    pub async fn open(url: &str, options: Options) -> StoreResult<Self> {
        Self::opened(url, &options)
            .await
            .map_err(|cause| cause.in_operation("open"))
    }

    async fn opened(url: &str, options: &Options) -> StoreResult<Self> {
        let prefix = Prefix::of(&options.prefix)?;
        let client = client(url, options)?;
        let connection = Connection::new(client, prefix, options);
        let opening = async {
            probe::probe(&connection).await?;
            Wakes::listen(&connection).await
        };
        let wakes = match tokio::time::timeout(options.connect_timeout, opening).await {
            Ok(opened) => opened?,
            Err(_) => return Err(probe::silent(&connection)),
        };
        let replicas = Replicas::of(connection.client(), connection.prefix(), options);
        Ok(Self {
            connection,
            replicas,
            wakes,
        })
    }
}

/// A client of the address, which dials nobody yet.
fn client(url: &str, options: &Options) -> StoreResult<Client> {
    let address = probe::address_of(url)?;
    let client = if url.starts_with("rediss:") {
        // Whoever embeds the store may have chosen another provider before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let certificates = TlsCertificates {
            client_tls: None,
            root_cert: options.root_certificate.clone(),
        };
        Client::build_with_tls(address, certificates)
    } else {
        Client::open(address)
    };
    client.map_err(|_| probe::bad_address())
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").finish_non_exhaustive()
    }
}

async fn capabilities(connection: &Connection) -> StoreResult<Capabilities> {
    let durability = probe::durability(connection).await?;
    let now = probe::time(connection).await?;
    let known = Capabilities::v1(durability, Sharing::ManyHosts);
    Ok(known.with_wakes().with_store_time(now))
}

impl RedisStore {
    /// A write is acknowledged once enough replicas have it; its error tells its operation.
    async fn written<T>(
        &self,
        operation: Operation,
        write: impl Future<Output = StoreResult<T>>,
    ) -> StoreResult<T> {
        let kept = async {
            let reply = write.await?;
            if let Some(replicas) = &self.replicas {
                replicas.have_it().await?;
            }
            Ok(reply)
        };
        seen(operation, kept).await
    }
}

/// The error of a read tells its operation.
async fn seen<T>(
    operation: Operation,
    read: impl Future<Output = StoreResult<T>>,
) -> StoreResult<T> {
    read.await.map_err(|cause| operation.failed(cause))
}

#[async_trait]
impl Store for RedisStore {
    async fn capabilities(&self) -> StoreResult<Capabilities> {
        let read = capabilities(&self.connection);
        seen(Operation::of("capabilities"), read).await
    }

    async fn submit(&self, call: Submit) -> StoreResult<SubmitReply> {
        let write = submit::submit(&self.connection, &call);
        self.written(Operation::on("submit", &call.id), write).await
    }

    async fn stage(&self, call: Stage) -> StoreResult<StageReply> {
        let write = submit::stage(&self.connection, &call);
        self.written(Operation::on("stage", &call.id), write).await
    }

    async fn enter(&self, call: Enter) -> StoreResult<EnterReply> {
        let write = session::enter(&self.connection, &call);
        self.written(Operation::on("enter", &call.session), write)
            .await
    }

    async fn renew(&self, call: Renew) -> StoreResult<RenewReply> {
        let write = session::renew(&self.connection, &call);
        self.written(Operation::on("renew", &call.session), write)
            .await
    }

    async fn sessions(&self, call: Sessions) -> StoreResult<SessionPage> {
        let read = session::sessions(&self.connection, &call);
        seen(Operation::of("sessions"), read).await
    }

    async fn reap(&self, call: Reap) -> StoreResult<ReapReply> {
        let write = session::reap(&self.connection, &call);
        self.written(Operation::on("reap", &call.session), write)
            .await
    }

    async fn take(&self, call: Take) -> StoreResult<TakeReply> {
        let write = turn::take(&self.connection, &call);
        self.written(Operation::on("take", &call.session), write)
            .await
    }

    async fn finish(&self, call: Finish) -> StoreResult<FinishReply> {
        let write = turn::finish(&self.connection, &call);
        self.written(Operation::on("finish", &call.start.job), write)
            .await
    }

    async fn turn(&self, call: Turn) -> StoreResult<TurnReply> {
        let write = turn::turn(&self.connection, &call);
        self.written(Operation::on("turn", &call.finish.start.job), write)
            .await
    }

    async fn cancel(&self, call: Cancel) -> StoreResult<CancelReply> {
        let write = cancel::cancel(&self.connection, &call);
        self.written(Operation::on("cancel", &call.id), write).await
    }

    async fn touch(&self, call: Touch) -> StoreResult<TouchReply> {
        let write = retain::touch(&self.connection, &call);
        self.written(Operation::on("touch", &call.id), write).await
    }

    async fn sweep(&self, call: Sweep) -> StoreResult<Swept> {
        let write = retain::sweep(&self.connection, call);
        self.written(Operation::of("sweep"), write).await
    }

    async fn evict(&self, call: Evict) -> StoreResult<Evicted> {
        let write = retain::evict(&self.connection, &call);
        self.written(Operation::of("evict"), write).await
    }

    async fn job(&self, call: JobQuery) -> StoreResult<JobReply> {
        let read = read::job(&self.connection, &call);
        seen(Operation::of("job"), read).await
    }

    async fn targets(&self, call: TargetQuery) -> StoreResult<TargetReply> {
        let read = read::targets(&self.connection, &call);
        seen(Operation::on("targets", &call.id), read).await
    }

    async fn list(&self, call: JobList) -> StoreResult<JobPage> {
        let read = read::list(&self.connection, &call);
        seen(Operation::of("list"), read).await
    }

    async fn stats(&self, call: StatsQuery) -> StoreResult<Stats> {
        let read = read::stats(&self.connection, &call);
        seen(Operation::of("stats"), read).await
    }

    async fn kinds(&self, call: KindList) -> StoreResult<KindPage> {
        let read = read::kinds(&self.connection, &call);
        seen(Operation::of("kinds"), read).await
    }

    async fn wake(&self, kind: &Kind) {
        self.wakes.of(kind).await;
    }

    async fn close(&self) -> StoreResult<()> {
        self.connection.close().await;
        if let Some(replicas) = &self.replicas {
            replicas.close().await;
        }
        self.wakes.stop().await;
        Ok(())
    }
}
