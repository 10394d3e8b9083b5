//! Cancel (R5).

use batch_core::store::StoreResult;
use batch_core::store::call::Cancel;
use batch_core::store::reply::CancelReply;

use crate::codec::time_text;
use crate::connection::Connection;
use crate::error::damaged;
use crate::rows::status_of;
use crate::scripts::SCRIPTS;

pub(crate) async fn cancel(connection: &Connection, call: &Cancel) -> StoreResult<CancelReply> {
    let args = [
        call.id.to_string(),
        call.request.to_string(),
        time_text(call.now),
    ];
    let mut reply = connection.write(&SCRIPTS.cancel, &args).await?;
    Ok(match reply.text()?.as_str() {
        "cancelled" => CancelReply::Cancelled {
            created_at: reply.time()?,
        },
        "already" => CancelReply::Already {
            status: status_of(&reply.text()?)?,
        },
        "missing" => CancelReply::NotFound,
        _ => return Err(damaged()),
    })
}
