//! Wake-ups across processes: a kind with a job to take is named on a channel (R2.6).
//!
//! They only save time: whoever misses one asks again by itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use batch_core::clock::{Clock, SystemClock};
use batch_core::id::Kind;
use futures_util::StreamExt;
use redis::{Client, RedisError};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// How long to wait before a channel that broke is listened to again.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Who waits, by kind.
type Waiting = Arc<Mutex<HashMap<String, Arc<Notify>>>>;

/// Listens until it is dropped.
pub(crate) struct Wakes {
    waiting: Waiting,
    listening: JoinHandle<()>,
}

impl Wakes {
    /// Begins to listen, on a connection of its own.
    pub(crate) fn listen(client: Client, channel: String) -> Self {
        let waiting = Waiting::default();
        let own = waiting.clone();
        let listening = tokio::spawn(async move {
            let clock = SystemClock::new();
            loop {
                if let Err(cause) = listen(&client, &channel, &own).await {
                    tracing::debug!(kind = cause.category(), "wake-ups are not heard now");
                }
                clock.sleep(AFTER_FAILURE).await;
            }
        });
        Self { waiting, listening }
    }

    /// Resolves when a job of the kind may have become takeable.
    pub(crate) async fn of(&self, kind: &Kind) {
        let notify = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.entry(kind.as_str().to_owned()).or_default().clone()
        };
        notify.notified().await;
    }

    pub(crate) fn stop(&self) {
        self.listening.abort();
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Tells whoever waits of each message, until the connection ends.
async fn listen(client: &Client, channel: &str, waiting: &Waiting) -> Result<(), RedisError> {
    let mut channels = client.get_async_pubsub().await?;
    channels.subscribe(channel).await?;
    // What was said before nobody heard.
    tell(waiting, None);
    let mut messages = channels.into_on_message();
    while let Some(message) = messages.next().await {
        tell(waiting, message.get_payload::<String>().ok().as_deref());
    }
    Ok(())
}

/// Wakes those of one kind, or all.
fn tell(waiting: &Waiting, kind: Option<&str>) {
    let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
    for (known, notify) in waiting.iter() {
        if kind.is_none_or(|kind| kind == known) {
            notify.notify_waiters();
        }
    }
}
