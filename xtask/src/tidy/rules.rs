//! Rule ids: those in comments exist, and every rule has a test.
//!
//! A test covers the rules that its doc comment names; a rule of the testkit covers
//! those of its line in the list of rules. Rules that wait for their test are listed
//! in a file, and the list may only shrink.

use std::collections::BTreeSet;

use super::contract::Contract;
use super::ids::ids;
use super::{CONTRACT, RULES_WITHOUT_TEST};
use crate::tree::File;

/// The lists of the testkit's rules, each with the ids that it tests.
const CATALOGS: [&str; 2] = [
    "batch-testkit/src/catalog.rs",
    "batch-testkit/src/runner_rules/catalog.rs",
];

/// This package talks about ids in general and tests none.
const SELF: &str = "xtask/";

/// How many rules of one sort are named before the rest is counted.
const SHOWN: usize = 20;

pub(super) fn check(contract: &str, waiting: &str, files: &[File]) -> Vec<String> {
    let (contract, twice) = Contract::read(contract);
    let ours: Vec<&File> = files
        .iter()
        .filter(|file| !file.path.starts_with(SELF))
        .collect();
    let waiting: BTreeSet<&str> = waiting
        .lines()
        .map(str::trim)
        .filter(|id| !id.is_empty())
        .collect();
    let twice = twice
        .iter()
        .map(|id| format!("{CONTRACT}: {id} is given twice; renumber the new one"));
    let unknown = ours.iter().flat_map(|file| unknown(&contract, file));
    twice
        .chain(unknown)
        .chain(coverage(&contract, &waiting, &covered(&ours)))
        .collect()
}

/// Findings for ids that no rule has.
fn unknown(contract: &Contract, file: &File) -> Vec<String> {
    let lines = file.text.lines().enumerate();
    let named = lines.flat_map(|(at, line)| {
        ids(named_in(file, line))
            .into_iter()
            .map(move |id| (at, id))
    });
    named
        .filter(|(_, id)| !contract.knows(id))
        .map(|(at, id)| format!("{}:{}: {id} is not in {CONTRACT}", file.path, at + 1))
        .collect()
}

/// The part of a line in which ids are names of rules.
fn named_in<'a>(file: &File, line: &'a str) -> &'a str {
    let marker = if file.has_extension("rs") { "//" } else { "--" };
    if CATALOGS.contains(&file.path.as_str()) {
        return line;
    }
    line.split_once(marker).map_or("", |(_, comment)| comment)
}

/// The ids of all rules that some test names.
fn covered<'a>(files: &[&'a File]) -> BTreeSet<&'a str> {
    files.iter().flat_map(|file| covered_by(file)).collect()
}

fn covered_by(file: &File) -> Vec<&str> {
    if CATALOGS.contains(&file.path.as_str()) {
        return file.text.lines().flat_map(ids).collect();
    }
    let mut covered = Vec::new();
    let mut above = Vec::new();
    for line in file.text.lines().map(str::trim) {
        if line.starts_with("///") {
            above.extend(ids(line));
        } else if is_test(line) {
            covered.append(&mut above);
        } else if !line.starts_with("#[") {
            above.clear();
        }
    }
    covered
}

fn is_test(line: &str) -> bool {
    ["#[test]", "#[tokio::test]", "#[tokio::test("]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Findings where the list and the tests disagree.
fn coverage(
    contract: &Contract,
    waiting: &BTreeSet<&str>,
    covered: &BTreeSet<&str>,
) -> Vec<String> {
    let rules: BTreeSet<&str> = contract.rules().collect();
    let bare = rules
        .iter()
        .filter(|id| !covered.contains(*id) && !waiting.contains(*id));
    let tested = waiting.iter().filter(|id| covered.contains(*id));
    let gone = waiting.iter().filter(|id| !rules.contains(*id));
    [
        capped(bare.map(|id| format!("{CONTRACT}: {id} has no test; name it above one"))),
        capped(
            tested.map(|id| {
                format!("{RULES_WITHOUT_TEST}: {id} has a test; remove it from the list")
            }),
        ),
        capped(
            gone.map(|id| {
                format!("{RULES_WITHOUT_TEST}: {id} is no rule; remove it from the list")
            }),
        ),
    ]
    .concat()
}

fn capped(findings: impl Iterator<Item = String>) -> Vec<String> {
    let mut findings: Vec<String> = findings.collect();
    let rest = findings.split_off(findings.len().min(SHOWN));
    findings.extend((!rest.is_empty()).then(|| format!("… and {} more like these", rest.len())));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    const RULES: &str = "**R1.1** One.\n**R1.2** Two.\n";

    fn test_of(docs: &str) -> File {
        file(
            "core/tests/a.rs",
            &format!("{docs}\n#[test]\nfn a() {{}}\n"),
        )
    }

    #[test]
    fn tested_rules_pass() {
        let tests = [
            test_of("/// R1.1 one."),
            test_of("/// R1.2: two.\n#[cfg(unix)]"),
        ];
        assert!(check(RULES, "", &tests).is_empty());
    }

    #[test]
    fn a_rule_without_test_is_found() {
        let findings = check(RULES, "", &[test_of("/// R1.2 two.")]);
        assert_eq!(
            findings,
            ["docs/contract.md: R1.1 has no test; name it above one"]
        );
    }

    #[test]
    fn a_rule_may_wait_for_its_test() {
        assert!(check(RULES, "R1.1\n\n", &[test_of("/// R1.2 two.")]).is_empty());
    }

    #[test]
    fn a_tested_rule_does_not_wait() {
        let findings = check(RULES, "R1.1\nR1.2\n", &[test_of("/// R1.2 two.")]);
        assert_eq!(
            findings,
            ["xtask/rules-without-test.txt: R1.2 has a test; remove it from the list"]
        );
    }

    #[test]
    fn the_list_names_rules_only() {
        let findings = check(RULES, "R1.1\nR1.2\nR1.3\n", &[]);
        assert_eq!(
            findings,
            ["xtask/rules-without-test.txt: R1.3 is no rule; remove it from the list"]
        );
    }

    #[test]
    fn docs_of_other_items_cover_nothing() {
        let helper = file("a.rs", "/// R1.1 one.\nfn a() {}\n#[test]\nfn b() {}\n");
        assert_eq!(check(RULES, "R1.2", &[helper]).len(), 1);
    }

    #[test]
    fn the_list_of_the_testkits_rules_covers_what_it_names() {
        let line = "\"R1.1\" a_job_has_a_target;\n";
        let listed = file("batch-testkit/src/catalog.rs", line);
        let helper = file("batch-testkit/src/rules/submit.rs", "/// R1.2 two.\n");
        assert!(check(RULES, "R1.2", &[listed, helper]).is_empty());
    }

    #[test]
    fn unknown_ids_in_comments_are_found() {
        let files = [
            file("a.rs", "fn a() {} // R1.1, R7\nlet x = \"R8\";\n"),
            file("b.sql", "SELECT 1 -- R1.9\n"),
            file("c.lua", "-- S3\n"),
        ];
        let findings = check(RULES, "R1.1\nR1.2", &files);
        let expected = ["a.rs:1: R7", "b.sql:1: R1.9", "c.lua:1: S3"];
        assert_eq!(
            findings,
            expected.map(|start| format!("{start} is not in docs/contract.md"))
        );
    }

    #[test]
    fn a_long_list_is_cut() {
        let findings = capped((0..SHOWN + 2).map(|number| number.to_string()));
        assert_eq!(findings.len(), SHOWN + 1);
        assert_eq!(findings[SHOWN], "… and 2 more like these");
    }
}
