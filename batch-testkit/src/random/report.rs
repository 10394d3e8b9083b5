//! What a check says: a report, or a failure that can be read and replayed.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use super::program::Op;
use crate::model::Breach;

/// What a check that found nothing has done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Programs that were run, kept ones included.
    pub cases: u32,
    /// Calls that were judged, reads aside.
    pub steps: u64,
    /// How often each operation got each reply.
    pub replies: BTreeMap<String, u64>,
}

impl Report {
    /// The report of one program.
    pub(super) fn of(replies: BTreeMap<String, u64>) -> Self {
        Self {
            cases: 1,
            steps: replies.values().sum(),
            replies,
        }
    }

    /// Adds what another part of the check has done.
    pub(super) fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.steps += other.steps;
        for (reply, count) in &other.replies {
            *self.replies.entry(reply.clone()).or_default() += count;
        }
    }
}

/// Why a check failed.
#[derive(Debug)]
pub enum Failure {
    /// The store broke a rule.
    Rule(Box<Counterexample>),
    /// The kit could not make a store.
    Harness(String),
}

/// A small program that breaks a rule.
#[derive(Debug)]
pub struct Counterexample {
    /// What was expected and observed.
    pub breach: Breach,
    /// The store's name.
    pub store: String,
    /// The seed of the check; 0 for a kept program.
    pub seed: u64,
    /// Which case of it, from 0.
    pub case: u32,
    /// The smallest program that was found.
    pub program: Vec<Op>,
    /// Its calls in words; the last one broke the rule.
    pub steps: Vec<String>,
    /// How many operations the first failing program had.
    pub found_with: usize,
    /// Where the program was written.
    pub file: Option<PathBuf>,
}

impl Failure {
    /// The id of the broken rule.
    pub fn rule(&self) -> Option<&'static str> {
        match self {
            Self::Rule(counterexample) => Some(counterexample.breach.rule),
            Self::Harness(_) => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(counterexample) => counterexample.fmt(f),
            Self::Harness(reason) => write!(f, "HARNESS ERROR  {reason}"),
        }
    }
}

impl std::error::Error for Failure {}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let breach = &self.breach;
        writeln!(
            f,
            "FAIL  {}  store {} · seed {} · case {}",
            breach.rule, self.store, self.seed, self.case
        )?;
        writeln!(f, "  why       {}", breach.why())?;
        writeln!(f, "  expected  {}", breach.expected)?;
        writeln!(f, "  observed  {}", breach.observed)?;
        writeln!(
            f,
            "  minimal   ({} of {} steps, shrunk twice)",
            self.program.len(),
            self.found_with
        )?;
        for (number, step) in (1..).zip(&self.steps) {
            let here = if number == self.steps.len() {
                "   ← here"
            } else {
                ""
            };
            writeln!(f, "            {number}  {step}{here}")?;
        }
        self.replay(f)
    }
}

impl Counterexample {
    fn replay(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(file) = &self.file else {
            return write!(f, "  replay    random::replay with this program");
        };
        writeln!(
            f,
            "  replay    random::replay(&backend, \"{}\"), or random::check(&backend, {}, {})",
            file.display(),
            self.case + 1,
            self.seed
        )?;
        write!(
            f,
            "  keep      copy that file into corpus/ of batch-testkit and list it in corpus.rs"
        )
    }
}
