//! Every decision of a store, as plain functions over rows.
//!
//! A decision reads rows through [`Rows`], and answers with a reply and the
//! [`Change`]s that make it true; it writes nothing itself, awaits nothing and reads
//! no clock. A store calls it inside its transaction and applies the changes there.
//! Memory, SQLite and sled share these functions; a store that decides in its own
//! language repeats them, and the testkit judges it.

mod cancel;
mod change;
mod ending;
mod finish;
mod index;
mod place;
mod reap;
mod retain;
pub mod row;
mod rows;
mod session;
mod show;
mod stage;
mod step;
mod submit;
mod take;

pub use cancel::cancel;
pub use change::{Change, Decision};
pub use finish::finish;
pub use index::{JobIndex, OpenIndex};
pub use reap::reap;
pub use retain::{evict, sweep, touch};
pub use rows::{Freed, Rows, Table};
pub use session::{enter, renew};
pub use show::targets;
pub use stage::{check_stage, stage};
pub use submit::{check_submit, submit};
pub use take::take;
