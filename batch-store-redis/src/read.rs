//! Job, targets, list, stats and kinds (R6, S8).
//!
//! A script reads at most a few hundred rows, so that no other client waits for long; a
//! list that examines more is read in several.

use batch_core::decide::row::JobRow;
use batch_core::id::{Kind, SessionId};
use batch_core::limits::{LIST_EXAMINED, PAGE_BYTES, PAGE_ROWS};
use batch_core::state::TargetStatus;
use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::query::{
    JobList, JobOrder, JobQuery, KindList, StatsQuery, TargetOrder, TargetQuery,
};
use batch_core::store::reply::{JobPage, JobReply, KindPage, Stats, TargetPage, TargetReply};
use batch_core::store::view::{Outcome, Target};
use batch_core::time;

use crate::codec::{Fields, maybe_of, target_of};
use crate::connection::Connection;
use crate::error::{damaged, error};
use crate::rows::{Hash, space};
use crate::scripts::SCRIPTS;

/// Rows that one script reads at most.
pub(crate) const PAGE: u32 = 200;

pub(crate) async fn job(connection: &Connection, call: &JobQuery) -> StoreResult<JobReply> {
    let args = match call {
        JobQuery::Id(id) => vec![id.to_string()],
        JobQuery::Key { kind, caller, key } => vec![
            kind.to_string(),
            caller.clone(),
            space(key.space).to_owned(),
            key.text.clone(),
        ],
    };
    let mut reply = connection.read(&SCRIPTS.job, &args).await?;
    if reply.is_empty() {
        return Ok(JobReply::NotFound);
    }
    let job = Hash::of(reply.list()?)?.into_job()?;
    Ok(JobReply::Found(Box::new(job.view(reply.text()?))))
}

pub(crate) async fn targets(
    connection: &Connection,
    call: &TargetQuery,
) -> StoreResult<TargetReply> {
    let order = match call.order {
        TargetOrder::Index => "index",
        TargetOrder::Stored => "stored",
    };
    let args = [
        call.id.to_string(),
        order.to_owned(),
        call.from.to_string(),
        call.max.clamp(1, PAGE).to_string(),
        PAGE_BYTES.to_string(),
    ];
    let mut reply = connection.read(&SCRIPTS.targets, &args).await?;
    let next = match reply.text()?.as_str() {
        "missing" => return Ok(TargetReply::NotFound),
        "evicted" => return Ok(TargetReply::Evicted),
        "" => None,
        next => Some(next.parse().map_err(|_| damaged())?),
    };
    let targets = reply.list()?.map(|row| target(row?));
    Ok(TargetReply::Page(TargetPage {
        targets: targets.collect::<StoreResult<_>>()?,
        next,
    }))
}

fn target(mut row: Fields) -> StoreResult<Target> {
    let index = row.number()?;
    let target = target_of(&row.text()?)?;
    let mut shown = Target::pending(index, target);
    let mut state = row.list()?;
    if state.is_empty() {
        return Ok(shown);
    }
    let status = state.text()?;
    (shown.fence, shown.tries) = (state.number()?, state.parsed()?);
    match status.as_str() {
        "parked" | "running" => open(&mut shown, state)?,
        _ => stored(&mut shown, &status, state)?,
    }
    Ok(shown)
}

/// A target whose latest start has no outcome.
fn open(shown: &mut Target, mut state: Fields) -> StoreResult<()> {
    (shown.busy_since, shown.due) = (state.maybe_time()?, state.maybe_time()?);
    if shown.due.is_none() {
        shown.status = TargetStatus::Running;
        shown.session = Some(SessionId::new(state.text()?));
    }
    Ok(())
}

fn stored(shown: &mut Target, status: &str, mut state: Fields) -> StoreResult<()> {
    shown.ordinal = Some(state.number()?);
    shown.session = Some(SessionId::new(state.text()?));
    shown.elapsed = match state.text()?.as_str() {
        "" => None,
        millis => Some(time::from_millis(millis.parse().map_err(|_| damaged())?)),
    };
    shown.stored_at = Some(state.time()?);
    let (text, hint) = (state.text()?, maybe_of(&state.text()?));
    let outcome = match status {
        "done" => Outcome::Done { result: text },
        "failed" => Outcome::Failed { error: text, hint },
        _ => return Err(damaged()),
    };
    shown.status = outcome.status();
    shown.outcome = Some(outcome);
    Ok(())
}

pub(crate) async fn list(connection: &Connection, call: &JobList) -> StoreResult<JobPage> {
    let order = match (call.order, &call.filter.kind) {
        (JobOrder::Sequence, _) => "sequence".to_owned(),
        (JobOrder::Rotation, Some(kind)) => format!("rotation:{kind}"),
        (JobOrder::Rotation, None) => return Err(no_rotation()),
    };
    let max = call.max.clamp(1, PAGE_ROWS) as usize;
    let mut page = JobPage {
        jobs: Vec::new(),
        next: None,
    };
    let (mut after, mut examined) = (call.after.unwrap_or(0), 0);
    loop {
        let args = [order.clone(), after.to_string(), PAGE.to_string()];
        let reply = connection.read(&SCRIPTS.list, &args).await?;
        let found: Vec<_> = reply
            .map(|entry| listed(entry?))
            .collect::<StoreResult<_>>()?;
        let last = found.len() < PAGE as usize;
        let count = found.len();
        for (at, (place, job)) in found.into_iter().enumerate() {
            (after, examined) = (place, examined + 1);
            if job.matches(&call.filter) {
                page.jobs.push(job.view(String::new()));
            }
            let more = !last || at + 1 < count;
            if page.jobs.len() == max || examined == LIST_EXAMINED {
                page.next = more.then_some(after);
                return Ok(page);
            }
        }
        if last {
            return Ok(page);
        }
    }
}

/// A job with its place in the order.
fn listed(mut entry: Fields) -> StoreResult<(u64, JobRow)> {
    Ok((entry.number()?, Hash::of(entry.list()?)?.into_job()?))
}

fn no_rotation() -> StoreError {
    let reason = "the rotation is that of one kind; name it in the filter";
    error(StoreErrorKind::Invalid, reason)
}

pub(crate) async fn stats(connection: &Connection, call: &StatsQuery) -> StoreResult<Stats> {
    let mut args = vec![call.kind.to_string()];
    args.extend(call.caller.clone());
    let mut reply = connection.read(&SCRIPTS.stats, &args).await?;
    let caller_live = reply.number()?;
    Ok(Stats {
        kind: Hash::of(reply.list()?)?.into_stats()?,
        caller_live,
    })
}

pub(crate) async fn kinds(connection: &Connection, call: &KindList) -> StoreResult<KindPage> {
    let max = call.max.clamp(1, PAGE_ROWS) as usize;
    let from = match &call.after {
        Some(kind) => format!("({kind}"),
        None => "-".to_owned(),
    };
    let args = [from, (max + 1).to_string()];
    let mut reply = connection.read(&SCRIPTS.kinds, &args).await?;
    let mut kinds = Vec::new();
    while !reply.is_empty() {
        kinds.push(Kind::new(reply.text()?));
    }
    let more = kinds.len() > max;
    kinds.truncate(max);
    let next = kinds.last().filter(|_| more).cloned();
    Ok(KindPage { kinds, next })
}
