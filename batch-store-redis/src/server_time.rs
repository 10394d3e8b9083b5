//! The server's clock, by which a store on Redis counts (S15).

use batch_core::store::StoreResult;
use batch_core::time::Timestamp;

use crate::codec::Fields;

/// The time that `TIME` answers: whole seconds, then microseconds.
pub(crate) fn server_time(fields: &mut Fields) -> StoreResult<Timestamp> {
    let (seconds, micros): (i64, i64) = (fields.parsed()?, fields.parsed()?);
    let millis = seconds.saturating_mul(1_000).saturating_add(micros / 1_000);
    Ok(Timestamp::from_millis(millis))
}
