//! Programs: short lists of symbolic operations over a small world.
//!
//! Nothing in a program is an id of a run: jobs and sessions are numbers, starts are
//! named by how they came about. `world.rs` turns each operation into a call.

use serde::{Deserialize, Serialize};

/// A program with the rule that it once broke, as it is kept in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Version of this format.
    pub version: u32,
    /// The rule that it broke.
    pub rule: String,
    /// The seed that found it.
    pub seed: u64,
    /// Its steps.
    pub steps: Vec<Op>,
}

/// The version of the format that this crate writes and reads.
pub const VERSION: u32 = 1;

/// One symbolic operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// A session enters for a kind.
    Enter {
        /// Which session.
        slot: u8,
        /// Which kind.
        kind: u8,
    },
    /// A session renews.
    Renew {
        /// Which session.
        slot: u8,
    },
    /// A job is submitted.
    Submit(NewJob),
    /// A chunk of a staged job is brought in.
    Stage {
        /// Which job; only some are staged.
        job: u8,
        /// Which session.
        slot: u8,
        /// Which chunk.
        part: Part,
    },
    /// A session takes.
    Take {
        /// Which session.
        slot: u8,
        /// Under which ticket.
        ticket: TicketOf,
    },
    /// A start is answered.
    Finish {
        /// Which start.
        start: StartOf,
        /// How.
        answer: AnswerOf,
    },
    /// A start is answered and its session takes.
    Turn {
        /// Which start.
        start: StartOf,
        /// How.
        answer: AnswerOf,
        /// Under which ticket the session takes.
        ticket: TicketOf,
    },
    /// A job is cancelled.
    Cancel {
        /// Which job.
        job: u8,
        /// Number of the request.
        request: u8,
    },
    /// A job is touched.
    Touch {
        /// Which job.
        job: u8,
    },
    /// A session is reaped.
    Reap {
        /// Which session.
        slot: u8,
        /// At which beat.
        beat: BeatOf,
        /// Size of a step.
        max: u8,
    },
    /// What is over is swept.
    Sweep {
        /// Size of a step.
        max: u8,
    },
    /// A kind is brought under its budget.
    Evict {
        /// Which kind.
        kind: u8,
        /// How many bytes it may keep.
        budget: u16,
        /// Size of a step.
        max: u8,
    },
    /// Time passes, or goes back.
    Wait {
        /// By how much.
        millis: i64,
    },
    /// An earlier call is sent again.
    Resend {
        /// Which sort of call.
        what: Sent,
        /// How many such calls ago it was sent, from 0.
        back: u8,
        /// At which time.
        clock: ClockOf,
    },
    /// The store is reopened, if the backend offers it.
    Reopen {
        /// How it went away.
        stop: StopOf,
    },
}

/// The symbolic part of a submit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewJob {
    /// Its number.
    pub job: u8,
    /// Which kind; that of the session for a pinned job.
    pub kind: u8,
    /// Which caller.
    pub caller: u8,
    /// Which targets; decides their number too.
    pub content: u8,
    /// Under which key.
    pub key: KeyOf,
    /// Whether an earlier job will do.
    pub reuse: ReuseOf,
    /// The session that it is pinned to.
    pub pin: Option<u8>,
    /// How many targets may be open.
    pub width: u8,
    /// When it halts.
    pub halt: HaltOf,
    /// Its ttl.
    pub ttl: u16,
    /// After how many losses a target is given up.
    pub losses: u8,
    /// The caps: targets of a job, jobs of a caller, jobs of a kind.
    pub caps: [u8; 3],
    /// Where the targets are, for the jobs that are staged.
    pub staged: StagedOf,
}

/// Under which key a job is submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyOf {
    /// The one of its content.
    Content,
    /// One of the client's.
    Client(u8),
    /// That of a rerun of this job.
    Rerun(u8),
}

/// Whether an earlier job will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReuseOf {
    /// It will.
    Allowed,
    /// It will not.
    Fresh,
}

/// When a job halts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HaltOf {
    /// Never.
    Never,
    /// After so many failures.
    Failures(u8),
    /// At such a share of failures.
    Percent(u8),
}

/// Where the targets of a staged job are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StagedOf {
    /// With the client.
    NotYet,
    /// In the store.
    Staged,
}

/// Which chunk of a staged job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Its first target.
    Head,
    /// All others.
    Tail,
    /// All of it.
    Whole,
}

/// Under which ticket a session takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TicketOf {
    /// A new one.
    New,
    /// One that it used so many takes ago.
    Again(u8),
}

/// Which start is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartOf {
    /// One of those that are running.
    Running(u8),
    /// The first of the run.
    First,
    /// The one so many starts ago.
    Back(u8),
    /// The one so many starts ago, but by another session.
    Foreign(u8),
    /// The one so many starts ago, under the next fence.
    NextFence(u8),
    /// The one so many starts ago, with an index outside its job.
    Outside(u8),
}

/// How a start is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOf {
    /// Done, with one of several results.
    Done(u8),
    /// Failed, with one of several errors.
    Failed(u8),
    /// Busy for so many milliseconds.
    Busy(u16),
    /// Handed back.
    HandBack,
    /// Refused.
    Refuse,
}

/// At which beat a session is reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BeatOf {
    /// Its beat.
    Seen,
    /// The beat before.
    Older,
}

/// Which sort of call is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sent {
    /// Any.
    Any,
    /// A submit.
    Submit,
    /// A take.
    Take,
    /// A finish.
    Finish,
    /// A turn.
    Turn,
    /// A cancel.
    Cancel,
}

/// At which time a call is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClockOf {
    /// That of the first sending.
    Then,
    /// Now.
    Now,
}

/// How a store goes away before it is reopened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopOf {
    /// It is closed.
    Close,
    /// Its handle is dropped.
    Drop,
}
