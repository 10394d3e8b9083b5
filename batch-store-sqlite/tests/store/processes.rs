//! B08, B11, B16, B29, B43: processes that race on one file.
//!
//! What a child does stands beside the test that it belongs to; `child.rs` starts it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use batch_core::id::{JobId, SessionId};
use batch_core::store::Store;
use batch_core::store::call::{Cancel, Caps, Reap, Renew, Submit, Sweep, Touch, Turn};
use batch_core::store::query::{JobFilter, JobList, JobOrder, JobQuery};
use batch_core::store::reply::{FinishReply, SubmitReply, TakeReply};
use batch_store_sqlite::{Durability, Options, SqliteStore};
use rusqlite::Connection;
use tokio::task::JoinSet;

use crate::child::{child, say};
use batch_testkit::calls;

pub(crate) async fn opened(path: &Path) -> Arc<SqliteStore> {
    let options = Options::default().with_durability(Durability::Kill);
    Arc::new(SqliteStore::open(path, options).await.unwrap())
}

/// A child that is told things and says things, a line each.
struct Talk {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Talk {
    fn with(role: &str, path: &Path) -> Self {
        let mut child = child(role, path).spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap());
        Self { child, said }
    }

    fn tell(&mut self, line: &str) {
        let to = self.child.stdin.as_mut().unwrap();
        to.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// What follows `word` in the next line that has it.
    fn hear(&mut self, word: &str) -> String {
        let mut line = String::new();
        while !line.contains(word) {
            line.clear();
            let read = self.said.read_line(&mut line).unwrap();
            assert!(read > 0, "the child ended without saying {word:?}");
        }
        line.split(word).nth(1).unwrap().trim().to_owned()
    }

    fn hear_number(&mut self, word: &str) -> u64 {
        self.hear(word).parse().unwrap()
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// A test that fails leaves no child behind.
impl Drop for Talk {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn await_ready(children: &mut [Talk]) {
    for child in children {
        child.hear("ready");
    }
}

fn tell_all(children: &mut [Talk]) {
    for child in children {
        child.tell("go");
    }
}

/// The sum of the numbers that the children say after `word`.
fn sum(children: &mut [Talk], word: &str) -> u64 {
    children
        .iter_mut()
        .map(|child| child.hear_number(word))
        .sum()
}

fn end_all(children: impl IntoIterator<Item = Talk>) {
    for child in children {
        child.end();
    }
}

/// Waits for a line of the parent; `None` when there will be no other.
fn told() -> Option<String> {
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line).unwrap();
    (read > 0).then(|| line.trim().to_owned())
}

/// A submit under a random id.
fn request(key: &str, caller: &str, caps: (u64, u64)) -> Submit {
    let mut call = calls::submit(JobId::random().as_str(), vec![calls::target("u")]);
    key.clone_into(&mut call.key.text);
    key.clone_into(&mut call.digest);
    caller.clone_into(&mut call.caller.name);
    call.caps = Caps {
        targets_per_job: 10,
        jobs_per_caller: caps.0,
        jobs_total: caps.1,
    };
    call
}

/// Sends all submits at once; how many made a job, and how many were refused by a cap.
async fn all_at_once(store: &Arc<SqliteStore>, all: Vec<Submit>) -> (u64, u64) {
    let mut sent = JoinSet::new();
    for call in all {
        let store = Arc::clone(store);
        sent.spawn(async move { store.submit(call).await.unwrap() });
    }
    let replies = sent.join_all().await;
    let count = |of: fn(&SubmitReply) -> bool| replies.iter().filter(|reply| of(reply)).count();
    let created = count(|reply| matches!(reply, SubmitReply::Created { .. }));
    let busy = count(|reply| matches!(reply, SubmitReply::Busy | SubmitReply::CallerBusy));
    (created as u64, busy as u64)
}

pub(crate) async fn race_to_submit(path: &Path) {
    let store = opened(path).await;
    say("ready");
    told().unwrap();
    let same = (0..25).map(|_| request("same", "one", (1, 10))).collect();
    let (created, busy) = all_at_once(&store, same).await;
    say(&format!("same {created}"));
    say(&format!("refused {busy}"));
    told().unwrap();
    let keys = (0..16).map(|n| format!("{}-{n}", std::process::id()));
    let other = keys.flat_map(|key| {
        let of = |caller: &str| request(&key, caller, (3, 5 + 1));
        [of("ann"), of("bob")]
    });
    let (created, _) = all_at_once(&store, other.collect()).await;
    say(&format!("others {created}"));
}

/// R1.6, S3.1 two processes, fifty identical submits and sixty-four different ones.
#[tokio::test]
async fn b08_b11_two_processes_race_to_submit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = opened(&path).await;
    let mut children = [(); 2].map(|()| Talk::with("race to submit", &path));

    await_ready(&mut children);
    tell_all(&mut children);
    let (same, refused) = (sum(&mut children, "same "), sum(&mut children, "refused "));
    tell_all(&mut children);
    let others = sum(&mut children, "others ");
    end_all(children);

    assert_eq!((same, refused, others), (1, 0, 5));
    let stats = calls::stats(&*store).await;
    assert_eq!((stats.live, stats.counters.jobs_submitted), (6, 6));
}

/// Looks at a rotation that another process may hold the rest of, before it counts as stuck.
const ROUNDS: u32 = 50_000;

/// Drains the rotation, and says how many endings it was told.
pub(crate) async fn drain_and_count(path: &Path) {
    let store = opened(path).await;
    let session = SessionId::random();
    store.enter(calls::enter(&session)).await.unwrap();
    say("ready");
    told().unwrap();
    let (mut endings, mut rounds) = (0, 0);
    while calls::stats(&*store).await.live > 0 {
        rounds += 1;
        assert!(rounds < ROUNDS, "jobs are live that nobody ends");
        let mut next = store.take(calls::take(&session)).await.unwrap();
        while let TakeReply::Started(started) = next {
            let finish = calls::done(&started.start, "1");
            let take = calls::take(&session);
            let reply = store.turn(Turn { finish, take }).await.unwrap();
            let ended = matches!(reply.finish, FinishReply::Stored { ended: Some(_), .. });
            endings += u64::from(ended);
            next = reply.take;
        }
    }
    say(&format!("endings {endings}"));
}

/// Sweeps and looks for sessions to reap until the parent has no more to say.
pub(crate) async fn tidy(path: &Path) {
    let store = opened(path).await;
    say("ready");
    let stop = Arc::new(AtomicBool::new(false));
    let heard = Arc::clone(&stop);
    std::thread::spawn(move || {
        while told().is_some() {}
        heard.store(true, Ordering::Release);
    });
    let mut rounds = 0;
    while !stop.load(Ordering::Acquire) {
        let (now, max) = (calls::NOW, 10);
        store.sweep(Sweep { now, max }).await.unwrap();
        let (session, beat) = (SessionId::from("nobody"), 0);
        store
            .reap(Reap {
                session,
                beat,
                now,
                max,
            })
            .await
            .unwrap();
        rounds += 1;
    }
    say(&format!("rounds {rounds}"));
}

/// R4.2, R4.1 of three hundred jobs, each ending is told to one process, once.
#[tokio::test]
async fn b16_each_ending_is_told_once_over_all_processes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = opened(&path).await;
    for n in 0..300 {
        let call = calls::submit(&n.to_string(), vec![calls::target("u"); 2]);
        store.submit(call).await.unwrap();
    }
    let mut tidy = Talk::with("tidy", &path);
    let mut workers = [(); 2].map(|()| Talk::with("drain and count", &path));

    tidy.hear("ready");
    await_ready(&mut workers);
    tell_all(&mut workers);
    let endings = sum(&mut workers, "endings ");
    end_all(workers);
    drop(tidy.child.stdin.take());
    let rounds = tidy.hear_number("rounds ");
    tidy.end();

    assert!(rounds > 0);
    assert_eq!(endings, 300);
    let counters = calls::stats(&*store).await.counters;
    assert_eq!((counters.jobs_done, counters.targets_done), (300, 600));
}

/// Submits a job for each line, which is its id.
pub(crate) async fn submit_what_is_told(path: &Path) {
    let store = opened(path).await;
    while let Some(id) = told() {
        let call = calls::submit(&id, vec![calls::target("u")]);
        store.submit(call).await.unwrap();
        say(&format!("made {id}"));
    }
}

/// S4.1 two processes that submit in turn make one order, whatever the ids.
#[tokio::test]
async fn b29_two_processes_submit_in_one_order() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = opened(&path).await;
    let mut children = [(); 2].map(|()| Talk::with("submit what is told", &path));
    let ids: Vec<String> = (0..20).map(|n| (110 - n).to_string()).collect();

    for (id, child) in ids.iter().zip([0, 1].into_iter().cycle()) {
        let child = children.get_mut(child).unwrap();
        child.tell(id);
        assert_eq!(&child.hear("made "), id);
    }
    end_all(children);

    let list = JobList {
        filter: JobFilter::default(),
        order: JobOrder::Sequence,
        after: None,
        max: 100,
    };
    let jobs = store.list(list).await.unwrap().jobs;
    let listed: Vec<_> = jobs.iter().map(|job| job.id.to_string()).collect();
    assert_eq!(listed, ids);
}

/// Every sort of call, forty rounds in four tasks at once; no error is allowed.
pub(crate) async fn mix(path: &Path) {
    let store = opened(path).await;
    say("ready");
    told().unwrap();
    let mut tasks = JoinSet::new();
    for _ in 0..4 {
        tasks.spawn(mixed(Arc::clone(&store)));
    }
    let turns: u64 = tasks.join_all().await.into_iter().sum();
    store.close().await.unwrap();
    say(&format!("turns {turns}"));
}

async fn mixed(store: Arc<SqliteStore>) -> u64 {
    let session = SessionId::random();
    store.enter(calls::enter(&session)).await.unwrap();
    let (now, mut turns) = (calls::NOW, 0);
    for _ in 0..40 {
        let [kept, cancelled] = [JobId::random(), JobId::random()];
        for id in [&kept, &cancelled] {
            let call = calls::submit(id.as_str(), vec![calls::target("u"); 2]);
            store.submit(call).await.unwrap();
        }
        let (id, request) = (cancelled, "r".into());
        store.cancel(Cancel { id, request, now }).await.unwrap();
        turns += calls::drain(&*store, &session).await;
        let id = kept.clone();
        store.touch(Touch { id, now }).await.unwrap();
        store.job(JobQuery::Id(kept)).await.unwrap();
        let list = JobList {
            filter: JobFilter::default(),
            order: JobOrder::Sequence,
            after: None,
            max: 10,
        };
        store.list(list).await.unwrap();
        calls::stats(&*store).await;
        store.sweep(Sweep { now, max: 10 }).await.unwrap();
        let session = session.clone();
        store.renew(Renew { session, now }).await.unwrap();
    }
    turns
}

/// S12.2 two processes, a reader that never ends and a third writer: no call is ever told
/// that the file is busy, as every write takes its lock at the start.
#[tokio::test]
async fn b43_processes_that_write_at_once_are_never_told_busy() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = opened(&path).await;
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT * FROM store;").unwrap();
    let mut children = [(); 2].map(|()| Talk::with("mix", &path));
    await_ready(&mut children);
    let over = Arc::new(AtomicBool::new(false));
    let (at, ended) = (path.clone(), Arc::clone(&over));
    let holder = std::thread::spawn(move || hold_and_let_go(&at, &ended));

    tell_all(&mut children);
    let turns = sum(&mut children, "turns ");
    end_all(children);
    over.store(true, Ordering::Release);

    assert!(holder.join().unwrap() > 0);
    let stats = calls::stats(&*store).await;
    assert_eq!(stats.counters.targets_done, turns);
    assert_eq!(
        (stats.live, stats.counters.jobs_submitted),
        (0, 2 * 4 * 40 * 2)
    );
}

/// Takes the write lock again and again; how often.
fn hold_and_let_go(path: &Path, over: &AtomicBool) -> u64 {
    let conn = Connection::open(path).unwrap();
    conn.busy_timeout(std::time::Duration::from_secs(30))
        .unwrap();
    let mut held = 0;
    while !over.load(Ordering::Acquire) {
        conn.execute_batch("BEGIN IMMEDIATE; UPDATE store SET sequence = sequence; COMMIT;")
            .unwrap();
        held += 1;
    }
    held
}
