//! A process that works at random, large values, sweeps and evictions included, and is
//! killed at random moments: whatever it acknowledged is there afterwards (S10).
//!
//! The kills of the testkit use small values, which sled keeps in its log; large ones go
//! into files of their own, and freed ones make it move what is left.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use batch_core::id::{Kind, SessionId};
use batch_core::store::Store;
use batch_core::store::call::{Cancel, Enter, Evict, Submit, Sweep};
use batch_core::store::query::{TargetOrder, TargetQuery};
use batch_core::store::reply::{TakeReply, TargetReply};
use batch_core::store::view::Outcome;
use batch_core::time::Timestamp;
use batch_store_sled::{Options, SledStore};
use batch_testkit::{Recount, calls};

use crate::child::{child, say};

const ROUND: &str = "BATCH_SLED_TEST_ROUND";

/// Calls of one task; a child that nobody kills ends by itself.
const CALLS: u64 = 4_000;

/// Tasks that work at the same time, so that steps share a flush.
const TASKS: u64 = 6;

/// A number that looks random, the same for the same number.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    mixed ^= mixed >> 29;
    mixed = mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 32)
}

/// Lengths from a few bytes to more than sled keeps in one segment.
fn length(seed: u64) -> usize {
    let top = match mixed(seed ^ 7) % 11 {
        0 => 10,
        1 => 200,
        2 => 5_000,
        3 => 60_000,
        _ => 700_000,
    };
    usize::try_from(mixed(seed ^ 9) % top).unwrap()
}

/// A result that names itself, so that it cannot be taken for another.
fn result(seed: u64) -> String {
    format!("\"{seed}-{}\"", "r".repeat(length(seed)))
}

fn of_kind(kind: &str, id: &str, seed: u64) -> Submit {
    let targets = (0..=seed % 4).map(|n| calls::target("u".repeat(length(seed ^ n) / 4)));
    let mut submit = calls::submit(id, targets.collect());
    submit.kind = Kind::new(kind);
    submit.settings.width = 3;
    if kind == "passing" {
        submit.settings.ttl = Duration::from_millis(1);
    }
    submit
}

/// What the child does until it is killed.
pub(crate) async fn work(path: &Path) {
    let round = std::env::var_os(ROUND).unwrap();
    let round: u64 = round.to_str().unwrap().parse().unwrap();
    let store = Arc::new(SledStore::open(path, Options::default()).await.unwrap());
    let tasks = (0..TASKS).map(|task| tokio::spawn(one(store.clone(), round, task)));
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

async fn one(store: Arc<SledStore>, round: u64, task: u64) {
    let kind = if task.is_multiple_of(3) {
        "passing"
    } else {
        "kept"
    };
    let session = SessionId::new(format!("s-{round}-{task}"));
    let enter = Enter {
        kind: Kind::new(kind),
        ..calls::enter(&session)
    };
    store.enter(enter).await.unwrap();
    for n in 0..CALLS {
        let seed = mixed((round << 40) | (task << 32) | n);
        let id = format!("{kind}-{round}-{task}-{n}");
        match seed % 16 {
            0..5 => {
                store.submit(of_kind(kind, &id, seed)).await.unwrap();
                say(&format!("made {id} ."));
            }
            5 if kind == "kept" => {
                store.submit(of_kind(kind, &id, seed)).await.unwrap();
                let cancel = Cancel {
                    id: id.as_str().into(),
                    request: "r".into(),
                    now: calls::NOW,
                };
                store.cancel(cancel).await.unwrap();
                say(&format!("ended {id} ."));
            }
            6 if kind == "passing" => {
                let now = Timestamp::from_millis(2_000 + n.cast_signed());
                store.sweep(Sweep { now, max: 20 }).await.unwrap();
                say("swept .");
            }
            7 if kind == "passing" => {
                let evict = Evict {
                    kind: Kind::new(kind),
                    max_bytes: 500_000,
                    max: 20,
                };
                store.evict(evict).await.unwrap();
                say("evicted .");
            }
            _ => finish_one(&store, &session, seed).await,
        }
    }
}

async fn finish_one(store: &SledStore, session: &SessionId, seed: u64) {
    let TakeReply::Started(started) = store.take(calls::take(session)).await.unwrap() else {
        return;
    };
    let start = started.start;
    store
        .finish(calls::done(&start, &result(seed)))
        .await
        .unwrap();
    say(&format!("stored {} {} {seed} .", start.job, start.index));
}

/// What was acknowledged over all rounds.
#[derive(Default)]
struct Told {
    jobs: Vec<String>,
    results: BTreeMap<(String, u64), u64>,
    lines: u64,
}

impl Told {
    fn read(&mut self, line: &str) {
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            ["made" | "ended", id, "."] if id.starts_with("kept") => self.jobs.push((*id).into()),
            ["stored", id, index, seed, "."] if id.starts_with("kept") => {
                let of = ((*id).to_owned(), index.parse().unwrap());
                self.results.insert(of, seed.parse().unwrap());
            }
            [.., "."] => {}
            _ => return,
        }
        self.lines += 1;
    }
}

fn run_and_kill(path: &Path, round: u64, told: &mut Told) {
    let mut command = child("churn", path);
    command.env(ROUND, round.to_string());
    let mut working = command.spawn().unwrap();
    let mut lines = BufReader::new(working.stdout.take().unwrap()).lines();
    let until = told.lines + 5 + mixed(round) % 400;
    while told.lines < until {
        told.read(&lines.next().expect("the child ended by itself").unwrap());
    }
    working.kill().unwrap();
    // What it was told before the kill is read to the end.
    lines
        .map_while(Result::ok)
        .for_each(|line| told.read(&line));
    working.wait().unwrap();
}

async fn check(path: &Path, told: &Told, recount: &mut Recount) {
    let store = SledStore::open(path, Options::default()).await.unwrap();
    recount.check(&store).await.unwrap();
    for id in &told.jobs {
        assert!(calls::job(&store, id).await.is_some(), "{id}");
    }
    for ((id, index), seed) in &told.results {
        let call = TargetQuery {
            id: id.as_str().into(),
            order: TargetOrder::Index,
            from: *index,
            max: 1,
        };
        let TargetReply::Page(page) = store.targets(call).await.unwrap() else {
            panic!("{id} has no page");
        };
        let expected = Outcome::Done {
            result: result(*seed),
        };
        let found = page.targets.into_iter().next().unwrap().outcome;
        assert!(found == Some(expected), "{id} {index}");
    }
    store.close().await.unwrap();
}

/// S1.1, S10.1, S13.1
#[tokio::test]
async fn b04_a_store_killed_at_random_moments_keeps_what_it_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let mut told = Told::default();
    let mut recount = Recount::default();
    for round in 0..5 {
        run_and_kill(&path, round, &mut told);
        check(&path, &told, &mut recount).await;
    }
}
