//! Runs one program on a new store and stops at the first broken rule.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use batch_core::store::Store;
use tokio::runtime::Runtime;

use super::drive::drive;
use super::observe::{Scope, observe};
use super::program::{Op, StopOf};
use super::recount::recount;
use super::world::World;
use crate::backend::{Backend, Setup, Stop};
use crate::model::{Breach, Call, Model, Reply};
use crate::site::Site;

/// Where programs run: a backend and a thread of its own.
pub(super) struct Bench<'a> {
    backend: &'a dyn Backend,
    runtime: Runtime,
    reopens: bool,
}

/// How a run ended.
#[derive(Debug)]
pub(super) struct Run {
    /// The calls in words, with their replies.
    pub(super) lines: Vec<String>,
    /// How often each reply was seen.
    pub(super) replies: BTreeMap<String, u64>,
    /// The rule that broke in the last line.
    pub(super) breach: Option<Breach>,
}

impl<'a> Bench<'a> {
    /// Asks the backend once whether it can reopen a store.
    pub(super) fn new(backend: &'a dyn Backend) -> Setup<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let site = Site::new()?;
        let reopens = runtime.block_on(async {
            drop(backend.create(&site).await?);
            Setup::Ok(backend.reopen(&site, Stop::Drop).await?.is_some())
        })?;
        Ok(Self {
            backend,
            runtime,
            reopens,
        })
    }

    pub(super) fn backend(&self) -> &str {
        self.backend.name()
    }

    /// Runs the program; an error is the kit's trouble.
    pub(super) fn run(&self, program: &[Op]) -> Setup<Run> {
        let site = Site::new()?;
        let mut case = Case {
            store: Some(self.runtime.block_on(self.backend.create(&site))?),
            model: Model::new(),
            world: World::new(),
            run: Run {
                lines: Vec::new(),
                replies: BTreeMap::new(),
                breach: None,
            },
        };
        for (number, op) in program.iter().enumerate() {
            self.guarded(&mut case, async |case| match op {
                Op::Reopen { stop } => self.reopen(case, &site, *stop).await,
                _ => Ok(case.step(op, number).await),
            })?;
            if case.run.breach.is_some() {
                return Ok(case.run);
            }
        }
        self.guarded(&mut case, async |case| Ok(case.look(0, Scope::All).await))?;
        Ok(case.run)
    }

    /// Does one thing to the case, and keeps the rule that broke; R8.1: a panic is one.
    fn guarded(
        &self,
        case: &mut Case,
        act: impl AsyncFnOnce(&mut Case) -> Setup<Result<(), Breach>>,
    ) -> Setup<()> {
        let act = AssertUnwindSafe(|| self.runtime.block_on(act(case)));
        let judged = catch_unwind(act).unwrap_or_else(|_| {
            let observed = "a panic in the call of this step, or in a read after it";
            Ok(Err(Breach::new("R8.1", "no panic", observed)))
        });
        case.run.breach = judged?.err();
        Ok(())
    }

    async fn reopen(
        &self,
        case: &mut Case,
        site: &Site,
        stop: StopOf,
    ) -> Setup<Result<(), Breach>> {
        if !self.reopens {
            return Ok(Ok(()));
        }
        let store = case.store.take();
        let how = match stop {
            StopOf::Drop => Stop::Drop,
            StopOf::Close => Stop::Close,
        };
        if let (Some(store), Stop::Close) = (&store, how) {
            store.close().await?;
        }
        drop(store);
        case.store = self.backend.reopen(site, how).await?;
        case.run.lines.push(format!("reopen after {stop:?}"));
        Ok(case.look(0, Scope::All).await)
    }
}

struct Case {
    store: Option<Arc<dyn Store>>,
    model: Model,
    world: World,
    run: Run,
}

impl Case {
    async fn step(&mut self, op: &Op, number: usize) -> Result<(), Breach> {
        let Some(call) = self.world.resolve(op, &self.model) else {
            if let Op::Wait { millis } = op {
                self.run.lines.push(format!("wait {millis} ms"));
            }
            return Ok(());
        };
        let Some(store) = self.store.clone() else {
            return Ok(());
        };
        self.run.lines.push(super::words::call(&call));
        let reply = drive(&*store, &call).await?;
        self.note(&call, &reply);
        let before = self.model.clone();
        self.model.step(&call, &reply)?;
        self.world.learn(&call, &reply, &before);
        let changed = self.model.changed_since(&before).chain(call.job());
        let near = Scope::Near(changed.cloned().collect());
        self.look(number, near).await
    }

    /// The reads in scope, and a recount of what they showed.
    async fn look(&mut self, number: usize, scope: Scope) -> Result<(), Breach> {
        let Some(store) = self.store.clone() else {
            return Ok(());
        };
        let seen = observe(&*store, &mut self.model, &self.world, (number, scope)).await?;
        recount(&seen)
    }

    fn note(&mut self, call: &Call, reply: &Reply) {
        let words = super::words::reply(reply);
        if let Some(line) = self.run.lines.last_mut() {
            line.push_str(" → ");
            line.push_str(&words);
        }
        let name = words.split([' ', '(', '{']).next().unwrap_or_default();
        let seen = format!("{} {name}", call.name());
        *self.run.replies.entry(seen).or_default() += 1;
    }
}
