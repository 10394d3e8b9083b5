//! Reads the rules of `docs/contract.md`.
//!
//! A rule is a line that begins with its id in bold.

use std::collections::BTreeSet;

use super::ids::ids;

/// The ids of all rules.
#[derive(Debug, Default)]
pub(super) struct Contract {
    rules: BTreeSet<String>,
}

impl Contract {
    /// Reads the rules, and lists ids that two rules claim.
    pub(super) fn read(text: &str) -> (Self, Vec<String>) {
        let mut contract = Self::default();
        let claimed = text.lines().filter_map(rule);
        let twice = claimed.filter(|id| !contract.rules.insert((*id).to_owned()));
        let twice = twice.map(str::to_owned).collect();
        (contract, twice)
    }

    /// Whether an id names a rule, or the group of some rule.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.rules.contains(id) || self.rules.iter().any(|rule| group(rule) == id)
    }

    pub(super) fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(String::as_str)
    }
}

/// The id that a line states a rule for.
fn rule(line: &str) -> Option<&str> {
    let (bold, _) = line.strip_prefix("**")?.split_once("**")?;
    ids(bold).into_iter().find(|id| *id == bold)
}

fn group(rule: &str) -> &str {
    rule.split('.').next().unwrap_or(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# R7 Title\n\n**R1.1** No.\nSee **R9.9**.\n**S2** Yes.\n**Note** R8.\n";

    #[test]
    fn a_rule_is_a_line_that_begins_with_its_id() {
        let (contract, twice) = Contract::read(TEXT);
        assert_eq!(contract.rules().collect::<Vec<_>>(), ["R1.1", "S2"]);
        assert!(twice.is_empty());
    }

    #[test]
    fn rules_and_their_groups_are_known() {
        let (contract, _) = Contract::read(TEXT);
        assert!(contract.knows("R1.1") && contract.knows("R1") && contract.knows("S2"));
        assert!(!contract.knows("R1.2") && !contract.knows("R7") && !contract.knows("S2.1"));
    }

    #[test]
    fn an_id_is_given_once() {
        let (_, twice) = Contract::read("**R1.1** No.\n**R1.1** Yes.\n");
        assert_eq!(twice, ["R1.1"]);
    }
}
