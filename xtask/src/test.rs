//! `cargo xtask test`: every check of this repository, one after the other.
//!
//! It calls plain cargo only, so that a fresh toolchain is enough. The first
//! check that fails ends the run.

use std::process::Command;

use crate::{conformance, tidy, tools, tree};

/// One named check.
struct Step {
    name: &'static str,
    check: fn() -> Result<(), String>,
}

const STEPS: &[Step] = &[
    Step {
        name: "tools",
        check: tools::ensure,
    },
    Step {
        name: "format",
        check: format,
    },
    Step {
        name: "clippy",
        check: clippy,
    },
    Step {
        name: "tidy",
        check: tidy::run,
    },
    Step {
        name: "tests",
        check: tests,
    },
    Step {
        name: "conformance",
        check: conformance::run,
    },
    Step {
        name: "docs",
        check: docs,
    },
];

/// Runs all checks.
pub(crate) fn run() -> Result<(), String> {
    for (position, step) in STEPS.iter().enumerate() {
        println!("==> {}/{} {}", position + 1, STEPS.len(), step.name);
        (step.check)().map_err(|reason| format!("{} failed: {reason}", step.name))?;
    }
    println!("==> all {} checks passed", STEPS.len());
    Ok(())
}

fn format() -> Result<(), String> {
    succeed(cargo().args(["fmt", "--all", "--check"]))
}

fn clippy() -> Result<(), String> {
    succeed(cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))
}

fn tests() -> Result<(), String> {
    let records = conformance::begin()?;
    succeed(
        cargo()
            .args(["test", "--workspace"])
            .env(conformance::FOLDER, records),
    )
}

fn docs() -> Result<(), String> {
    let mut docs = cargo();
    succeed(
        docs.args(["doc", "--workspace", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

/// The cargo that runs this task, in the root of the workspace.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(tree::root());
    cargo
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?} ended with {status}"))
    }
}
