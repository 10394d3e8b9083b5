//! Enter, renew, sessions and reap (R9), with the server's time where a session shows itself.

use batch_core::id::{JobId, Kind, SessionId, Ticket};
use batch_core::limits::PAGE_ROWS;
use batch_core::store::StoreResult;
use batch_core::store::call::{Enter, Reap, Renew, Start};
use batch_core::store::query::Sessions;
use batch_core::store::reply::{Ended, EnterReply, HeldStart, ReapReply, RenewReply, SessionPage};
use batch_core::store::view::{Session, SessionLock};

use crate::codec::{Fields, length_text, time_text};
use crate::connection::Connection;
use crate::error::damaged;
use crate::read::PAGE;
use crate::rows::{Hash, status_of};
use crate::scripts::SCRIPTS;
use crate::server_time::server_time;

/// Jobs, starts and stages that one step of reap takes, so that it stays short.
const STEP: u32 = 100;

pub(crate) async fn enter(connection: &Connection, call: &Enter) -> StoreResult<EnterReply> {
    let args = [
        call.session.to_string(),
        call.kind.to_string(),
        call.host.clone(),
        length_text(call.beat_length),
        time_text(call.now),
    ];
    let mut reply = connection.write(&SCRIPTS.enter, &args).await?;
    Ok(match reply.text()?.as_str() {
        "entered" => EnterReply::Entered {
            store_time: Some(server_time(&mut reply)?),
        },
        "gone" => EnterReply::Gone,
        _ => return Err(damaged()),
    })
}

pub(crate) async fn renew(connection: &Connection, call: &Renew) -> StoreResult<RenewReply> {
    let args = [
        call.session.to_string(),
        time_text(call.now),
        PAGE_ROWS.to_string(),
    ];
    let mut reply = connection.write(&SCRIPTS.renew, &args).await?;
    let first = reply.text()?;
    if first == "gone" {
        return Ok(RenewReply::Gone);
    }
    let beat = first.parse().map_err(|_| damaged())?;
    let store_time = Some(server_time(&mut reply)?);
    let starts = reply.list()?.map(|start| held_start(start?, &call.session));
    Ok(RenewReply::Beat {
        beat,
        starts: starts.collect::<StoreResult<_>>()?,
        store_time,
    })
}

fn held_start(mut fields: Fields, session: &SessionId) -> StoreResult<HeldStart> {
    Ok(HeldStart {
        ticket: Ticket::new(fields.text()?),
        start: Start {
            session: session.clone(),
            job: JobId::new(fields.text()?),
            index: fields.number()?,
            fence: fields.number()?,
        },
    })
}

/// One id more than asked for shows whether the page has a next.
pub(crate) async fn sessions(connection: &Connection, call: &Sessions) -> StoreResult<SessionPage> {
    let max = call.max.clamp(1, PAGE) as usize;
    let from = match &call.after {
        Some(id) => format!("({id}"),
        None => "-".to_owned(),
    };
    let args = [from, (max + 1).to_string()];
    let reply = connection.read(&SCRIPTS.sessions, &args).await?;
    let found = reply.map(|fields| session(fields?));
    let mut sessions: Vec<_> = found.collect::<StoreResult<_>>()?;
    sessions.sort_by(|one, other| one.id.cmp(&other.id));
    sessions.dedup_by(|one, other| one.id == other.id);
    let more = sessions.len() > max;
    sessions.truncate(max);
    let next = sessions.last().filter(|_| more).map(|last| last.id.clone());
    Ok(SessionPage { sessions, next })
}

fn session(mut fields: Fields) -> StoreResult<Session> {
    let id = SessionId::new(fields.text()?);
    let row = Hash::of(fields.list()?)?;
    if row.is_empty() {
        return Ok(Session::of_starts(id));
    }
    Ok(row.into_session(id)?.view(SessionLock::Unknown))
}

pub(crate) async fn reap(connection: &Connection, call: &Reap) -> StoreResult<ReapReply> {
    let args = [
        call.session.to_string(),
        call.beat.to_string(),
        time_text(call.now),
        call.max.clamp(1, STEP).to_string(),
    ];
    let mut reply = connection.write(&SCRIPTS.reap, &args).await?;
    let more = match reply.text()?.as_str() {
        "moved" => return Ok(ReapReply::Moved),
        "0" => false,
        _ => true,
    };
    let (returned, interrupted, strays) = (reply.number()?, reply.number()?, reply.number()?);
    if strays > 0 {
        tracing::warn!(strays, "starts without their jobs were dropped");
    }
    Ok(ReapReply::Reaped {
        ended: ended(reply.list()?)?,
        returned,
        interrupted,
        more,
    })
}

/// The jobs that a step ended.
pub(crate) fn ended(jobs: Fields) -> StoreResult<Vec<Ended>> {
    let one = |fields: StoreResult<Fields>| {
        let mut fields = fields?;
        Ok(Ended {
            id: JobId::new(fields.text()?),
            kind: Kind::new(fields.text()?),
            status: status_of(&fields.text()?)?,
            created_at: fields.time()?,
        })
    };
    jobs.map(one).collect()
}
