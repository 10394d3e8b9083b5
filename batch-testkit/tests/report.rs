//! The suite can fail, and its table says what broke.

use std::sync::Arc;

use batch_core::memory::MemoryStore;
use batch_core::store::Store;
use batch_testkit::fault::{Fault, FaultStore, Often, Plan};
use batch_testkit::{Backend, Judgement, Setup, Site, Stop, async_trait, judge, report, rules};

/// The memory store, with or without its touch.
struct Memory {
    plan: Option<Plan>,
}

#[async_trait]
impl Backend for Memory {
    fn name(&self) -> &'static str {
        match self.plan {
            None => "memory",
            Some(_) => "broken",
        }
    }

    async fn create(&self, _site: &Site) -> Setup<Arc<dyn Store>> {
        let store = FaultStore::new(Arc::new(MemoryStore::new()));
        self.plan.iter().for_each(|plan| store.plan(plan.clone()));
        Ok(Arc::new(store))
    }

    async fn reopen(&self, _site: &Site, _how: Stop) -> Setup<Option<Arc<dyn Store>>> {
        Ok(None)
    }
}

/// A store whose touches are applied and never answered.
fn broken() -> Memory {
    Memory {
        plan: Some(Plan {
            operation: Some("touch"),
            call: 1,
            often: Often::FromThenOn,
            fault: Fault::After,
        }),
    }
}

#[test]
fn a_table_has_a_line_per_rule_and_a_column_per_store() {
    let chosen: Vec<_> = rules()
        .into_iter()
        .filter(|rule| !rule.group.starts_with("runner_"))
        .collect();
    let lines = chosen.len();

    let table = report::run_some(chosen, &[&Memory { plan: None }, &broken()]);

    assert_eq!(table.lines().len(), lines);
    assert!(!table.passes());
    let text = table.to_string();
    let line = text
        .lines()
        .find(|line| line.contains("a touch keeps a job"));
    let words: Vec<_> = line.unwrap().split_whitespace().rev().take(2).collect();
    assert_eq!(words, ["FAIL", "pass"]);
}

#[test]
fn a_failure_names_the_rule_and_what_was_seen() {
    let all = rules();
    let rule = all
        .iter()
        .find(|rule| rule.name == "a_touch_keeps_a_job")
        .unwrap();

    let Judgement::Fail(text) = judge(&broken(), rule) else {
        panic!("the rule passed on a broken store");
    };

    assert!(
        text.starts_with("FAIL  R6.4  a touch keeps a job   store broken"),
        "{text}"
    );
    assert!(
        text.contains("expected") && text.contains("unknown"),
        "{text}"
    );
}

#[test]
fn what_is_not_offered_is_skipped_with_its_reason() {
    let all = rules();
    let rule = all
        .iter()
        .find(|rule| rule.name == "a_closed_store_opens_with_the_same_data");

    let judgement = judge(&Memory { plan: None }, rule.unwrap());

    let why = "the store does not outlive its handle".to_owned();
    assert_eq!(judgement, Judgement::Skip(why));
}
