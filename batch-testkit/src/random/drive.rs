//! Makes one call of the model against a store: bounded steps to their end, reads page by
//! page.

use batch_core::id::Ticket;
use batch_core::store::Store;
use batch_core::store::call::{Evict, Reap, Renew, Sweep, Take};
use batch_core::store::error::StoreError;
use batch_core::store::query::{JobList, KindList, Sessions, TargetQuery};
use batch_core::store::reply::{Evicted, ReapReply, RenewReply, TakeReply, TargetReply};

use crate::model::{Breach, Call, Listing, Reaped, Reply, SweptAll, TargetRows};

/// More steps or pages than any small world needs.
const ENOUGH: u32 = 1_000;

/// Why a call has no reply to judge.
pub(super) enum Stopped {
    Error(StoreError),
    Breach(Breach),
}

impl From<StoreError> for Stopped {
    fn from(error: StoreError) -> Self {
        Self::Error(error)
    }
}

type Driven<T> = Result<T, Stopped>;

/// The reply of the store, or the rule that it broke on the way.
pub(super) async fn drive(store: &dyn Store, call: &Call) -> Result<Reply, Breach> {
    match make(store, call).await {
        Ok(reply) => Ok(reply),
        Err(Stopped::Error(error)) => Ok(Reply::Error(error.kind())),
        Err(Stopped::Breach(breach)) => Err(breach),
    }
}

async fn make(store: &dyn Store, call: &Call) -> Driven<Reply> {
    Ok(match call.clone() {
        Call::Submit(call) => Reply::Submit(store.submit(call).await?),
        Call::Stage(call) => Reply::Stage(store.stage(call).await?),
        Call::Enter(call) => Reply::Enter(store.enter(call).await?),
        Call::Renew(call) => Reply::Renew(store.renew(call).await?),
        Call::Reap(call) => Reply::Reap(reap(store, call).await?),
        Call::Take(call) => Reply::Take(store.take(call).await?),
        Call::Finish(call) => Reply::Finish(store.finish(call).await?),
        Call::Turn(call) => Reply::Turn(store.turn(call).await?),
        Call::Cancel(call) => Reply::Cancel(store.cancel(call).await?),
        Call::Touch(call) => Reply::Touch(store.touch(call).await?),
        Call::Sweep(call) => Reply::Sweep(sweep(store, call).await?),
        Call::Evict(call) => Reply::Evict(evict(store, call).await?),
        Call::Job(query) => Reply::Job(store.job(query).await?),
        Call::Targets(query) => Reply::Targets(targets(store, query).await?),
        Call::List(listing) => list(store, listing).await?,
        Call::Stats(query) => Reply::Stats(store.stats(query).await?),
        Call::Kinds(max) => kinds(store, max).await?,
        Call::Sessions(max) => sessions(store, max).await?,
    })
}

async fn reap(store: &dyn Store, call: Reap) -> Driven<Option<Reaped>> {
    let mut all = Reaped::default();
    for step in 0..ENOUGH {
        match store.reap(call.clone()).await? {
            ReapReply::Moved if step == 0 => return Ok(None),
            ReapReply::Moved => return Err(broken("R9.4", "reap to go on", "Moved")),
            ReapReply::Reaped {
                ended,
                returned,
                interrupted,
                more,
            } => {
                all.ended.extend(ended);
                all.returned += returned;
                all.interrupted += interrupted;
                if !more {
                    return Ok(Some(all));
                }
                must_be_gone(store, &call).await?;
            }
        }
    }
    Err(endless("reap"))
}

/// R9.4: from the first step on the session's calls answer `Gone`.
async fn must_be_gone(store: &dyn Store, reap: &Reap) -> Driven<()> {
    let take = Take {
        session: reap.session.clone(),
        ticket: Ticket::new("between two steps of reap"),
        now: reap.now,
    };
    let renew = Renew {
        session: reap.session.clone(),
        now: reap.now,
    };
    let take = store.take(take).await?;
    if take != TakeReply::Gone {
        return Err(broken("R9.4", "take of a dying session → Gone", &take));
    }
    let renew = store.renew(renew).await?;
    if renew != RenewReply::Gone {
        return Err(broken("R9.4", "renew of a dying session → Gone", &renew));
    }
    Ok(())
}

async fn sweep(store: &dyn Store, call: Sweep) -> Driven<SweptAll> {
    let mut all = SweptAll::default();
    for _ in 0..ENOUGH {
        let swept = store.sweep(call).await?;
        all.jobs += swept.jobs;
        all.expired.extend(swept.expired);
        if !swept.more {
            return Ok(all);
        }
    }
    Err(endless("sweep"))
}

async fn evict(store: &dyn Store, call: Evict) -> Driven<Evicted> {
    let mut all = Evicted::default();
    for _ in 0..ENOUGH {
        let evicted = store.evict(call.clone()).await?;
        all.jobs += evicted.jobs;
        all.bytes += evicted.bytes;
        if !evicted.more {
            return Ok(all);
        }
    }
    Err(endless("evict"))
}

async fn targets(store: &dyn Store, mut query: TargetQuery) -> Driven<TargetRows> {
    let mut rows = Vec::new();
    for _ in 0..ENOUGH {
        match store.targets(query.clone()).await? {
            TargetReply::Evicted => return Ok(TargetRows::Evicted),
            TargetReply::NotFound => return Ok(TargetRows::NotFound),
            TargetReply::Page(page) => {
                fits(page.targets.len(), query.max)?;
                rows.extend(page.targets);
                match page.next {
                    Some(next) => query.from = next,
                    None => return Ok(TargetRows::Found(rows)),
                }
            }
        }
    }
    Err(endless("targets"))
}

async fn list(store: &dyn Store, listing: Listing) -> Driven<Reply> {
    let mut rows = Vec::new();
    let mut after = None;
    for _ in 0..ENOUGH {
        let call = JobList {
            filter: listing.filter.clone(),
            order: listing.order,
            after,
            max: listing.max,
        };
        let page = store.list(call).await?;
        fits(page.jobs.len(), listing.max)?;
        rows.extend(page.jobs);
        after = page.next;
        if after.is_none() {
            return Ok(Reply::List(rows));
        }
    }
    Err(endless("list"))
}

async fn kinds(store: &dyn Store, max: u32) -> Driven<Reply> {
    let mut rows = Vec::new();
    let mut after = None;
    for _ in 0..ENOUGH {
        let page = store.kinds(KindList { after, max }).await?;
        fits(page.kinds.len(), max)?;
        rows.extend(page.kinds);
        after = page.next;
        if after.is_none() {
            return Ok(Reply::Kinds(rows));
        }
    }
    Err(endless("kinds"))
}

async fn sessions(store: &dyn Store, max: u32) -> Driven<Reply> {
    let mut rows = Vec::new();
    let mut after = None;
    for _ in 0..ENOUGH {
        let page = store.sessions(Sessions { after, max }).await?;
        fits(page.sessions.len(), max)?;
        rows.extend(page.sessions);
        after = page.next;
        if after.is_none() {
            return Ok(Reply::Sessions(rows));
        }
    }
    Err(endless("sessions"))
}

fn fits(rows: usize, max: u32) -> Driven<()> {
    if rows as u64 <= u64::from(max) {
        return Ok(());
    }
    let expected = format!("a page of at most {max} rows");
    Err(broken("R6.2", &expected, rows))
}

fn endless(operation: &str) -> Stopped {
    let expected = format!("{operation} to come to an end");
    broken("S1.2", &expected, format!("more after {ENOUGH} steps"))
}

fn broken(rule: &'static str, expected: &str, observed: impl std::fmt::Debug) -> Stopped {
    Stopped::Breach(Breach::new(rule, expected, format!("{observed:?}")))
}
