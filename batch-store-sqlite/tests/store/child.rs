//! Other processes: this very test binary, told by its environment what to do.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_store_sqlite::{Durability, Options, SqliteStore};

use batch_testkit::calls;

use crate::{processes, waiting};

const ROLE: &str = "BATCH_SQLITE_TEST_ROLE";
const FILE: &str = "BATCH_SQLITE_TEST_FILE";

/// A child that plays `role` on the store at `path`; it ends with its standard input.
pub(crate) fn child(role: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    dress(&mut command, role, path);
    command
}

/// The same under a program that watches it.
pub(crate) fn watched(program: &str, args: &[&str], role: &str, path: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(args).arg(std::env::current_exe().unwrap());
    dress(&mut command, role, path);
    command
}

fn dress(command: &mut Command, role: &str, path: &Path) {
    command
        .args(["--exact", "child::entry", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(FILE, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
}

/// Where a child begins; in the parent, which has no role, there is nothing to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn entry() {
    let (Some(role), Some(path)) = (std::env::var_os(ROLE), std::env::var_os(FILE)) else {
        return;
    };
    let path = PathBuf::from(path);
    match role.to_str().unwrap() {
        "open" => open(&path).await,
        "hammer" => hammer(&path).await,
        "submit one by one" => submit_one_by_one(&path).await,
        "submit together" => submit_together(&path).await,
        "hold a session" => hold_a_session(&path).await,
        "crash" => crash(&path).await,
        "race to submit" => processes::race_to_submit(&path).await,
        "drain and count" => processes::drain_and_count(&path).await,
        "tidy" => processes::tidy(&path).await,
        "submit what is told" => processes::submit_what_is_told(&path).await,
        "mix" => processes::mix(&path).await,
        "wait together" => waiting::wait_together(&path).await,
        other => panic!("no such role: {other}"),
    }
}

pub(crate) fn say(line: &str) {
    // One write call a line, past the capture of the test harness.
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

async fn open(path: &Path) {
    match SqliteStore::open(path, Options::default()).await {
        Ok(_) => say("opened"),
        Err(error) => say(&format!("refused {error}")),
    }
}

/// Submits, and runs whatever may be started, until its share of jobs is made.
async fn hammer(path: &Path) {
    let options = Options::default().with_durability(Durability::Kill);
    let store = SqliteStore::open(path, options).await.unwrap();
    let session = SessionId::random();
    store.enter(calls::enter(&session)).await.unwrap();
    let mut turns = 0;
    for number in 0..40 {
        let targets = (0..5).map(|_| calls::target("u")).collect();
        let id = format!("{session}-{number}");
        store.submit(calls::submit(&id, targets)).await.unwrap();
        turns += calls::drain(&store, &session).await;
    }
    say(&format!("turns {turns}"));
    store.close().await.unwrap();
}

async fn submit_one_by_one(path: &Path) {
    let store = SqliteStore::open(path, Options::default()).await.unwrap();
    for number in 0..5 {
        let call = calls::submit(&format!("one-{number}"), vec![calls::target("u")]);
        store.submit(call).await.unwrap();
        say(&format!("acknowledged {number}"));
    }
}

async fn submit_together(path: &Path) {
    let store = SqliteStore::open(path, Options::default()).await.unwrap();
    say("begin");
    let mut submits = Vec::new();
    let store = std::sync::Arc::new(store);
    for number in 0..200 {
        let call = calls::submit(&format!("many-{number}"), vec![calls::target("u")]);
        let store = std::sync::Arc::clone(&store);
        submits.push(tokio::spawn(async move { store.submit(call).await }));
    }
    for submit in submits {
        submit.await.unwrap().unwrap();
    }
    say("end");
}

async fn hold_a_session(path: &Path) {
    let store = SqliteStore::open(path, Options::default()).await.unwrap();
    let call = calls::enter(&SessionId::from("child"));
    store.enter(call).await.unwrap();
    say("entered");
    wait_for_the_end();
}

/// Acknowledges work until it is killed.
async fn crash(path: &Path) {
    let options = Options::default().with_durability(Durability::Kill);
    let store = SqliteStore::open(path, options).await.unwrap();
    for number in 0_u64.. {
        let call = calls::submit(&format!("job-{number}"), vec![calls::target("u")]);
        store.submit(call).await.unwrap();
        say(&format!("acknowledged {number}"));
    }
}

fn wait_for_the_end() {
    let mut line = String::new();
    // The parent closes our input when it is done, or when it dies.
    let _ = std::io::stdin().read_line(&mut line);
}
