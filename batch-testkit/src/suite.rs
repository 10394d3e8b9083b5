//! Runs one rule on one backend and says what came of it.
//!
//! Which rules there are is in `catalog.rs`; tables over many backends are in
//! `report.rs`.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::backend::{Backend, Setup};
use crate::breach::{Failure, Verdict};
use crate::case::Case;
use crate::record::record;

/// How long a rule may take; a store that never answers breaks it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running rule.
pub type Run<'a> = Pin<Box<dyn Future<Output = Verdict> + 'a>>;

/// A rule of the contract with its test.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its ids, the most telling first.
    pub ids: &'static str,
    /// The module that it is in.
    pub group: &'static str,
    /// What it says, as a sentence.
    pub name: &'static str,
    /// The test.
    pub run: for<'a, 'b> fn(&'a mut Case<'b>) -> Run<'a>,
}

/// What came of one rule on one store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// The store keeps it.
    Pass,
    /// It says nothing about this store: why.
    Skip(String),
    /// The store breaks it, or the kit could not tell: what happened.
    Fail(String),
}

/// Runs a rule as one test.
///
/// # Panics
///
/// When the store breaks the rule.
pub fn test(backend: &dyn Backend, rule: &Rule) {
    let judgement = judge(backend, rule);
    let test = format!("{}::{}", rule.group, rule.name);
    record(backend.name(), rule.ids, &test, &judgement);
    match judgement {
        Judgement::Pass => {}
        Judgement::Skip(why) => eprintln!("skip  {}  {}: {why}", rule.ids, rule.name),
        Judgement::Fail(what) => panic!("{what}"),
    }
}

/// Runs a rule on a fresh store of the backend.
pub fn judge(backend: &dyn Backend, rule: &Rule) -> Judgement {
    let attempt = || match runtime() {
        Ok(runtime) => runtime.block_on(in_time(backend, rule)),
        Err(error) => Err(error.into()),
    };
    match catch_unwind(AssertUnwindSafe(attempt)) {
        Ok(Ok(())) => Judgement::Pass,
        Ok(Err(Failure::NotOffered(why))) => Judgement::Skip(why),
        Ok(Err(failure)) => Judgement::Fail(describe(backend, rule, &failure)),
        Err(panic) => {
            let failure = Failure::broken("an answer", format!("a panic: {}", message(&*panic)));
            Judgement::Fail(describe(backend, rule, &failure))
        }
    }
}

/// A runtime like that of a service: several threads, all drivers.
pub(crate) fn runtime() -> Setup<Runtime> {
    Ok(Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?)
}

async fn in_time(backend: &dyn Backend, rule: &Rule) -> Verdict {
    let run = on_a_fresh_store(backend, rule);
    match tokio::time::timeout(PATIENCE, run).await {
        Ok(verdict) => verdict,
        Err(_) => Err(Failure::broken("an end", "none within a minute")),
    }
}

async fn on_a_fresh_store(backend: &dyn Backend, rule: &Rule) -> Verdict {
    let mut case = Case::new(backend).await?;
    let mut verdict = (rule.run)(&mut case).await;
    if verdict.is_ok() {
        verdict = case.end();
    }
    if matches!(verdict, Err(Failure::Broken(_) | Failure::Harness(_))) {
        case.keep_site();
        eprintln!("kept  {}", case.site().dir().display());
    }
    verdict
}

fn describe(backend: &dyn Backend, rule: &Rule, failure: &Failure) -> String {
    let sentence = rule.name.replace('_', " ");
    format!(
        "FAIL  {}  {sentence}   store {}\n{failure}",
        rule.ids,
        backend.name()
    )
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("of another type")
}
