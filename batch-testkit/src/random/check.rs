//! The doors of the random engine: a check from a seed, and a replay of one program.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use super::corpus;
use super::program::{Kept, Op, VERSION};
use super::report::{Counterexample, Failure, Report};
use super::run::Bench;
use super::shrink::shrink;
use super::strategy::{programs, seed_bytes};
use crate::backend::Backend;
use crate::record::record;
use crate::site::Site;
use crate::suite::Judgement;

/// Cases of a smoke run.
pub const CASES: u32 = 256;

/// The seed of a smoke run.
const SEED: u64 = 7;

/// Runs that proptest's own shrinking may cost.
const SHRINKS: u32 = 100;

/// Replays the kept programs, then runs `cases` programs drawn from `seed`.
///
/// Each runs on a store of its own, made by `backend`. The same seed gives the same
/// programs. It makes its own runtime, so it is not for calling inside one.
pub fn check(backend: &dyn Backend, cases: u32, seed: u64) -> Result<Report, Failure> {
    let mut report = replay_kept(backend)?;
    report.add(&explore(backend, cases, seed)?);
    Ok(report)
}

/// Runs a smoke check as one test.
///
/// # Panics
///
/// When a program breaks the store; the message says which rule, and how to see it again.
pub fn test(backend: &dyn Backend) {
    let checked = check(backend, CASES, SEED);
    let judgement = match &checked {
        Ok(_) => Judgement::Pass,
        Err(failure) => Judgement::Fail(failure.to_string()),
    };
    record(backend.name(), "all", "random programs", &judgement);
    if let Err(failure) = checked {
        panic!("{failure}");
    }
}

/// Replays every program of `corpus/`: each once broke some store.
pub fn replay_kept(backend: &dyn Backend) -> Result<Report, Failure> {
    let bench = Bench::new(backend).map_err(harness)?;
    let mut report = Report::default();
    for (case, (_, kept)) in (0..).zip(corpus::kept().map_err(Failure::Harness)?) {
        report.add(&judge(&bench, kept.steps, (kept.seed, case))?);
    }
    Ok(report)
}

/// Runs `cases` programs drawn from `seed`, and shrinks the first that breaks a rule.
pub fn explore(backend: &dyn Backend, cases: u32, seed: u64) -> Result<Report, Failure> {
    let bench = Bench::new(backend).map_err(harness)?;
    let hunt = Hunt::new(&bench);
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: u32::MAX,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed_bytes(seed));
    let found =
        TestRunner::new_with_rng(config, rng).run(&programs(), |program| hunt.case(&program));
    let state = hunt.state.into_inner();
    match found {
        Ok(()) => Ok(state.report),
        Err(TestError::Fail(_, program)) if state.rule.is_some() => Err(smallest(
            &bench,
            program,
            (seed, state.case),
            state.first_len,
        )),
        Err(error) => Err(Failure::Harness(state.trouble.unwrap_or(error.to_string()))),
    }
}

/// Runs one program that was kept in a file.
pub fn replay(backend: &dyn Backend, file: &Path) -> Result<Report, Failure> {
    let text = std::fs::read_to_string(file).map_err(harness)?;
    let name = file.display().to_string();
    let kept = corpus::parse(&name, &text).map_err(Failure::Harness)?;
    let bench = Bench::new(backend).map_err(harness)?;
    judge(&bench, kept.steps, (kept.seed, 0))
}

fn judge(bench: &Bench<'_>, program: Vec<Op>, named: (u64, u32)) -> Result<Report, Failure> {
    let run = bench.run(&program).map_err(harness)?;
    let len = program.len();
    if run.breach.is_some() {
        return Err(smallest(bench, program, named, len));
    }
    Ok(Report::of(run.replies))
}

/// What the cases of one check have found so far.
struct Hunt<'a> {
    bench: &'a Bench<'a>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    report: Report,
    case: u32,
    first_len: usize,
    shrinks: u32,
    rule: Option<&'static str>,
    trouble: Option<String>,
}

impl<'a> Hunt<'a> {
    fn new(bench: &'a Bench<'a>) -> Self {
        Self {
            bench,
            state: RefCell::default(),
        }
    }

    /// One case; once a rule broke, only programs that break the same rule count.
    fn case(&self, program: &[Op]) -> Result<(), TestCaseError> {
        let mut state = self.state.borrow_mut();
        state.shrinks += u32::from(state.rule.is_some());
        if state.shrinks > SHRINKS {
            return Ok(());
        }
        let run = self.bench.run(program).map_err(|error| {
            state.trouble = Some(error.to_string());
            TestCaseError::fail(error.to_string())
        })?;
        match (&run.breach, state.rule) {
            (None, None) => {
                state.case += 1;
                state.report.add(&Report::of(run.replies));
                Ok(())
            }
            (Some(breach), None) => {
                state.rule = Some(breach.rule);
                state.first_len = program.len();
                Err(TestCaseError::fail(breach.rule))
            }
            (Some(breach), Some(rule)) if breach.rule == rule => Err(TestCaseError::fail(rule)),
            _ => Ok(()),
        }
    }
}

/// Shrinks once more, and runs the result again for its report.
fn smallest(
    bench: &Bench<'_>,
    program: Vec<Op>,
    (seed, case): (u64, u32),
    found_with: usize,
) -> Failure {
    let rule_of = |program: &[Op]| {
        let run = bench.run(program).ok()?;
        run.breach.map(|breach| breach.rule)
    };
    let rule = rule_of(&program);
    let program = shrink(program, |smaller| rule_of(smaller) == rule);
    let run = match bench.run(&program) {
        Ok(run) => run,
        Err(error) => return harness(error),
    };
    let Some(breach) = run.breach else {
        return Failure::Harness("a failing program passed when it was run again".to_owned());
    };
    let kept = Kept {
        version: VERSION,
        rule: breach.rule.to_owned(),
        seed,
        steps: program.clone(),
    };
    Failure::Rule(Box::new(Counterexample {
        breach,
        store: bench.backend().to_owned(),
        seed,
        case,
        program,
        steps: run.lines,
        found_with,
        file: write(&kept),
    }))
}

/// Writes the program into a site that is kept; without a file the report still stands.
fn write(kept: &Kept) -> Option<PathBuf> {
    let site = Site::new().ok()?;
    let file = site.dir().join("program.json");
    let text = serde_json::to_string_pretty(kept).ok()?;
    std::fs::write(&file, text).ok()?;
    std::mem::forget(site);
    Some(file)
}

fn harness(error: impl std::fmt::Display) -> Failure {
    Failure::Harness(error.to_string())
}
