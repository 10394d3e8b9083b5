//! What came of each rule, kept for a report over several stores.
//!
//! `conformance!` judges one store in one process. Where the environment names a folder,
//! each of its tests adds a line to the file of its store there, and whoever ran several
//! stores lays the files side by side. A report within one process is in `report.rs`.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use crate::suite::Judgement;

/// The variable that names the folder.
const FOLDER: &str = "BATCH_CONFORMANCE";

/// Adds a line where the environment says so.
///
/// # Panics
///
/// When it cannot be written: a report with a line missing would be a wrong one.
pub(crate) fn record(store: &str, ids: &str, test: &str, judgement: &Judgement) {
    if let Some(folder) = std::env::var_os(FOLDER)
        && let Err(error) = add(Path::new(&folder), store, &line(ids, test, judgement))
    {
        panic!("harness: cannot record what came of {test}: {error}");
    }
}

/// Ids, test, verdict and reason, with tabs between them.
fn line(ids: &str, test: &str, judgement: &Judgement) -> String {
    let (word, why) = match judgement {
        Judgement::Pass => ("pass", ""),
        Judgement::Skip(why) => ("skip", why.as_str()),
        Judgement::Fail(_) => ("FAIL", ""),
    };
    let why = why.replace(['\n', '\t'], " ");
    format!("{ids}\t{test}\t{word}\t{why}\n")
}

/// Lines of several threads and processes do not mix: each is one short write at the end.
fn add(folder: &Path, store: &str, line: &str) -> io::Result<()> {
    let path = folder.join(format!("{store}.tsv"));
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_with_their_fields() {
        let dir = tempfile::tempdir().unwrap();
        let skip = Judgement::Skip("not\toffered".to_owned());

        for judgement in [Judgement::Pass, skip] {
            let line = line("S1.1", "group::name", &judgement);
            add(dir.path(), "acme", &line).unwrap();
        }

        let kept = std::fs::read_to_string(dir.path().join("acme.tsv")).unwrap();
        let expected = "S1.1\tgroup::name\tpass\t\nS1.1\tgroup::name\tskip\tnot offered\n";
        assert_eq!(kept, expected);
    }
}
