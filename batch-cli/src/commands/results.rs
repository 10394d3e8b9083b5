//! `batchq results`: what is stored of a job, in target order, without waiting.

use crate::args::One;
use crate::commands::{Found, find};
use crate::exit::{Exit, Failure};
use crate::output::Console;
use crate::output::rows::{Format, Rows};
use crate::view::{Family, View};

pub(super) async fn results(args: &One, console: &Console) -> Result<Exit, Failure> {
    let Found { store, reads, job } = find(args).await?;
    let family = Family::of(&reads, job).await?;
    let id = family.root.id.clone();
    let mut rows = Rows::new(console, Format::of(args.common.json), id.as_str());
    let mut view = View::new(&reads, &family);
    while let Some(row) = view.next().await? {
        rows.print(row.target()).await?;
    }
    store.close().await?;
    Ok(Exit::Done)
}
