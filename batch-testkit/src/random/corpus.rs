//! Programs that once broke a store, replayed on every store before anything random.
//!
//! A new one is a file in `corpus/` and a line here.

use super::program::{Kept, VERSION};

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../corpus/", $name, ".json")))),*]
    };
}

/// Name and text of every kept program.
const FILES: &[(&str, &str)] = files! {
    "r14_halting_job"
    "r1_10_gap_in_a_stage"
    "r1_5_fresh_makes_a_job"
    "r2_7_turn_after_refusal"
    "r9_1_reaped_start_after_its_interruption"
    "r9_3_older_beat"
    "r9_5_lost_too_often"
    "s2_2_take_again"
    "s2_5_cancel_again"
    "s4_3_not_yet_due"
    "s4_3_pinned_job"
    "s5_2_superseded_start"
    "s5_3_second_outcome"
    "s6_1_sweep_to_the_millisecond"
    "s7_1_evict_within_budget"
};

/// Every kept program with its name, or the name of a file that cannot be read.
pub(super) fn kept() -> Result<Vec<(&'static str, Kept)>, String> {
    FILES
        .iter()
        .map(|(name, text)| Ok((*name, parse(name, text)?)))
        .collect()
}

/// Reads a kept program.
pub(super) fn parse(name: &str, text: &str) -> Result<Kept, String> {
    let kept: Kept = serde_json::from_str(text).map_err(|error| format!("{name}: {error}"))?;
    if kept.version > VERSION {
        return Err(format!(
            "{name}: version {} is newer than {VERSION}; use a newer batch-testkit",
            kept.version
        ));
    }
    Ok(kept)
}
