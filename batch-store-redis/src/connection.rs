//! The connection that all calls share, dialled anew when it broke.
//!
//! Calls in flight share one connection, which is a pipeline by itself. A server that
//! became a replica counts as a broken connection: the address may lead elsewhere now.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, Cmd, ErrorKind, RedisError, ServerErrorKind, Value};
use tokio::sync::Mutex as AsyncMutex;

use crate::codec::Fields;
use crate::error::{Effect, breaks, classify, classify_at, closed, error};
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

    /// Takes no more calls; those in flight keep the connection until they are answered.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.current().connection = None;
    }

    /// Runs a script that only reads.
    pub(crate) async fn read(&self, script: &Script, args: &[String]) -> StoreResult<Fields> {
        let reply = self.invoke(script, args, Effect::None).await?;
        Fields::of(reply)
    }

    /// Runs a script that may write.
    pub(crate) async fn write(&self, script: &Script, args: &[String]) -> StoreResult<Fields> {
        let reply = self.invoke(script, args, Effect::Writes).await?;
        Fields::of(reply)
    }

    async fn invoke(&self, script: &Script, args: &[String], effect: Effect) -> StoreResult<Value> {
        let prefix = self.prefix.as_str();
        let (mut connection, number) = self.live().await?;
        let known = script.by_digest(prefix, args);
        let mut reply = known.query_async::<Value>(&mut connection).await;
        if reply.as_ref().is_err_and(is_forgotten) {
            let told = script.by_text(prefix, args);
            reply = told.query_async(&mut connection).await;
        }
        self.judged(reply, number, effect)
    }

    /// Asks the server about itself.
    pub(crate) async fn ask(&self, command: &Cmd) -> StoreResult<Value> {
        let (mut connection, number) = self.live().await?;
        let reply = command.query_async::<Value>(&mut connection).await;
        reply.map_err(|cause| {
            self.forget_if_broken(&cause, number);
            classify_at(&self.address(), &cause)
        })
    }

    /// Forgets the connection if the answer says that it broke.
    fn judged<T>(
        &self,
        reply: Result<T, RedisError>,
        number: u64,
        effect: Effect,
    ) -> StoreResult<T> {
        reply.map_err(|cause| {
            self.forget_if_broken(&cause, number);
            classify(&cause, effect)
        })
    }

    fn forget_if_broken(&self, cause: &RedisError, number: u64) {
        let mut current = self.current();
        if breaks(cause) && current.number == number {
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
            .map_err(|cause| self.unreachable(&cause));
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

    /// Nothing was sent: nothing happened.
    fn unreachable(&self, cause: &RedisError) -> StoreError {
        let address = self.address();
        let refused = cause.kind() == redis::ErrorKind::AuthenticationFailed;
        let reason = match cause.code() {
            Some("WRONGPASS" | "NOAUTH") => {
                format!("{address} refused the user or the password; correct it in the address")
            }
            _ if refused => {
                format!("{address} refused the user or the password; correct it in the address")
            }
            Some(code) => format!("{address} answered {code}"),
            None if cause.is_timeout() => format!("{address} is silent; is it a Redis server?"),
            None => format!("{address} cannot be reached; is the server running?"),
        };
        error(StoreErrorKind::Unavailable, reason)
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the server does not know a script, as after a restart.
fn is_forgotten(cause: &RedisError) -> bool {
    cause.kind() == ErrorKind::Server(ServerErrorKind::NoScript)
}
