//! The connection that all calls share, dialled anew when it broke.
//!
//! Calls in flight share one connection, which is a pipeline by itself. A server that
//! became a replica counts as a broken connection: the address may lead elsewhere now.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use batch_core::store::StoreResult;
use batch_core::store::error::StoreError;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ErrorKind, RedisError, ServerErrorKind, Value};
use tokio::sync::{Mutex as AsyncMutex, RwLock};

use crate::codec::Fields;
use crate::error::{Effect, breaks, classify, closed, unreachable};
use crate::keys::Prefix;
use crate::options::Options;
use crate::scripts::Script;

/// A connection to one server.
pub(crate) struct Connection {
    client: Client,
    prefix: Prefix,
    config: AsyncConnectionConfig,
    current: Mutex<Current>,
    /// Held by the one call that dials.
    dialling: AsyncMutex<()>,
    closed: AtomicBool,
    /// Held by every script that runs, and at last by whoever closes.
    running: RwLock<()>,
}

#[derive(Default)]
struct Current {
    connection: Option<MultiplexedConnection>,
    /// How many connections there were before: a late failure breaks no later one.
    number: u64,
    /// How often dialling failed, and how it did last.
    failures: u64,
    failure: Option<StoreError>,
}

impl Connection {
    pub(crate) fn new(client: Client, prefix: Prefix, options: &Options) -> Self {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(options.connect_timeout))
            .set_response_timeout(Some(options.response_timeout));
        Self {
            client,
            prefix,
            config,
            current: Mutex::default(),
            dialling: AsyncMutex::default(),
            closed: AtomicBool::new(false),
            running: RwLock::default(),
        }
    }

    pub(crate) fn prefix(&self) -> &Prefix {
        &self.prefix
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The address, without user and password.
    pub(crate) fn address(&self) -> String {
        self.client.get_connection_info().addr().to_string()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Takes no more calls, and returns when those in flight are answered or given up.
    pub(crate) async fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let _none = self.running.write().await;
        self.current().connection = None;
    }

    /// Runs a script that only reads.
    pub(crate) async fn read(&self, script: &Script, args: &[String]) -> StoreResult<Fields> {
        self.run(script, args, Effect::None).await
    }

    /// Runs a script that may write.
    pub(crate) async fn write(&self, script: &Script, args: &[String]) -> StoreResult<Fields> {
        self.run(script, args, Effect::Writes).await
    }

    async fn run(&self, script: &Script, args: &[String], effect: Effect) -> StoreResult<Fields> {
        let _running = self.running.read().await;
        let command = |name: &str, which: &str| {
            let mut command = Cmd::new();
            command
                .arg(name)
                .arg(which)
                .arg(1)
                .arg(self.prefix.as_str());
            command.arg(args);
            command
        };
        let (mut connection, number) = self.live().await?;
        let by_hash = command("EVALSHA", script.hash());
        let mut reply = by_hash.query_async::<Value>(&mut connection).await;
        if reply.as_ref().is_err_and(is_unknown_script) {
            // The text is run and kept in one step: nobody makes it forgotten in between.
            let by_text = command("EVAL", script.text());
            reply = by_text.query_async::<Value>(&mut connection).await;
        }
        Fields::of(self.judged(reply, number, effect)?)
    }

    /// Makes the scripts known to the server, so that calls need not send their texts.
    pub(crate) async fn load(&self, scripts: &[&Script]) -> StoreResult<()> {
        let (mut connection, number) = self.live().await?;
        let mut loading = redis::pipe();
        for script in scripts {
            loading.cmd("SCRIPT").arg("LOAD").arg(script.text());
        }
        let loaded = loading.query_async::<Vec<String>>(&mut connection).await;
        self.judged(loaded, number, Effect::None).map(drop)
    }

    /// Sends a command that changes nothing.
    pub(crate) async fn ask(&self, command: &Cmd) -> StoreResult<Value> {
        let (mut connection, number) = self.live().await?;
        let reply = command.query_async::<Value>(&mut connection).await;
        self.judged(reply, number, Effect::None)
    }

    /// Forgets the connection if the answer says that it broke.
    fn judged<T>(
        &self,
        reply: Result<T, RedisError>,
        number: u64,
        effect: Effect,
    ) -> StoreResult<T> {
        reply.map_err(|cause| {
            if breaks(&cause) {
                self.forget(number);
            }
            classify(&self.address(), &cause, effect)
        })
    }

    fn forget(&self, number: u64) {
        let mut current = self.current();
        if current.number == number {
            current.connection = None;
        }
    }

    /// The connection of now, dialled if there is none.
    async fn live(&self) -> StoreResult<(MultiplexedConnection, u64)> {
        if self.is_closed() {
            return Err(closed());
        }
        if let Some(live) = self.known() {
            return Ok(live);
        }
        let failures = self.current().failures;
        let _one = self.dialling.lock().await;
        // Whoever waited for another's dialling takes what came of it.
        if let Some(live) = self.known() {
            return Ok(live);
        }
        if let Some(failure) = self.failed_since(failures) {
            return Err(failure);
        }
        let dialled = self
            .client
            .get_multiplexed_async_connection_with_config(&self.config)
            .await
            .map_err(|cause| unreachable(&self.address(), &cause));
        let mut current = self.current();
        match dialled {
            Ok(connection) => {
                current.number += 1;
                current.connection = Some(connection.clone());
                Ok((connection, current.number))
            }
            Err(failure) => {
                current.failures += 1;
                current.failure = Some(failure.clone());
                Err(failure)
            }
        }
    }

    fn failed_since(&self, failures: u64) -> Option<StoreError> {
        let current = self.current();
        let failure = current.failure.clone();
        failure.filter(|_| current.failures > failures)
    }

    fn known(&self) -> Option<(MultiplexedConnection, u64)> {
        let current = self.current();
        let connection = current.connection.clone()?;
        Some((connection, current.number))
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_unknown_script(cause: &RedisError) -> bool {
    cause.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}
