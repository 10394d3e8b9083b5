//! Enter, renew, sessions and reap (R9).

use batch_core::decide::{self, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::{Enter, Reap, Renew};
use batch_core::store::query::Sessions;
use batch_core::store::reply::{EnterReply, ReapReply, RenewReply, SessionPage};

use crate::handle::{Handle, Operation};

/// R9.3: the session counts as one of this opening before its row says that it exists.
pub(crate) async fn enter(handle: &Handle, call: Enter) -> StoreResult<EnterReply> {
    let entered = handle.entered();
    let operation = Operation::on("enter", &call.session);
    handle
        .write(operation, move |step| {
            let decision = decide::enter(step, &call)?;
            if matches!(decision.reply, EnterReply::Entered { .. }) {
                entered.add(&call.session);
            }
            step.keep(decision)
        })
        .await
}

pub(crate) async fn renew(handle: &Handle, call: Renew) -> StoreResult<RenewReply> {
    let operation = Operation::on("renew", &call.session);
    handle
        .write(operation, move |step| {
            step.keep(decide::renew(step, &call)?)
        })
        .await
}

pub(crate) async fn sessions(handle: &Handle, call: Sessions) -> StoreResult<SessionPage> {
    let entered = handle.entered();
    handle
        .read(Operation::of("sessions"), move |step| {
            step.session_page(&call, |session| entered.lock_of(session))
        })
        .await
}

/// The last step forgets the session.
pub(crate) async fn reap(handle: &Handle, call: Reap) -> StoreResult<ReapReply> {
    let entered = handle.entered();
    let operation = Operation::on("reap", &call.session);
    handle
        .write_and_wake(operation, move |step| {
            let reply = decide::reap(step, &call)?;
            if matches!(reply, ReapReply::Reaped { more: false, .. }) {
                entered.remove(&call.session);
            }
            Ok(reply)
        })
        .await
}
