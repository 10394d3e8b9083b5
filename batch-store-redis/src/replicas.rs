//! Waiting until enough replicas have what was written (S10).
//!
//! The wait blocks its connection, so it has one of its own: there it writes a little
//! thing, and what replicas have of that, they have of all before it. Calls that ask while
//! a wait is under way share the next one.

use std::sync::atomic::{AtomicU64, Ordering};

use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use redis::{Client, Value};
use tokio::sync::Mutex;

use crate::codec::Fields;
use crate::connection::Connection;
use crate::error::error;
use crate::keys::Prefix;
use crate::options::Options;
use crate::scripts::SCRIPTS;

/// How many replicas must have a write, and how that is found out.
pub(crate) struct Replicas {
    connection: Connection,
    count: u64,
    within: String,
    /// Calls that have asked so far.
    asked: AtomicU64,
    /// Of which the last wait spoke, and whether enough replicas had them.
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    calls: u64,
    enough: bool,
}

impl Replicas {
    /// `None` where the options ask for none.
    pub(crate) fn of(client: &Client, prefix: &Prefix, options: &Options) -> Option<Self> {
        let (count, within) = options.replicas?;
        let patient = options.response_timeout.saturating_add(within);
        let options = options.clone().with_response_timeout(patient);
        Some(Self {
            connection: Connection::new(client.clone(), prefix.clone(), &options),
            count: u64::from(count),
            within: within.as_millis().to_string(),
            asked: AtomicU64::default(),
            told: Mutex::default(),
        })
    }

    /// Returns once enough replicas have all that was written before the call.
    pub(crate) async fn have_it(&self) -> StoreResult<()> {
        let own = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
        let mut told = self.told.lock().await;
        if told.calls < own {
            let calls = self.asked.load(Ordering::Acquire);
            // The call itself was applied, whatever becomes of the wait.
            let have = self.wait().await.map_err(StoreError::after_unknown)?;
            let enough = have >= self.count;
            *told = Told { calls, enough };
        }
        if told.enough {
            return Ok(());
        }
        let reason = "too few replicas have the write yet; send it again";
        Err(error(StoreErrorKind::Unknown, reason))
    }

    async fn wait(&self) -> StoreResult<u64> {
        self.connection.write(&SCRIPTS.mark, &[]).await?;
        let mut wait = redis::cmd("WAIT");
        wait.arg(self.count).arg(&self.within);
        match self.connection.ask(&wait).await? {
            Value::Int(have) => Ok(u64::try_from(have).unwrap_or(0)),
            other => Fields::of(other)?.number(),
        }
    }

    pub(crate) async fn close(&self) {
        self.connection.close().await;
    }
}
