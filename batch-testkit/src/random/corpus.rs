//! Programs that once broke a store, replayed on every store before anything random.
//!
//! A new one is a file in `corpus/` and a line here.

use super::program::{Kept, VERSION};

/// Name and text of every kept program.
const FILES: &[(&str, &str)] = &[];

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
