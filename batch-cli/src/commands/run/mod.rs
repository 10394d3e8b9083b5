//! `batchq run`: a command or request per target of a list, once and for all.
//!
//! The list and the work say which job it is; the store says how far it is. From
//! there the job is made, helped, run again or merely printed.

mod begin;
mod finish;
mod follow;
mod keep;
mod plan;
mod prepare;
mod stream;
mod trouble;
mod work;

use std::sync::Arc;
use std::time::Duration;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Console;
use crate::output::rows::{Format, Rows};
use crate::reads::Reads;
use crate::view::{Family, View};
use plan::Plan;
use prepare::Request;

/// How long a store may be away before a run gives up.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) async fn run(args: args::Run, console: &Arc<Console>) -> Result<Exit, Failure> {
    let dry_run = args.dry_run;
    let (request, fetcher) = tokio::task::block_in_place(|| prepare::prepare(&args))?;
    if dry_run && !request.address.is_there() {
        return plan::tell(
            &request,
            &Plan::New,
            plan::unmade(request.survey.total),
            console,
        )
        .await;
    }
    let store = request.address.open().await?;
    let reads = Reads::new(store.clone()).patient(PATIENCE);
    let plan = plan::plan(&reads, &request).await?;
    let exit = match plan {
        plan if dry_run => {
            let counts = plan.counts(&reads, request.survey.total).await?;
            plan::tell(&request, &plan, counts, console).await?
        }
        Plan::Complete(family) => complete(&request, &reads, &family, console).await?,
        plan => work::work(&request, fetcher, &reads, plan, console).await?,
    };
    store.close().await?;
    Ok(exit)
}

/// Prints what is stored, and runs nothing.
async fn complete(
    request: &Request,
    reads: &Reads,
    family: &Family,
    console: &Console,
) -> Result<Exit, Failure> {
    // What is stored can be read, whether or not anything can be written now.
    let at_once = Reads::new(reads.store().clone());
    if let Err(failure) = keep::used(&at_once, family).await {
        console.complain(failure.text("the results are kept no longer than before"));
    }
    let counts = family.tally(reads).await?;
    finish::say_complete(family, counts, &request.address.shown(), console);
    let id = family.root.id.clone();
    let mut rows = Rows::new(console, Format::of(request.json), id.as_str());
    let mut view = View::new(reads, family);
    while let Some(row) = view.next().await? {
        rows.print(row.target()).await?;
    }
    let exit = finish::finish(family, &rows, true, console).await?;
    keep::let_go(request, reads, family, console).await;
    Ok(exit)
}
