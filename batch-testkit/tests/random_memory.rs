//! The memory store under random programs. Other stores run the same check in their crates.

mod support;

use batch_testkit::random::{CASES, check};
use support::Memory;

/// S3, S4, S5, S6, S7, S13: no random program breaks the memory store.
#[test]
fn the_memory_store_passes_random_programs() {
    let report = check(&Memory, CASES, 7).unwrap_or_else(|failure| panic!("{failure}"));

    for (reply, count) in &report.replies {
        println!("{count:6} {reply}");
    }
    assert!(report.cases >= CASES);
}
