//! The one thread that writes: steps that wait together share one flush.
//!
//! Each step is one batch of its own, which sled applies whole or not at all, so that
//! one that fails takes no other with it (S1). Nobody is answered before the flush.
//! What a step does is not decided here.

use async_channel::Receiver;
use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use sled::{Db, Tree};
use tokio::sync::oneshot;

use crate::engine::{Engine, caught, discard};
use crate::error::{error, unknown};
use crate::room::{Room, cost};
use crate::step::Step;

/// Steps that share one flush at most.
const GROUP: usize = 256;

/// A step that waits for the writer.
pub(crate) struct Task {
    run: Run,
    /// Bytes of data that it brings; `None` for one that needs no room of its own.
    brings: Option<u64>,
    after: After,
}

/// What follows a step that changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    /// Nothing.
    Nothing,
    /// Idle runners are woken: a job may be takeable now (R2.6).
    Wake,
}

/// Runs a step on the tree, or on nothing where it cannot be opened.
type Run = Box<dyn FnOnce(StoreResult<&Tree>) -> Ran + Send>;

/// Answers whoever waits; the failure is that of the flush, if it failed.
type Answer = Box<dyn FnOnce(Option<&StoreError>) + Send>;

/// A step that was run, and not answered yet.
pub(crate) struct Ran {
    state: State,
    /// Answers whoever waits, if anybody does.
    answer: Answer,
}

/// What a step did to the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unchanged,
    Changed,
    /// Nobody knows; the database is of no use any more.
    Broken,
}

/// A step that does `act`, whose result goes to `reply`.
pub(crate) fn task<T: Send + 'static>(
    act: impl FnOnce(&mut Step<'_>) -> StoreResult<T> + Send + 'static,
    brings: Option<u64>,
    after: After,
    reply: oneshot::Sender<StoreResult<T>>,
) -> Task {
    let run = Box::new(move |tree: StoreResult<&Tree>| {
        let (result, state) = match tree {
            Ok(tree) => run(tree, act),
            Err(cause) => (Err(cause), State::Unchanged),
        };
        let answer = move |failure: Option<&StoreError>| {
            let answer = match failure {
                Some(failure) if result.is_ok() => Err(failure.clone()),
                _ => result,
            };
            // A caller that went away has nobody to tell; the step is applied all the same.
            let _ = reply.send(answer);
        };
        Ran {
            state,
            answer: Box::new(answer),
        }
    });
    Task { run, brings, after }
}

fn run<T>(
    tree: &Tree,
    act: impl FnOnce(&mut Step<'_>) -> StoreResult<T>,
) -> (StoreResult<T>, State) {
    let mut step = Step::new(tree);
    let result = caught(StoreErrorKind::Corrupt, || act(&mut step));
    let batch = step.into_batch().filter(|_| result.is_ok());
    let Some(batch) = batch else {
        return (result, State::Unchanged);
    };
    let applied = caught(StoreErrorKind::Unknown, || {
        tree.apply_batch(batch).map_err(unknown)
    });
    match applied {
        Ok(()) => (result, State::Changed),
        Err(cause) => (Err(cause), State::Broken),
    }
}

/// Serves steps until the channel is closed and drained; `wake` follows each group with a
/// step after which runners are woken.
pub(crate) fn serve(engine: &Engine, room: &Room, tasks: &Receiver<Task>, wake: impl Fn()) {
    while let Ok(first) = tasks.recv_blocking() {
        let mut group = vec![first];
        while group.len() < GROUP
            && let Ok(task) = tasks.try_recv()
        {
            group.push(task);
        }
        let group = refuse_what_has_no_room(room, group);
        if serve_group(engine, group) == After::Wake {
            wake();
        }
    }
}

/// A step that brings data is refused while what frees still has room (B40).
fn refuse_what_has_no_room(room: &Room, group: Vec<Task>) -> Vec<Task> {
    if group.iter().all(|task| task.brings.is_none()) {
        return group;
    }
    let mut budget = room.budget();
    let mut kept = Vec::with_capacity(group.len());
    for task in group {
        match task.brings.map(cost) {
            Some(cost) if cost > budget => refuse(task),
            cost => {
                budget -= cost.unwrap_or(0);
                kept.push(task);
            }
        }
    }
    kept
}

fn refuse(task: Task) {
    let reason = "no room is left on the disk; free some, or sweep";
    let ran = (task.run)(Err(error(StoreErrorKind::Full, reason)));
    (ran.answer)(None);
}

/// Runs, flushes and answers. Readers wait meanwhile, so that nobody sees what could still
/// be lost.
fn serve_group(engine: &Engine, group: Vec<Task>) -> After {
    let afters: Vec<_> = group.iter().map(|task| task.after).collect();
    let mut db = engine.write();
    let (ran, ended) = match engine.revived(&mut db) {
        Ok(open) => {
            let ran: Vec<_> = group.into_iter().map(|task| (task.run)(Ok(open))).collect();
            let ended = make_durable(open, &ran);
            (ran, ended)
        }
        Err(cause) => {
            let refuse = |task: Task| (task.run)(Err(cause.clone()));
            (group.into_iter().map(refuse).collect(), Ok(()))
        }
    };
    if ended.is_err() || ran.iter().any(|ran| ran.state == State::Broken) {
        discard(&mut db);
    }
    drop(db);
    let wakes = ran.iter().zip(afters);
    let wakes = wakes
        .filter(|(ran, _)| ran.state == State::Changed)
        .any(|(_, after)| after == After::Wake);
    for ran in ran {
        (ran.answer)(ended.as_ref().err());
    }
    if wakes { After::Wake } else { After::Nothing }
}

/// Steps that changed nothing have nothing to flush.
fn make_durable(db: &Db, ran: &[Ran]) -> StoreResult<()> {
    if ran.iter().all(|ran| ran.state == State::Unchanged) {
        return Ok(());
    }
    caught(StoreErrorKind::Unknown, || {
        db.flush().map(drop).map_err(unknown)
    })
}
