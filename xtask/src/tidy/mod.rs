//! `cargo xtask tidy`: the house rules that a machine can hold.
//!
//! Each check is a function from files to findings, one module per check. A
//! finding begins with the path it is about and says what to do.

mod contract;
mod docs;
mod ids;
mod imports;
mod length;
mod names;
mod rules;

use std::path::Path;

use crate::tree::{self, File};

const CONTRACT: &str = "docs/contract.md";
const RULES_WITHOUT_TEST: &str = "xtask/rules-without-test.txt";

/// Runs all checks and prints every finding.
pub(crate) fn run() -> Result<(), String> {
    let root = tree::root();
    let files = tree::sources()?;
    let rust: Vec<File> = files
        .iter()
        .filter(|file| file.has_extension("rs"))
        .cloned()
        .collect();
    let findings = [
        length::check(&rust),
        docs::check(&rust),
        names::check(&files),
        rules::check(
            &read(&root, CONTRACT)?,
            &read(&root, RULES_WITHOUT_TEST)?,
            &files,
        ),
        imports::check(&root)?,
    ]
    .concat();
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        Ok(())
    } else {
        Err(format!("{} findings", findings.len()))
    }
}

fn read(root: &Path, path: &str) -> Result<String, String> {
    std::fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}; restore it"))
}

/// A source file for a test.
#[cfg(test)]
fn file(path: &str, text: &str) -> File {
    File {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}
