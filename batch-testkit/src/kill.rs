//! Kill and reopen: a child process works on the store, is killed, and nothing it was told is lost.
//!
//! The child is this very test, run again on the same site. It prints a line for
//! every acknowledged call; the parent kills it after a seeded number of them,
//! reopens the store and holds it against all that was acknowledged so far (S10.1, S10.2).

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use batch_core::store::Store;
use batch_core::store::call::{Answer, Enter, Finish, Reap, Take};
use batch_core::store::capability::Durability;
use batch_core::store::query::{JobQuery, Sessions, TargetOrder, TargetQuery};
use batch_core::store::reply::{JobReply, ReapReply, SubmitReply, TakeReply, TargetReply};
use batch_core::store::view::{Outcome, Target};

use crate::backend::{Backend, Setup, Stop};
use crate::breach::{Failure, Verdict, holds, present, same, unlike};
use crate::case::{START, job};
use crate::markers::Markers;
use crate::record::record;
use crate::recount::Recount;
use crate::site::Site;
use crate::suite::{self, Judgement};

/// How often the child is killed.
const KILLS: u64 = 10;

/// So many calls, and a child that nobody killed ends by itself.
const CALLS: u64 = 20_000;

const SITE: &str = "BATCH_TESTKIT_KILL_SITE";
const ROUND: &str = "BATCH_TESTKIT_KILL_ROUND";

/// Runs the kills; in the child process, what is to be killed. `name` is that of the test.
///
/// # Panics
///
/// When the store loses what it acknowledged.
pub fn test(backend: &dyn Backend, name: &str) {
    let child = std::env::var_os(SITE).zip(std::env::var_os(ROUND));
    let verdict = suite::runtime().map_err(Failure::from).and_then(|runtime| {
        runtime.block_on(async {
            match &child {
                Some((dir, round)) => work(backend, &Site::at(dir), &round.to_string_lossy()).await,
                None => kill_and_check(backend, name).await,
            }
        })
    });
    let judgement = match verdict {
        Ok(()) => Judgement::Pass,
        Err(Failure::NotOffered(why)) => Judgement::Skip(why),
        Err(failure) => Judgement::Fail(failure.to_string()),
    };
    if child.is_none() {
        record(backend.name(), "S10.1", "kill and reopen", &judgement);
    }
    match judgement {
        Judgement::Pass => {}
        Judgement::Skip(why) => eprintln!("skip  S10.1  {name}: {why}"),
        Judgement::Fail(what) => panic!("FAIL  S10.1  {name}   store {}\n{what}", backend.name()),
    }
}

/// What the children were told.
#[derive(Debug, Default)]
struct Told {
    /// Jobs with their totals.
    jobs: BTreeMap<String, u64>,
    /// Results by job and index.
    results: BTreeMap<(String, u64), String>,
}

impl Told {
    /// Reads a line of a child; whether it is an acknowledgement.
    fn read(&mut self, line: &str) -> bool {
        let words: Vec<_> = line.split_whitespace().collect();
        match words.as_slice() {
            ["ack", "job", id, total, "."] => {
                self.jobs
                    .insert((*id).to_owned(), total.parse().unwrap_or(0));
            }
            ["ack", "result", id, index, result, "."] => {
                let of = ((*id).to_owned(), index.parse().unwrap_or(u64::MAX));
                self.results.insert(of, (*result).to_owned());
            }
            ["ack", "call", "."] => {}
            _ => return false,
        }
        true
    }
}

async fn kill_and_check(backend: &dyn Backend, name: &str) -> Verdict {
    let mut site = Site::new()?;
    begin(backend, &site).await?;
    let mut told = Told::default();
    let mut recount = Recount::default();
    let mut verdict = Ok(());
    for round in 0..KILLS {
        run_and_kill(&site, name, round, &mut told)?;
        verdict = check(backend, &site, &told, &mut recount).await;
        if verdict.is_err() {
            break;
        }
    }
    if verdict.is_ok() {
        verdict = drain(backend, &site, &told, &mut recount).await;
    }
    if verdict.is_err() {
        site.keep();
        eprintln!("kept  {}", site.dir().display());
    }
    verdict
}

/// An empty store, which must be of a sort that survives its process.
async fn begin(backend: &dyn Backend, site: &Site) -> Verdict {
    let store = backend.create(site).await?;
    if store.capabilities().await?.durability < Durability::Kill {
        return Err(Failure::NotOffered(
            "the store is lost with its process".to_owned(),
        ));
    }
    Ok(store.close().await?)
}

async fn reopened(backend: &dyn Backend, site: &Site) -> Verdict<Arc<dyn Store>> {
    match backend.reopen(site, Stop::Kill).await? {
        Some(store) => Ok(store),
        None => Err(Failure::NotOffered(
            "the store cannot be reopened".to_owned(),
        )),
    }
}

/// Runs a child on the site until it was told a seeded number of times, and kills it.
fn run_and_kill(site: &Site, name: &str, round: u64, told: &mut Told) -> Setup<()> {
    let errors = site.dir().join(format!("child-{round}.err"));
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--exact", name, "--nocapture"])
        .env(SITE, site.dir())
        .env(ROUND, round.to_string())
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(&errors)?)
        .spawn()?;
    let output = child.stdout.take().ok_or("a child without an output")?;
    let mut wanted = 5 + mixed(round) % 60;
    for line in BufReader::new(output).lines() {
        if told.read(&line?) {
            wanted = wanted.saturating_sub(1);
        }
        if wanted == 0 {
            // What it was told before the kill is read to the end.
            child.kill()?;
        }
    }
    let status = child.wait()?;
    if wanted > 0 {
        let said = std::fs::read_to_string(&errors)?;
        return Err(format!("the child ended by itself: {status}: {said}").into());
    }
    Ok(())
}

/// Everything told is there, the counts agree, and the dead sessions can be reaped.
async fn check(backend: &dyn Backend, site: &Site, told: &Told, recount: &mut Recount) -> Verdict {
    let store = reopened(backend, site).await?;
    recount.check(store.as_ref()).await?;
    for (id, total) in &told.jobs {
        match store.job(JobQuery::Id(id.as_str().into())).await? {
            JobReply::Found(found) => same(found.total, *total)?,
            JobReply::NotFound => return unlike(&id, "every acknowledged job"),
        }
    }
    for ((id, index), result) in &told.results {
        let kept = present(target(store.as_ref(), id, *index).await?, "the target")?;
        let result = result.clone();
        same(kept.outcome, Some(Outcome::Done { result }))?;
    }
    reap_all(store.as_ref()).await?;
    recount.check(store.as_ref()).await
}

async fn target(store: &dyn Store, id: &str, index: u64) -> Verdict<Option<Target>> {
    let call = TargetQuery {
        id: id.into(),
        order: TargetOrder::Index,
        from: index,
        max: 1,
    };
    match store.targets(call).await? {
        TargetReply::Page(page) => Ok(page.targets.into_iter().next()),
        other => unlike(&other, "a page"),
    }
}

async fn reap_all(store: &dyn Store) -> Verdict {
    let all = Sessions {
        after: None,
        max: 100,
    };
    for session in store.sessions(all.clone()).await?.sessions {
        let call = Reap {
            session: session.id,
            beat: session.beat,
            now: START,
            max: 1_000,
        };
        let reply = store.reap(call).await?;
        holds(
            matches!(reply, ReapReply::Reaped { more: false, .. }),
            "a reap of the dead",
        )?;
    }
    same(store.sessions(all).await?.sessions, Vec::new())
}

/// What is left can be worked off: one outcome for each target of every job.
async fn drain(backend: &dyn Backend, site: &Site, told: &Told, recount: &mut Recount) -> Verdict {
    let store = reopened(backend, site).await?;
    let mut worker = Worker::enter(store.as_ref(), "last").await?;
    while worker.run_one().await?.is_some() {}
    recount.check(store.as_ref()).await?;
    for id in told.jobs.keys() {
        if let JobReply::Found(found) = store.job(JobQuery::Id(id.as_str().into())).await? {
            same(found.counts.done, found.total)?;
        }
    }
    Ok(())
}

/// The child: a seeded program of calls, each told when it is acknowledged.
async fn work(backend: &dyn Backend, site: &Site, round: &str) -> Verdict {
    let store = reopened(backend, site).await?;
    let mut output = std::io::stdout();
    let mut tell = |text: String| writeln!(output, "{text}").map_err(Box::from);
    // The harness may have begun a line of its own.
    tell(String::new())?;
    let markers = Markers::plant()?;
    let mut worker = Worker::enter(store.as_ref(), &format!("s{round}")).await?;
    let mut seed = mixed(round.parse().unwrap_or(0));
    for n in 0..CALLS {
        seed = mixed(seed);
        if seed.is_multiple_of(3) {
            let total = 1 + seed / 3 % 4;
            let id = format!("{round}-{n}");
            let width = u32::try_from(1 + seed / 12 % 3).unwrap_or(1);
            let call = job(&id).targets(total).width(width).call(&markers, START);
            match store.submit(call).await? {
                SubmitReply::Created { .. } => tell(format!("ack job {id} {total} ."))?,
                other => return unlike(&other, "Created"),
            }
        } else if let Some((id, index, result)) = worker.run_one().await? {
            tell(format!("ack result {id} {index} {result} ."))?;
        } else {
            tell("ack call .".to_owned())?;
        }
    }
    Ok(())
}

/// A session that runs targets.
struct Worker<'s> {
    store: &'s dyn Store,
    session: String,
    takes: u64,
}

impl<'s> Worker<'s> {
    async fn enter(store: &'s dyn Store, session: &str) -> Verdict<Self> {
        let call = Enter {
            session: session.into(),
            kind: <_>::default(),
            host: String::new(),
            beat_length: Duration::from_secs(2),
            now: START,
        };
        store.enter(call).await?;
        Ok(Self {
            store,
            session: session.to_owned(),
            takes: 0,
        })
    }

    /// Takes a target and stores its result; `None` when nothing is left.
    async fn run_one(&mut self) -> Verdict<Option<(String, u64, String)>> {
        self.takes += 1;
        let take = Take {
            session: self.session.as_str().into(),
            ticket: format!("{}-{}", self.session, self.takes).into(),
            now: START,
        };
        let started = match self.store.take(take).await? {
            TakeReply::Started(started) => started,
            TakeReply::Idle { .. } => return Ok(None),
            TakeReply::Gone => return unlike(&TakeReply::Gone, "Started or Idle"),
        };
        let (id, index) = (started.start.job.to_string(), started.start.index);
        let result = format!("\"{id}/{index}/{}\"", started.start.fence);
        let finish = Finish {
            start: started.start,
            answer: Answer::Done {
                result: result.clone(),
            },
            elapsed: Duration::ZERO,
            now: START,
        };
        self.store.finish(finish).await?;
        Ok(Some((id, index, result)))
    }
}

/// A number that looks random, the same for the same number.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
