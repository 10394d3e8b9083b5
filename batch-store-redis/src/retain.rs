//! Touch, sweep (S6) and evict (S7).

use batch_core::limits::STAGE_LIFE;
use batch_core::store::StoreResult;
use batch_core::store::call::{Evict, Sweep, Touch};
use batch_core::store::reply::{Evicted, Swept, TouchReply};

use crate::codec::time_text;
use crate::connection::Connection;
use crate::error::damaged;
use crate::scripts::SCRIPTS;
use crate::session::ended;
use crate::submit::before;

/// Jobs that one step of sweep or evict frees, so that it stays short.
const STEP: u32 = 100;

pub(crate) async fn touch(connection: &Connection, call: &Touch) -> StoreResult<TouchReply> {
    let args = [call.id.to_string(), time_text(call.now)];
    let mut reply = connection.write(&SCRIPTS.touch, &args).await?;
    Ok(match reply.text()?.as_str() {
        "touched" => TouchReply::Touched {
            lease: reply.time()?,
        },
        "missing" => TouchReply::NotFound,
        _ => return Err(damaged()),
    })
}

pub(crate) async fn sweep(connection: &Connection, call: Sweep) -> StoreResult<Swept> {
    let args = [
        time_text(call.now),
        time_text(before(call.now, STAGE_LIFE)),
        call.max.clamp(1, STEP).to_string(),
    ];
    let mut reply = connection.write(&SCRIPTS.sweep, &args).await?;
    let (more, jobs) = (reply.flag()?, reply.number()?);
    Ok(Swept {
        jobs,
        expired: ended(reply.list()?)?,
        more,
    })
}

pub(crate) async fn evict(connection: &Connection, call: &Evict) -> StoreResult<Evicted> {
    let args = [
        call.kind.to_string(),
        call.max_bytes.to_string(),
        call.max.clamp(1, STEP).to_string(),
    ];
    let mut reply = connection.write(&SCRIPTS.evict, &args).await?;
    let more = reply.flag()?;
    Ok(Evicted {
        jobs: reply.number()?,
        bytes: reply.number()?,
        more,
    })
}
