//! One table for several stores: a line per rule, a column per store.
//!
//! It runs the same rules as `conformance!`, one after the other.

use std::fmt;

use crate::backend::Backend;
use crate::catalog::rules;
use crate::suite::{Judgement, Rule, judge};

/// What came of every rule on every store.
#[derive(Debug, Clone)]
pub struct Table {
    stores: Vec<String>,
    lines: Vec<Line>,
}

/// One rule on every store, in the order of the stores.
#[derive(Debug, Clone)]
pub struct Line {
    /// The rule.
    pub rule: Rule,
    /// What came of it.
    pub judgements: Vec<Judgement>,
}

/// Runs every rule on every backend.
pub fn run(backends: &[&dyn Backend]) -> Table {
    run_some(rules(), backends)
}

/// Runs these rules on every backend.
pub fn run_some(rules: Vec<Rule>, backends: &[&dyn Backend]) -> Table {
    let judged = |rule: Rule| Line {
        rule,
        judgements: backends
            .iter()
            .map(|backend| judge(*backend, &rule))
            .collect(),
    };
    Table {
        stores: backends.iter().map(|b| b.name().to_owned()).collect(),
        lines: rules.into_iter().map(judged).collect(),
    }
}

impl Table {
    /// One line per rule.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Whether no store breaks a rule.
    pub fn passes(&self) -> bool {
        let mut all = self.lines.iter().flat_map(|line| &line.judgements);
        !all.any(|judgement| matches!(judgement, Judgement::Fail(_)))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<16}{:<64}", "rule", "sentence")?;
        for store in &self.stores {
            write!(f, "{store:<10}")?;
        }
        writeln!(f)?;
        self.lines.iter().try_for_each(|line| write!(f, "{line}"))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = self.rule.name.replace('_', " ");
        write!(f, "{:<16}{sentence:<64}", self.rule.ids)?;
        for judgement in &self.judgements {
            let word = match judgement {
                Judgement::Pass => "pass",
                Judgement::Skip(_) => "skip",
                Judgement::Fail(_) => "FAIL",
            };
            write!(f, "{word:<10}")?;
        }
        writeln!(f)?;
        for judgement in &self.judgements {
            match judgement {
                Judgement::Pass => {}
                Judgement::Skip(why) => writeln!(f, "{:<16}{why}", "")?,
                Judgement::Fail(what) => writeln!(f, "{what}")?,
            }
        }
        Ok(())
    }
}
