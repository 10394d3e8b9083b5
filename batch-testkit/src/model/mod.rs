//! The reference model of a store: what each call must answer, from the rules alone.
//!
//! It is plain data without I/O and clock, and it shares no code with the decisions of
//! `batch_core::decide`: a mistake in one must not hide in the other. A file per group of
//! operations; each function names the rules that it states.

mod breach;
mod call;
mod cancel;
mod ending;
mod finish;
mod judge;
mod place;
mod reads;
mod reap;
mod retain;
mod row;
mod sessions;
mod stage;
mod submit;
mod take;

use std::collections::BTreeMap;

use batch_core::id::{JobId, Kind, SessionId};
use batch_core::store::view::Counters;

pub use breach::Breach;
pub use call::{Call, Listing, Reaped, Reply, SweptAll, TargetRows};

use row::{JobRow, KeyName, SessionRow, StageRow};

/// Everything that a store must know, as plain data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Model {
    /// The last sequence that a job was given (S4.1).
    last_seq: Option<u64>,
    /// The last position of a rotation that was given (S4.2).
    last_position: u64,
    kinds: BTreeMap<Kind, Counters>,
    jobs: BTreeMap<JobId, JobRow>,
    keys: BTreeMap<KeyName, JobId>,
    sessions: BTreeMap<SessionId, SessionRow>,
    stages: BTreeMap<JobId, StageRow>,
}

/// The reply that a call must get, and the rule that says so.
struct Verdict {
    rule: &'static str,
    /// The rule of the take in a turn.
    take_rule: Option<&'static str>,
    reply: Reply,
}

fn verdict(rule: &'static str, reply: Reply) -> Verdict {
    Verdict {
        rule,
        take_rule: None,
        reply,
    }
}

impl Model {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Judges one observation, and moves on to the state that follows.
    ///
    /// After a breach the model's state says nothing any more.
    pub fn step(&mut self, call: &Call, seen: &Reply) -> Result<(), Breach> {
        let verdict = self.predict(call, Some(seen));
        judge::compare(call, &verdict, seen)
    }

    /// Every state that a call whose reply was lost may have left.
    pub fn step_unknown(&self, call: &Call) -> Vec<Self> {
        let mut after = self.clone();
        after.predict(call, None);
        if after == *self {
            return vec![after];
        }
        vec![self.clone(), after]
    }

    fn predict(&mut self, call: &Call, seen: Option<&Reply>) -> Verdict {
        match call {
            Call::Submit(call) => self.submit(call, seen),
            Call::Stage(call) => self.stage(call, seen),
            Call::Enter(call) => self.enter(call),
            Call::Renew(call) => self.renew(call),
            Call::Reap(call) => self.reap(call),
            Call::Take(call) => self.take(call),
            Call::Finish(call) => self.finish(call),
            Call::Turn(call) => self.turn(call),
            Call::Cancel(call) => self.cancel(call),
            Call::Touch(call) => self.touch(call),
            Call::Sweep(call) => self.sweep(call),
            Call::Evict(call) => self.evict(call),
            Call::Job(query) => self.read_job(query),
            Call::Targets(query) => self.read_targets(query),
            Call::List(listing) => self.read_list(listing),
            Call::Stats(query) => self.read_stats(query),
            Call::Kinds(_) => self.read_kinds(),
            Call::Sessions(_) => self.read_sessions(),
        }
    }

    /// The counters of a kind, which has a row from now on.
    fn counters(&mut self, kind: &Kind) -> &mut Counters {
        self.kinds.entry(kind.clone()).or_default()
    }
}
