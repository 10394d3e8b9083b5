//! The commands, one a file; each answers how the process ends.

mod cancel;
mod list;
mod results;
mod run;
mod show;

use std::sync::Arc;

use batch_core::error::Error;
use batch_core::id::JobId;
use batch_core::store::Store;
use batch_core::store::view::Job;

use crate::args::{Command, One};
use crate::exit::{Exit, Failure};
use crate::open::Address;
use crate::output::Console;
use crate::reads::Reads;

/// Runs a command to its end.
pub(crate) async fn run(command: Command, console: Arc<Console>) -> Result<Exit, Failure> {
    let exit = match command {
        Command::Run(args) => return run::run(args, &console).await,
        Command::List(args) => list::list(&args, &console).await,
        Command::Show(args) => show::show(&args, &console).await,
        Command::Results(args) => results::results(&args, &console).await,
        Command::Cancel(args) => cancel::cancel(&args, &console).await,
    }?;
    console.flush().await?;
    Ok(exit)
}

/// A store that is there, and one of its jobs.
struct Found {
    store: Arc<dyn Store>,
    reads: Reads,
    job: Job,
}

async fn find(args: &One) -> Result<Found, Failure> {
    let address = Address::of(args.common.store.as_deref())?;
    let store = address.open_existing().await?.ok_or(Error::NotFound)?;
    let reads = Reads::new(store.clone());
    let job = reads.job(&JobId::new(args.id.as_str())).await?;
    Ok(Found { store, reads, job })
}
