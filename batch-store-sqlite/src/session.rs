//! Enter, renew, sessions and reap (R9), with the OS locks beside the rows.

use batch_core::decide::{self, Rows, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::{Enter, Reap, Renew};
use batch_core::store::query::Sessions;
use batch_core::store::reply::{EnterReply, ReapReply, RenewReply, SessionPage};

use crate::handle::{Handle, Operation};
use crate::lock::Hold;

/// R9.3: the lock is taken before the row says that the session exists.
pub(crate) async fn enter(handle: &Handle, call: Enter) -> StoreResult<EnterReply> {
    let locks = handle.locks();
    let operation = Operation::on("enter", &call.session);
    // The step may be run again: what its first run took is its own.
    let mut taken = None;
    handle
        .write(operation, move |tables| {
            let hold = *taken.get_or_insert(locks.hold(&call.session)?);
            if hold == Hold::New {
                locks.remove_strays(|session| Ok(tables.session(session)?.is_some()))?;
            }
            let reply = tables.keep(decide::enter(tables, &call)?)?;
            if reply == EnterReply::Gone && hold == Hold::New {
                locks.release(&call.session);
            }
            Ok(reply)
        })
        .await
}

pub(crate) async fn renew(handle: &Handle, call: Renew) -> StoreResult<RenewReply> {
    let locks = handle.locks();
    let session = call.session.clone();
    let operation = Operation::on("renew", &session);
    let renew =
        move |tables: &mut crate::tables::Tables<'_>| tables.keep(decide::renew(tables, &call)?);
    let release = move |reply: &RenewReply| {
        if *reply == RenewReply::Gone {
            locks.release(&session);
        }
    };
    handle.write_then(operation, renew, release).await
}

pub(crate) async fn sessions(handle: &Handle, call: Sessions) -> StoreResult<SessionPage> {
    let locks = handle.locks();
    handle
        .read(Operation::of("sessions"), move |tables| {
            let mut page = tables.session_page(&call)?;
            for session in page.sessions.iter_mut().filter(|s| s.kind.is_some()) {
                session.lock = locks.probe(&session.id);
            }
            Ok(page)
        })
        .await
}

/// The lock file goes after the last step, when no row names the session any more.
pub(crate) async fn reap(handle: &Handle, call: Reap) -> StoreResult<ReapReply> {
    let locks = handle.locks();
    let session = call.session.clone();
    let operation = Operation::on("reap", &session);
    let remove = move |reply: &ReapReply| {
        if matches!(reply, ReapReply::Reaped { more: false, .. }) {
            locks.remove(&session);
        }
    };
    handle
        .write_then(operation, move |tables| decide::reap(tables, &call), remove)
        .await
}
