//! Reads everything that a store shows, and judges each read by the model.

use std::collections::{BTreeMap, BTreeSet};

use batch_core::id::{JobId, Kind};
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::query::{
    JobFilter, JobOrder, JobQuery, StatsQuery, TargetOrder, TargetQuery,
};
use batch_core::store::reply::Stats;
use batch_core::store::view::{Job, Target};

use super::drive::drive;
use super::names;
use super::world::{FEW, JOBS, World};
use crate::model::{Breach, Call, Listing, Model, Reply, TargetRows};

/// Everything that the store's own rows say, for a recount.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) jobs: Vec<Job>,
    pub(super) targets: BTreeMap<JobId, Vec<Target>>,
    pub(super) stats: BTreeMap<Kind, Stats>,
    /// Whose live jobs the stats count besides.
    pub(super) caller: String,
}

/// How much is read after a step: everything in turn, the jobs in `near` each time.
#[derive(Debug)]
pub(super) enum Scope {
    /// Everything.
    All,
    /// What the step may have changed, and one more job in turn.
    Near(BTreeSet<JobId>),
}

impl Scope {
    fn jobs(&self, step: usize) -> Vec<JobId> {
        let all = World::job_ids();
        let in_turn = step % usize::from(JOBS);
        match self {
            Self::All => all.collect(),
            Self::Near(near) => all
                .enumerate()
                .filter(|(number, id)| *number == in_turn || near.contains(id))
                .map(|(_, id)| id)
                .collect(),
        }
    }

    fn keys(&self, world: &World, step: usize) -> Vec<Call> {
        let keys = world.keys();
        let in_turn = step.checked_rem(keys.len()).unwrap_or(0);
        let chosen = keys
            .into_iter()
            .enumerate()
            .filter(|(number, _)| match self {
                Self::All => true,
                Self::Near(_) => *number == in_turn,
            });
        chosen
            .map(|(_, (kind, caller, key))| Call::Job(JobQuery::Key { kind, caller, key }))
            .collect()
    }
}

/// Lists, counts and sessions, and the targets of the jobs in scope, in pages whose size
/// changes from step to step.
pub(super) async fn observe(
    store: &dyn Store,
    model: &mut Model,
    world: &World,
    (step, scope): (usize, Scope),
) -> Result<Seen, Breach> {
    let turn = u8::try_from(step % 12).unwrap_or(0);
    let caller = names::caller(turn % FEW).name;
    let mut seen = Seen {
        caller: caller.clone(),
        ..Seen::default()
    };
    let reads = common(turn, &caller).into_iter();
    let reads = reads.chain(per_kind(turn, &caller));
    let jobs = scope.jobs(step).into_iter().flat_map(per_job(turn));
    for call in reads.chain(jobs).chain(scope.keys(world, step)) {
        let reply = drive(store, &call).await?;
        model.step(&call, &reply)?;
        seen.keep(&call, reply);
    }
    Ok(seen)
}

fn page(turn: u8) -> u32 {
    match turn % 3 {
        0 => 100,
        rows => u32::from(rows),
    }
}

/// Sessions, kinds, and the jobs by sequence: all, and one filter in turn.
fn common(turn: u8, caller: &str) -> Vec<Call> {
    let max = page(turn);
    let filter = match turn % 4 {
        0 => JobFilter {
            caller: Some(caller.to_owned()),
            ..JobFilter::default()
        },
        1 => JobFilter {
            kind: Some(names::kind(turn)),
            ..JobFilter::default()
        },
        _ => JobFilter {
            status: JobStatus::ALL.into_iter().nth(usize::from(turn / 2)),
            ..JobFilter::default()
        },
    };
    let list = |filter| {
        Call::List(Listing {
            filter,
            order: JobOrder::Sequence,
            max,
        })
    };
    vec![
        Call::Sessions(max),
        Call::Kinds(max),
        list(JobFilter::default()),
        list(filter),
    ]
}

/// Rotation and counts of each kind.
fn per_kind(turn: u8, caller: &str) -> Vec<Call> {
    let of = |number| {
        let kind = names::kind(number);
        let rotation = Listing {
            filter: JobFilter {
                kind: Some(kind.clone()),
                ..JobFilter::default()
            },
            order: JobOrder::Rotation,
            max: page(turn),
        };
        let stats = StatsQuery {
            kind,
            caller: Some(caller.to_owned()),
        };
        [Call::List(rotation), Call::Stats(stats)]
    };
    (0..FEW).flat_map(of).collect()
}

/// The job, and its targets in both orders; now and then from the second one on.
fn per_job(turn: u8) -> impl Fn(JobId) -> [Call; 3] {
    move |id| {
        let targets = |order, from| {
            Call::Targets(TargetQuery {
                id: id.clone(),
                order,
                from,
                max: page(turn),
            })
        };
        [
            Call::Job(JobQuery::Id(id.clone())),
            targets(TargetOrder::Index, 0),
            targets(TargetOrder::Stored, u64::from(turn % 2)),
        ]
    }
}

impl Seen {
    fn keep(&mut self, call: &Call, reply: Reply) {
        match (call, reply) {
            (Call::List(listing), Reply::List(jobs)) if listing.filter == JobFilter::default() => {
                self.jobs = jobs;
            }
            (Call::Targets(query), Reply::Targets(TargetRows::Found(rows)))
                if query.order == TargetOrder::Index =>
            {
                self.targets.insert(query.id.clone(), rows);
            }
            (Call::Stats(query), Reply::Stats(stats)) => {
                self.stats.insert(query.kind.clone(), stats);
            }
            _ => {}
        }
    }
}
