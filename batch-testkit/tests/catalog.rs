//! The list of rules is the list of all rules, with the ids that their docs name.

use std::collections::BTreeSet;

use batch_testkit::rules;

/// Every rule of a source file: its name and the text of its doc comment.
fn written(source: &str) -> Vec<(&str, &str)> {
    let mut doc = "";
    let mut rules = Vec::new();
    for line in source.lines() {
        if let Some(text) = line.strip_prefix("/// ") {
            doc = text;
        } else if let Some((name, _)) = line
            .strip_prefix("pub async fn ")
            .and_then(|rest| rest.split_once('('))
        {
            rules.push((name, doc));
        }
    }
    rules
}

#[test]
fn every_rule_of_a_listed_group_is_listed_with_its_ids() {
    let listed = rules();
    let groups: BTreeSet<_> = listed.iter().map(|rule| rule.group).collect();

    for group in &groups {
        let root = env!("CARGO_MANIFEST_DIR");
        let source = std::fs::read_to_string(format!("{root}/src/rules/{group}.rs")).unwrap();
        for (name, doc) in written(&source) {
            let found = listed
                .iter()
                .find(|rule| rule.group == *group && rule.name == name);
            let rule = found.unwrap_or_else(|| panic!("{group}::{name} is not listed"));
            assert!(doc.starts_with(rule.ids), "{group}::{name} has other ids");
        }
    }
}

#[test]
fn every_group_is_listed() {
    let root = env!("CARGO_MANIFEST_DIR");
    let modules = std::fs::read_to_string(format!("{root}/src/rules/mod.rs")).unwrap();

    for line in modules.lines() {
        if let Some(group) = line.strip_prefix("pub mod ") {
            let group = group.trim_end_matches(';');
            assert!(rules().iter().any(|rule| rule.group == group), "{group}");
        }
    }
}

#[test]
fn every_name_is_a_sentence_of_its_own() {
    let mut names: Vec<_> = rules().iter().map(|rule| rule.name).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();

    assert_eq!(names.len(), all);
}
