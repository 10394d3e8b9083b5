//! Wake-ups across processes: a kind with a job to take is named on a channel (R2.6).
//!
//! They only save time: whoever misses one asks again by itself.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use batch_core::clock::{Clock, SystemClock};
use batch_core::id::Kind;
use batch_core::store::StoreResult;
use futures_util::StreamExt;
use redis::aio::PubSubStream;
use redis::{Client, RedisError};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{self, Sender};
use tokio::task::JoinHandle;

use crate::connection::Connection;
use crate::error::unreachable;

/// How long to wait before a channel that broke is listened to again.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How long a subscription may take.
const SUBSCRIBE_WITHIN: Duration = Duration::from_secs(4);

/// Messages that a waiting runner has not read yet; one that is further behind is woken.
const BEHIND: usize = 256;

/// What was heard: a kind, or that anything may have been missed.
#[derive(Debug, Clone)]
enum Heard {
    Kind(Arc<[u8]>),
    Anything,
}

/// Listens until it is stopped or dropped.
pub(crate) struct Wakes {
    heard: Sender<Heard>,
    listening: Mutex<Option<JoinHandle<()>>>,
}

impl Wakes {
    /// Begins to listen, on a connection of its own.
    pub(crate) async fn listen(connection: &Connection) -> StoreResult<Self> {
        let (heard, _) = broadcast::channel(BEHIND);
        let (client, address) = (connection.client().clone(), connection.address());
        let channel = connection.prefix().wake();
        let first = subscribe(&client, &channel).await;
        let first = first.map_err(|cause| unreachable(&address, &cause))?;
        let task = tokio::spawn(listen(client, channel, first, heard.clone()));
        let listening = Mutex::new(Some(task));
        Ok(Self { heard, listening })
    }

    /// Resolves when a job of the kind may have become takeable since the first poll.
    pub(crate) async fn of(&self, kind: &Kind) {
        let mut news = self.heard.subscribe();
        loop {
            match news.recv().await {
                Ok(Heard::Kind(named)) if *named != *kind.as_str().as_bytes() => {}
                Ok(Heard::Kind(_) | Heard::Anything) | Err(RecvError::Lagged(_)) => return,
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// Ends the task, and waits until it has.
    pub(crate) async fn stop(&self) {
        let task = self.task().take();
        if let Some(task) = task {
            task.abort();
            // That it was aborted is no error.
            let _ = task.await;
        }
    }

    fn task(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.listening
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        if let Some(task) = self.task().take() {
            task.abort();
        }
    }
}

async fn listen(client: Client, channel: String, first: PubSubStream, heard: Sender<Heard>) {
    let clock = SystemClock::new();
    let mut messages = Some(first);
    loop {
        if let Some(messages) = messages.take() {
            pass_on(messages, &heard).await;
        }
        match subscribe(&client, &channel).await {
            Ok(found) => {
                messages = Some(found);
                // What was said before nobody heard; that nobody waits for it is no error.
                let _ = heard.send(Heard::Anything);
            }
            Err(cause) => {
                tracing::debug!(kind = cause.category(), "wake-ups are not heard now");
                clock.sleep(AFTER_FAILURE).await;
            }
        }
    }
}

async fn pass_on(mut messages: PubSubStream, heard: &Sender<Heard>) {
    while let Some(message) = messages.next().await {
        let _ = heard.send(Heard::Kind(message.get_payload_bytes().into()));
    }
}

async fn subscribe(client: &Client, channel: &str) -> Result<PubSubStream, RedisError> {
    let subscribing = async {
        let mut channels = client.get_async_pubsub().await?;
        channels.subscribe(channel).await?;
        Ok(channels.into_on_message())
    };
    let late = |_| Err(io::Error::from(io::ErrorKind::TimedOut).into());
    tokio::time::timeout(SUBSCRIBE_WITHIN, subscribing)
        .await
        .unwrap_or_else(late)
}
