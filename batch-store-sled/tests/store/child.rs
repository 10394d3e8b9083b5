//! Other processes: this very test binary, told by its environment what to do.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_store_sled::{Options, SledStore};
use batch_testkit::calls;

const ROLE: &str = "BATCH_SLED_TEST_ROLE";
const PLACE: &str = "BATCH_SLED_TEST_PLACE";

/// A child that plays `role` on the store at `path`; it ends with its standard input.
pub(crate) fn child(role: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child::entry", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(PLACE, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

/// Starts a child, and waits until it has said `word`.
pub(crate) fn begun(role: &str, path: &Path, word: &str) -> (Child, BufReader<ChildStdout>) {
    let mut child = child(role, path).spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains(word) {
        line.clear();
        assert!(told.read_line(&mut line).unwrap() > 0, "{role} ended");
    }
    (child, told)
}

/// Where a child begins; in the parent, which has no role, there is nothing to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn entry() {
    let (Some(role), Some(path)) = (std::env::var_os(ROLE), std::env::var_os(PLACE)) else {
        return;
    };
    let path = PathBuf::from(path);
    match role.to_str().unwrap() {
        "hold" => hold(&path).await,
        "open" => open(&path).await,
        "fill" => fill(&path).await,
        "churn" => crate::churn::work(&path).await,
        other => panic!("no such role: {other}"),
    }
}

pub(crate) fn say(text: &str) {
    println!("{text}");
    std::io::stdout().flush().unwrap();
}

/// Enters a session, takes a target, and holds both until the input ends.
async fn hold(path: &Path) {
    let store = SledStore::open(path, Options::default()).await.unwrap();
    let session = SessionId::from("child");
    store.enter(calls::enter(&session)).await.unwrap();
    calls::started(&store, &session).await;
    say("holding");
    std::io::stdin().lines().for_each(drop);
}

/// Says how opening ends.
async fn open(path: &Path) {
    match SledStore::open(path, Options::default()).await {
        Ok(_) => say("opened"),
        Err(error) => say(&format!("refused: {error}")),
    }
}

/// Submits far more than fits; says what was acknowledged and how the rest was refused.
async fn fill(path: &Path) {
    let store = SledStore::open(path, Options::default()).await.unwrap();
    for number in 0..JOBS {
        match store.submit(large_job(number)).await {
            Ok(_) => say(&format!("kept large-{number}")),
            Err(refusal) => say(&format!("refused {}", refusal.kind())),
        }
    }
}

/// Jobs of 20 KiB, which are several times what the child's disk holds.
const JOBS: usize = 600;

fn large_job(number: usize) -> batch_core::store::call::Submit {
    let targets = (0..100).map(|_| calls::target("u".repeat(200))).collect();
    calls::submit(&format!("large-{number}"), targets)
}
