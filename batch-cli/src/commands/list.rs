//! `batchq list`: the jobs of a store, in the order in which they were submitted.

use batch_core::id::Kind;
use batch_core::limits::LIST_EXAMINED;
use batch_core::store::query::{JobFilter, JobList, JobOrder};

use crate::args;
use crate::exit::{Exit, Failure};
use crate::open::Address;
use crate::output::json::JobLine;
use crate::output::{Console, json, table};
use crate::reads::Reads;

pub(super) async fn list(args: &args::List, console: &Console) -> Result<Exit, Failure> {
    let address = Address::of(args.common.store.as_deref())?;
    let Some(store) = address.open_existing().await? else {
        console.say(format!(
            "no jobs: there is no store at {} yet",
            address.shown()
        ));
        return Ok(Exit::Done);
    };
    if !args.common.json {
        console.data(table::heading().as_bytes()).await?;
    }
    pages(args, &Reads::new(store.clone()), console).await?;
    store.close().await?;
    Ok(Exit::Done)
}

async fn pages(args: &args::List, reads: &Reads, console: &Console) -> Result<(), Failure> {
    let filter = JobFilter {
        kind: args.kind.as_deref().map(Kind::from),
        caller: args.caller.clone(),
        status: args.status,
    };
    let order = JobOrder::Sequence;
    let mut call = JobList {
        filter,
        order,
        after: None,
        max: LIST_EXAMINED,
    };
    loop {
        let page = reads.list(call.clone()).await?;
        for job in &page.jobs {
            if args.common.json {
                json::line(console, &JobLine::of(job)).await?;
            } else {
                console.data(table::job(job).as_bytes()).await?;
            }
        }
        if page.next.is_none() {
            return Ok(());
        }
        call.after = page.next;
    }
}
