//! How long the results of a run are kept: 30 days after it was last used, and within
//! `--max-bytes` at the cost of older runs of the same job.

use batch_core::store::call::{Evict, Touch};

use super::prepare::Request;
use crate::exit::Failure;
use crate::output::Console;
use crate::reads::Reads;
use crate::view::Family;

/// Jobs that are let go of in one step.
const STEP: u32 = 64;

/// A run is used: it goes after all others.
pub(super) async fn used(reads: &Reads, family: &Family) -> Result<(), Failure> {
    let now = reads.time().await?;
    for id in family.ids() {
        let call = Touch { id, now };
        reads.again(|| reads.store().touch(call.clone())).await?;
    }
    Ok(())
}

/// Keeps to `--max-bytes`; the run has ended, whatever comes of it.
pub(super) async fn let_go(request: &Request, reads: &Reads, family: &Family, console: &Console) {
    let Some(max_bytes) = request.settings.max_bytes else {
        return;
    };
    if let Err(failure) = evict_older(reads, family, max_bytes).await {
        console.complain(failure.text("older results are kept"));
    }
}

/// Lets go of the results of older runs beyond `max_bytes`. This one stays whole, since its
/// reruns and the job that they belong to are of use only together.
async fn evict_older(reads: &Reads, family: &Family, max_bytes: u64) -> Result<(), Failure> {
    used(reads, family).await?;
    let own: u64 = family.jobs().map(|job| job.bytes).sum();
    let call = Evict {
        kind: family.root.kind.clone(),
        max_bytes: max_bytes.max(own),
        max: STEP,
    };
    loop {
        let evicted = reads.again(|| reads.store().evict(call.clone())).await?;
        if !evicted.more {
            return Ok(());
        }
    }
}
