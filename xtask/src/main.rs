//! The workspace's own tasks: `cargo xtask test` and `cargo xtask tidy`.
//!
//! This file reads the arguments; each task is a module of its own.

mod conformance;
mod test;
mod tidy;
mod tools;
mod tree;

use std::process::ExitCode;

const HELP: &str = "\
usage: cargo xtask TASK

tasks:
  test   every check of this repository, in order: tools, format, clippy, tidy, tests,
         conformance (the report over all stores), docs
  tidy   the house rules only: file length, module docs, names, rule ids, imports
  help   this text";

/// The exit code for arguments that name no task.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["test"] => report(test::run()),
        ["tidy"] => report(tidy::run()),
        ["help" | "-h" | "--help"] => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{HELP}");
            ExitCode::from(USAGE)
        }
    }
}

/// Prints why a task failed.
fn report(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}
