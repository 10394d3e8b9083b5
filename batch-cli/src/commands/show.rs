//! `batchq show`: one job, with the command that made it.

use crate::args::One;
use crate::commands::{Found, find};
use crate::exit::{Exit, Failure};
use crate::identity::Note;
use crate::output::json::JobLine;
use crate::output::{Console, json, table};

pub(super) async fn show(args: &One, console: &Console) -> Result<Exit, Failure> {
    let Found { store, job, .. } = find(args).await?;
    let note: Option<Note> = serde_json::from_str(&job.note).ok();
    if args.common.json {
        json::line(console, &JobLine::of(&job).with_note(note)).await?;
    } else {
        console
            .data(table::details(&job, note.as_ref()).as_bytes())
            .await?;
    }
    store.close().await?;
    Ok(Exit::Done)
}
