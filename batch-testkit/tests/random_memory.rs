//! The memory store under random programs. Other stores run the same check in their crates.

mod support;

use batch_testkit::random::{CASES, Report, check};
use support::Memory;

/// R1 to R9, R14, S2 to S7, S13: no program breaks the memory store.
#[test]
fn the_memory_store_passes_random_programs() {
    let report = report_of(7);

    assert!(report.cases > CASES, "kept programs run first");
}

/// A rule that no program comes near is not tested.
#[test]
fn random_programs_see_every_reply() {
    let report = report_of(11);

    let missing: Vec<&str> = REPLIES
        .iter()
        .copied()
        .filter(|reply| !report.replies.contains_key(*reply))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn the_same_seed_runs_the_same_programs() {
    assert_eq!(short_report(3), short_report(3));
    assert_ne!(short_report(3), short_report(4));
}

fn report_of(seed: u64) -> Report {
    check(&Memory, CASES, seed).unwrap_or_else(|failure| panic!("{failure}"))
}

fn short_report(seed: u64) -> Report {
    check(&Memory, 8, seed).unwrap_or_else(|failure| panic!("{failure}"))
}

const REPLIES: &[&str] = &[
    "cancel Already",
    "cancel Cancelled",
    "cancel NotFound",
    "enter Entered",
    "enter Gone",
    "evict Evicted",
    "finish NotFound",
    "finish Other",
    "finish Stored",
    "finish Superseded",
    "reap Moved",
    "reap Reaped",
    "renew Beat",
    "renew Gone",
    "stage Gone",
    "stage IdTaken",
    "stage Staged",
    "stage error",
    "submit Busy",
    "submit CallerBusy",
    "submit Created",
    "submit Gone",
    "submit IdTaken",
    "submit KeyConflict",
    "submit Reused",
    "submit Send",
    "submit TooMany",
    "sweep Swept",
    "take Gone",
    "take Idle",
    "take Started",
    "touch NotFound",
    "touch Touched",
    "turn NotFound",
    "turn Other",
    "turn Stored",
    "turn Superseded",
];
