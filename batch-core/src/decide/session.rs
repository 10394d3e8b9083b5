//! How a session begins and shows that it is alive (R9.2).

use super::change::{Change, Decision};
use super::row::{KindRow, SessionRow};
use super::rows::Rows;
use crate::limits::PAGE_ROWS;
use crate::store::StoreResult;
use crate::store::call::{Enter, Renew, Start};
use crate::store::reply::{EnterReply, HeldStart, RenewReply};
use crate::time;

/// Begins a session, or answers again that it has begun.
///
/// `store_time` of the reply is left to stores with a clock of their own.
pub fn enter(rows: &impl Rows, call: &Enter) -> StoreResult<Decision<EnterReply>> {
    if let Some(session) = rows.session(&call.session)? {
        let same = !session.dead && session.kind == call.kind;
        return Ok(Decision::unchanged(if same {
            EnterReply::Entered { store_time: None }
        } else {
            EnterReply::Gone
        }));
    }
    let known = rows.kind(&call.kind)?;
    let mut kind = known.unwrap_or_else(|| KindRow {
        name: call.kind.clone(),
        ..KindRow::default()
    });
    kind.sessions += 1;
    let session = SessionRow {
        id: call.session.clone(),
        kind: call.kind.clone(),
        host: call.host.clone(),
        beat: 1,
        beat_length: time::whole(call.beat_length),
        dead: false,
        entered: call.now,
        seen: call.now,
    };
    let changes = vec![Change::PutKind(kind), Change::PutSession(session)];
    Ok(Decision::new(
        EnterReply::Entered { store_time: None },
        changes,
    ))
}

/// Moves the beat of a live session, and reports what it holds.
pub fn renew(rows: &impl Rows, call: &Renew) -> StoreResult<Decision<RenewReply>> {
    let Some(mut session) = rows.session(&call.session)?.filter(|session| !session.dead) else {
        return Ok(Decision::unchanged(RenewReply::Gone));
    };
    session.beat += 1;
    session.seen = session.seen.max(call.now);
    let mut starts = Vec::new();
    for open in rows.held(&call.session, PAGE_ROWS as usize)? {
        // A start without its job is damage that reap removes; the session lives on.
        let (Some(job), Some(ticket)) = (rows.job_at(open.seq)?, open.ticket) else {
            continue;
        };
        let start = Start {
            session: open.session,
            job: job.id,
            index: open.index,
            fence: open.fence,
        };
        starts.push(HeldStart { ticket, start });
    }
    let reply = RenewReply::Beat {
        beat: session.beat,
        starts,
        store_time: None,
    };
    Ok(Decision::new(reply, vec![Change::PutSession(session)]))
}
