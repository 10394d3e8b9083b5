//! A broken rule: its id, why it matters, what the model expected, what the store said.
//!
//! The sentences say why a rule is there; what it demands is in `docs/contract.md`.

use std::fmt;

/// An observation that no store may make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The id of the broken rule.
    pub rule: &'static str,
    /// The call and the reply that it should have had.
    pub expected: String,
    /// What was observed.
    pub observed: String,
}

impl Breach {
    /// A breach of `rule`.
    pub fn new(
        rule: &'static str,
        expected: impl Into<String>,
        observed: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            expected: expected.into(),
            observed: observed.into(),
        }
    }

    /// Why the rule is there, in one sentence.
    pub fn why(&self) -> &'static str {
        why(self.rule)
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: expected {}, observed {}",
            self.rule, self.expected, self.observed
        )
    }
}

/// Why each rule that the model judges is there.
const REASONS: &[(&str, &str)] = &[
    (
        "R8.1",
        "a panic in a store takes down everything that uses it",
    ),
    (
        "R1.3",
        "the same request must not be worked on twice while its answer is still good",
    ),
    ("R1.4", "a cap that leaks lets one caller starve the others"),
    (
        "R1.5",
        "a client's key must never hand out the answer to another question",
    ),
    (
        "R1.7",
        "a job bound to a dead session would wait for a runner that never comes",
    ),
    (
        "R1.10",
        "half a list must never become a job, and a long one must not cost a long step",
    ),
    (
        "R2.1",
        "a start takes its job out of its place and marks it as running in the same step",
    ),
    (
        "R2.2",
        "width bounds the load that one job puts on what it fetches",
    ),
    (
        "R2.5",
        "a job that waits for a due time must neither start early nor be forgotten",
    ),
    (
        "R2.7",
        "one call for a finish and a take must mean what two calls mean",
    ),
    (
        "R3.2",
        "tries and first-busy times must survive restarts, or a busy target is tried for ever",
    ),
    ("R3.3", "an outcome is what the fetch said, byte for byte"),
    (
        "R4.1",
        "the step that stores the last outcome ends the job, and every count is kept in its step",
    ),
    ("R5.1", "whoever cancels must be able to rely on the answer"),
    ("R6.1", "what was stored is what is shown"),
    ("R6.2", "a page must fit the memory of whoever asked for it"),
    (
        "R6.3",
        "a reader must be able to tell a short list from a cut one",
    ),
    ("R6.4", "caring for a job keeps it, and never revives it"),
    (
        "R9.1",
        "two runners may both believe that they hold a target; only the newest start may speak for it",
    ),
    (
        "R9.2",
        "a beat and the list of held starts are how a runner shows life and finds lost starts",
    ),
    (
        "R9.3",
        "a session whose beat moved is alive and must not lose its work",
    ),
    (
        "R9.4",
        "what a dead session held must be free for others, and the session must learn that it is dead",
    ),
    (
        "R9.5",
        "a target that kills every runner must not be tried for ever",
    ),
    ("R9.6", "a job that nobody can run must end and say why"),
    (
        "R10.2",
        "what a runner cannot finish must be free for another",
    ),
    (
        "R12.3",
        "a rerun must be found from its origin, and its targets from their first index",
    ),
    ("R14.1", "a halting job starts nothing more"),
    (
        "R14.2",
        "a halting job ends as soon as nothing of it is in flight",
    ),
    (
        "S1.2",
        "bounded steps must add up to the whole, and come to an end",
    ),
    (
        "S2.1",
        "a lost reply of a submit must not make a second job",
    ),
    ("S2.2", "a lost reply of a take must not lose a target"),
    (
        "S2.3",
        "a lost reply of a finish must not look like a lost outcome",
    ),
    (
        "S2.4",
        "a lost reply of a busy or handed-back answer must not park a later start",
    ),
    (
        "S2.5",
        "a lost reply of a cancel must not look like another's cancel",
    ),
    ("S3.2", "caps are only as good as the live counts"),
    (
        "S4.1",
        "the sequence orders jobs of one millisecond for good",
    ),
    ("S4.2", "fairness is the order of the rotation"),
    (
        "S4.3",
        "a start out of turn breaks width, pin or due time for good",
    ),
    ("S4.4", "nothing starts of a job that is over"),
    (
        "S5.1",
        "an outcome for a target that does not exist is an error of the runner",
    ),
    (
        "S5.2",
        "a start that is no longer current must not touch the target",
    ),
    ("S5.3", "a stored outcome never changes"),
    (
        "S6.1",
        "a job is there until its ttl is over, to the millisecond",
    ),
    ("S6.3", "a live job that nobody cares for ends and says so"),
    ("S6.4", "what is in flight still has an outcome to store"),
    (
        "S7.1",
        "eviction keeps the newest answers within the budget",
    ),
    ("S7.3", "an evicted job is still known by its row"),
    ("S8.3", "pages must add up to what is there, each row once"),
    ("S9.1", "what is stored comes back as it was given"),
    (
        "S12.1",
        "an error must be of the kind that tells a client what to do",
    ),
    (
        "S13.1",
        "counters move in the step that changes what they count",
    ),
    ("S13.2", "counters that do not add up explain nothing"),
    ("S13.3", "kinds that nobody uses must not pile up"),
];

fn why(rule: &str) -> &'static str {
    REASONS
        .iter()
        .find(|(id, _)| *id == rule)
        .map_or("see the contract", |(_, why)| why)
}
