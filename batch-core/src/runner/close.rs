//! How a runner ends (R10).

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::shared::Shared;
use super::{recover, session};
use crate::store::StoreResult;
use crate::store::call::Start;
use crate::store::reply::RenewReply;

/// How much of a deadline is kept to give the session back.
const RESERVE: Duration = Duration::from_millis(250);

/// What a close left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloseReport {
    /// Starts that were in hand when the time was up; others run their targets again.
    pub unfinished: Vec<Start>,
    /// Whether the session gave back all it held. If not, another runner reaps it.
    pub gave_back: bool,
}

/// Begins a close when the last handle is dropped.
pub(super) struct Guard {
    pub(super) shared: Arc<Shared>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        begin(&self.shared, None);
    }
}

/// Closes once; every call waits for the same end, each within its own deadline.
pub(super) async fn close(shared: &Arc<Shared>, deadline: Option<Duration>) -> CloseReport {
    let began = begin(shared, deadline);
    let mut closed = shared.tasks.closed.subscribe();
    let ended = async {
        match closed.wait_for(Option::is_some).await {
            Ok(report) => report.clone(),
            Err(_) => None,
        }
    };
    let report = match deadline {
        None => ended.await,
        Some(limit) => tokio::select! {
            biased;
            report = ended => report,
            () = shared.clock.sleep(limit) => None,
        },
    };
    report.unwrap_or_else(|| {
        let unfinished = shared.starts_in_hand();
        // The runtime may be too busy to come to the end in time; it is the end all the same.
        if began {
            end(shared);
            shared.gauges.close();
        }
        CloseReport {
            unfinished,
            gave_back: false,
        }
    })
}

/// Begins the one close; whether it was this call that did.
fn begin(shared: &Arc<Shared>, deadline: Option<Duration>) -> bool {
    if shared.tasks.close_begun.swap(true, Ordering::AcqRel) {
        return false;
    }
    shared.signals.closing.cancel();
    let own = shared.clone();
    shared.runtime.spawn(async move {
        let report = run(&own, deadline).await;
        own.tasks.closed.send_replace(Some(report));
    });
    true
}

async fn run(shared: &Arc<Shared>, deadline: Option<Duration>) -> CloseReport {
    let begun = shared.clock.elapsed();
    let keep = deadline.map(|limit| limit.saturating_sub(RESERVE.min(limit / 10)));
    let in_time = shared.within(keep, drain(shared, keep)).await.is_some();
    let unfinished = if in_time {
        Vec::new()
    } else {
        shared.starts_in_hand()
    };
    end(shared);
    let left =
        deadline.map(|limit| limit.saturating_sub(shared.clock.elapsed().saturating_sub(begun)));
    let gave_back = shared
        .within(left, give_back(shared))
        .await
        .unwrap_or(false);
    shared.gauges.close();
    CloseReport {
        unfinished,
        gave_back,
    }
}

/// Ends every task. A drain that ran out of time may not have come to the signal.
fn end(shared: &Shared) {
    shared.signals.cancel.cancel();
    shared.signals.abort.cancel();
    shared.signals.stop.cancel();
    shared.tasks.workers.close();
    shared.tasks.background.close();
}

/// Waits for begun submits, then for the fetches and what they came to.
///
/// A submit that hangs leaves half of the time to the fetches.
async fn drain(shared: &Shared, time: Option<Duration>) {
    shared.tasks.submits.close();
    let half = time.map(|time| time / 2);
    shared.within(half, shared.tasks.submits.wait()).await;
    shared.signals.cancel.cancel();
    shared.tasks.workers.close();
    shared.tasks.workers.wait().await;
}

/// R10.3: the session is reaped like a dead one, by itself.
async fn give_back(shared: &Shared) -> bool {
    shared.tasks.workers.wait().await;
    shared.tasks.background.wait().await;
    let beat = shared.renewed.borrow().beat;
    match recover::reap(shared, &shared.session_id(), beat).await {
        // The reply of the last renewal was lost: another one tells the beat.
        Ok(false) => give_back_anew(shared).await.unwrap_or(false),
        Ok(true) => true,
        Err(_) => false,
    }
}

async fn give_back_anew(shared: &Shared) -> StoreResult<bool> {
    match session::renew(shared).await? {
        RenewReply::Beat { beat, .. } => recover::reap(shared, &shared.session_id(), beat).await,
        RenewReply::Gone => Ok(true),
    }
}

impl Shared {
    /// Awaits within a limit; `None` when it passed.
    async fn within<T>(&self, limit: Option<Duration>, work: impl Future<Output = T>) -> Option<T> {
        match limit {
            None => Some(work.await),
            Some(limit) => tokio::select! {
                biased;
                done = work => Some(done),
                () = self.clock.sleep(limit) => None,
            },
        }
    }
}
