//! The report over all stores: a line per rule, a column per store.
//!
//! Each store is judged by tests of its own crate; the testkit keeps what came of every
//! rule in a folder, see `record.rs` there. Here the files are laid side by side.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The variable that tells the testkit where to keep its records.
pub(crate) const FOLDER: &str = "BATCH_CONFORMANCE";

/// The stores of this workspace, each of which is judged by every rule.
const STORES: [&str; 4] = ["memory", "sqlite", "redis", "sled"];

/// How many rules that are missing are named before the rest is left out.
const SHOWN: usize = 5;

/// What came of one test on one store.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    word: String,
    why: String,
}

/// Entries by test, and the tests' rule ids.
#[derive(Debug, Default)]
struct Report {
    ids: BTreeMap<String, String>,
    stores: BTreeMap<String, BTreeMap<String, Entry>>,
}

/// Makes the folder empty, so that nothing of another run is reported.
pub(crate) fn begin() -> Result<PathBuf, String> {
    let folder = folder()?;
    let cleared = match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => std::fs::create_dir_all(&folder),
    };
    cleared.map_err(|error| format!("cannot clear {}: {error}", folder.display()))?;
    Ok(folder)
}

/// Writes the table beside the records, and says where it is and what it sums up to.
///
/// A store that was not judged, or not by every rule, is an error.
pub(crate) fn run() -> Result<(), String> {
    let folder = folder()?;
    let mut report = Report::default();
    for store in STORES {
        let path = folder.join(format!("{store}.tsv"));
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{store} was not judged: {}: {error}", path.display()))?;
        report.add(store, &text);
    }
    report.is_whole()?;
    let table = folder.join("table.txt");
    std::fs::write(&table, report.table())
        .map_err(|error| format!("cannot write {}: {error}", table.display()))?;
    print!("{}", report.summary());
    println!("rule by rule: {}", table.display());
    Ok(())
}

/// Beside the build's other output, wherever that is.
fn folder() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let target = program.parent().and_then(Path::parent);
    let target = target.ok_or("this program is in no build folder")?;
    Ok(target.join("conformance"))
}

impl Report {
    /// Takes the lines of one store; of a test that ran twice the last one counts.
    fn add(&mut self, store: &str, lines: &str) {
        let entries = self.stores.entry(store.to_owned()).or_default();
        for line in lines.lines() {
            let mut fields = line.split('\t').map(str::to_owned);
            let mut next = || fields.next().unwrap_or_default();
            let (ids, test, word, why) = (next(), next(), next(), next());
            self.ids.insert(test.clone(), ids);
            entries.insert(test, Entry { word, why });
        }
    }

    /// Whether every store was judged by the same rules.
    fn is_whole(&self) -> Result<(), String> {
        for (store, entries) in &self.stores {
            let missing: Vec<_> = self
                .ids
                .keys()
                .filter(|test| !entries.contains_key(*test))
                .map(String::as_str)
                .collect();
            if !missing.is_empty() {
                let some = missing.iter().take(SHOWN).copied().collect::<Vec<_>>();
                let (count, some) = (missing.len(), some.join(", "));
                return Err(format!("{store} was not judged by {count} rules: {some}"));
            }
        }
        Ok(())
    }

    fn table(&self) -> String {
        let mut table = format!("{:<20}{:<80}", "rule", "test");
        for store in self.stores.keys() {
            let _ = write!(table, "{store:<10}");
        }
        table.push('\n');
        for (test, ids) in &self.ids {
            let _ = write!(table, "{ids:<20}{:<80}", test.replace('_', " "));
            let entries = self.stores.values().filter_map(|entries| entries.get(test));
            for entry in entries.clone() {
                let _ = write!(table, "{:<10}", entry.word);
            }
            let whys: BTreeSet<_> = entries.map(|entry| entry.why.as_str()).collect();
            let whys: Vec<_> = whys.into_iter().filter(|why| !why.is_empty()).collect();
            let _ = writeln!(table, "{}", whys.join("; "));
        }
        table
    }

    fn summary(&self) -> String {
        let mut summary = String::new();
        for (store, entries) in &self.stores {
            let count = |word: &str| entries.values().filter(|entry| entry.word == word).count();
            let (pass, skip, fail) = (count("pass"), count("skip"), count("FAIL"));
            let _ = writeln!(
                summary,
                "{store:<10}{pass:>5} pass {skip:>4} skip {fail:>4} FAIL"
            );
        }
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(one: &str, other: &str) -> Report {
        let mut report = Report::default();
        report.add("one", one);
        report.add("other", other);
        report
    }

    #[test]
    fn stores_stand_side_by_side() {
        let report = report(
            "R1.1\ta::b_c\tpass\t\n",
            "R1.1\ta::b_c\tskip\tnot offered\n",
        );

        assert_eq!(report.is_whole(), Ok(()));
        let table = report.table();
        let words: Vec<_> = table.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(
            words,
            ["R1.1", "a::b", "c", "pass", "skip", "not", "offered"]
        );
        assert!(
            report
                .summary()
                .starts_with("one           1 pass    0 skip")
        );
    }

    #[test]
    fn a_store_that_a_rule_did_not_judge_is_found() {
        let report = report(
            "R1.1\ta::b\tpass\t\nR1.2\ta::c\tpass\t\n",
            "R1.1\ta::b\tpass\t\n",
        );

        let missing = report.is_whole().unwrap_err();

        assert_eq!(missing, "other was not judged by 1 rules: a::c");
    }
}
