//! A directory of its own for each test, and the command run in it.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// What a finished process left.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    /// Its standard output as JSON, a value a line.
    pub(crate) fn json(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The last of them.
    pub(crate) fn summary(&self) -> Value {
        self.json().pop().unwrap()
    }
}

/// A directory with a store, a home and nothing of the machine's.
pub(crate) struct World {
    dir: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    /// A world with a list `list` of `t0`, `t1` and so on.
    pub(crate) fn with_targets(count: usize) -> Self {
        let world = Self::new();
        let lines: String = (0..count).map(|n| format!("t{n}\n")).collect();
        world.write("list", lines);
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// How often `name` has a line that is `line`.
    pub(crate) fn count(&self, name: &str, line: &str) -> usize {
        self.read(name)
            .lines()
            .filter(|other| *other == line)
            .count()
    }

    /// The lines of `name` in sorted order.
    pub(crate) fn sorted(&self, name: &str) -> Vec<String> {
        let mut lines: Vec<_> = self.read(name).lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }

    pub(crate) fn fifo(&self, name: &str) {
        let made = Command::new("mkfifo")
            .arg(self.path(name))
            .status()
            .unwrap();
        assert!(made.success());
    }

    /// Keeps a fifo open, so that neither side of it waits for the other to open.
    pub(crate) fn hold(&self, name: &str) -> File {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(self.path(name))
            .unwrap()
    }

    /// The command, without a store of its own choice.
    pub(crate) fn bare(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_batchq"));
        command.args(args).current_dir(self.dir.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", self.dir.path())
            .env("USER", "ann")
            .env("NO_PROXY", "*");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The command on this world's store.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.bare(args);
        command.env("BATCHQ_STORE", "sqlite:store.db");
        command
    }

    pub(crate) fn batchq(&self, args: &[&str]) -> Ended {
        wait(self.command(args).spawn().unwrap())
    }

    /// `batchq run OPTIONS list -- sh -c SCRIPT sh {}`.
    pub(crate) fn script(&self, options: &[&str], script: &str) -> Command {
        let mut args = vec!["run"];
        args.extend(options);
        args.extend(["list", "--", "sh", "-c", script, "sh", "{}"]);
        self.command(&args)
    }

    pub(crate) fn run(&self, options: &[&str], script: &str) -> Ended {
        wait(self.script(options, script).spawn().unwrap())
    }
}

/// Waits for a process, and reads what is left of its output.
pub(crate) fn wait(child: Child) -> Ended {
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub(crate) fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Reads standard error until a line holds `text`.
pub(crate) fn hear(child: &mut Child, text: &str) -> BufReader<ChildStderr> {
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut heard = String::new();
    while !heard.contains(text) {
        let read = err.read_line(&mut heard).unwrap();
        assert!(read > 0, "never said {text:?} but {heard:?}");
    }
    err
}

/// Waits for a process whose standard error is read already.
pub(crate) fn wait_heard(child: Child, mut err: BufReader<ChildStderr>) -> Ended {
    let ended = wait(child);
    let mut rest = String::new();
    err.read_to_string(&mut rest).unwrap();
    Ended { err: rest, ..ended }
}
