//! `batchq cancel`: ends a live job; what is in flight finishes and is stored.

use batch_core::error::Error;
use batch_core::id::RequestId;
use batch_core::state::JobStatus;
use batch_core::store::call::Cancel;
use batch_core::store::reply::CancelReply;
use serde::Serialize;

use crate::args::One;
use crate::commands::{Found, find};
use crate::exit::{Exit, Failure};
use crate::output::{Console, json};

#[derive(Serialize)]
struct CancelLine<'a> {
    job: &'a str,
    cancelled: bool,
    status: JobStatus,
}

pub(super) async fn cancel(args: &One, console: &Console) -> Result<Exit, Failure> {
    let Found { store, reads, job } = find(args).await?;
    let now = reads.time().await?;
    let call = Cancel {
        id: job.id.clone(),
        request: RequestId::random(),
        now,
    };
    let reply = store.cancel(call).await?;
    let (cancelled, status) = match reply {
        CancelReply::Cancelled { .. } => (true, JobStatus::Cancelled),
        CancelReply::Already { status } => (false, status),
        CancelReply::NotFound => return Err(Error::NotFound.into()),
    };
    if args.common.json {
        json::line(
            console,
            &CancelLine {
                job: job.id.as_str(),
                cancelled,
                status,
            },
        )
        .await?;
    }
    store.close().await?;
    if cancelled {
        console.say(format!("job {} is cancelled", job.id));
        return Ok(Exit::Done);
    }
    console.complain(format!(
        "job {} is not cancelled: it is already {status}",
        job.id
    ));
    Ok(Exit::Partial)
}
