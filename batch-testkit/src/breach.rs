//! Why a rule did not pass, and the few checks that rules are made of.
//!
//! A broken rule is a value, not a panic: it says what was expected, what was
//! observed and where, and the suite adds the rule's id.

use std::fmt;
use std::panic::Location;

use batch_core::store::error::StoreError;

/// What a rule answers: what it learned, or why it did not pass.
pub type Verdict<T = ()> = Result<T, Failure>;

/// Why a rule did not pass.
#[derive(Debug)]
pub enum Failure {
    /// The store broke a rule.
    Broken(Box<Breach>),
    /// The store or its backend does not offer what the rule is about.
    NotOffered(String),
    /// The kit could not do its part.
    Harness(String),
}

/// A broken rule.
#[derive(Debug)]
pub struct Breach {
    /// The id of the rule when it is not the one under test.
    pub rule: Option<&'static str>,
    /// What the contract says.
    pub expected: String,
    /// What the store did.
    pub observed: String,
    /// Where the suite looked.
    pub at: &'static Location<'static>,
}

impl Failure {
    /// A breach of the rule under test.
    #[track_caller]
    pub fn broken(expected: impl Into<String>, observed: impl Into<String>) -> Self {
        Self::Broken(Box::new(Breach {
            rule: None,
            expected: expected.into(),
            observed: observed.into(),
            at: Location::caller(),
        }))
    }

    /// The same failure, as a breach of `rule`.
    #[must_use]
    pub fn of(mut self, rule: &'static str) -> Self {
        if let Self::Broken(breach) = &mut self {
            breach.rule = breach.rule.or(Some(rule));
        }
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(breach) => breach.fmt(f),
            Self::NotOffered(what) => write!(f, "not offered: {what}"),
            Self::Harness(why) => write!(f, "harness error: {why}"),
        }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(rule) = self.rule {
            writeln!(f, "  breaks    {rule}")?;
        }
        writeln!(f, "  expected  {}", self.expected)?;
        writeln!(f, "  observed  {}", self.observed)?;
        write!(f, "  at        {}", self.at)
    }
}

impl From<Box<dyn std::error::Error + Send + Sync>> for Failure {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::Harness(error.to_string())
    }
}

impl From<StoreError> for Failure {
    #[track_caller]
    fn from(error: StoreError) -> Self {
        Self::broken("an answer", format!("the error {error}"))
    }
}

/// Holds what was observed against what the contract says.
#[allow(
    clippy::needless_pass_by_value,
    reason = "a rule compares values, and reads better without borrows"
)]
#[track_caller]
pub fn same<T: PartialEq + fmt::Debug>(observed: T, expected: T) -> Verdict {
    if observed == expected {
        return Ok(());
    }
    Err(Failure::broken(
        format!("{expected:?}"),
        format!("{observed:?}"),
    ))
}

/// Asks for `what` to be true.
#[track_caller]
pub fn holds(truth: bool, what: &str) -> Verdict {
    if truth {
        return Ok(());
    }
    Err(Failure::broken(what, "it is not so"))
}

/// The value that must be there.
#[track_caller]
pub fn present<T>(value: Option<T>, what: &str) -> Verdict<T> {
    match value {
        Some(value) => Ok(value),
        None => Err(Failure::broken(what, "it is missing")),
    }
}

/// A reply of another variant than the one that the contract says.
#[track_caller]
pub fn unlike<T>(observed: &impl fmt::Debug, expected: &str) -> Verdict<T> {
    Err(Failure::broken(expected, format!("{observed:?}")))
}
