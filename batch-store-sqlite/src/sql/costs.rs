//! What a call costs, counted in steps of SQLite's machine and not by a clock (S14).
//!
//! The same calls run on a store of ten jobs and on one of thousands; their numbers
//! are to be equal. That no plan scans is in `plans.rs`.

use std::time::Duration;

use batch_core::decide;
use batch_core::id::SessionId;
use batch_core::store::call::{Answer, Reap, Stage, Targets, Touch};
use batch_core::store::query::{
    JobFilter, JobList, JobOrder, JobQuery, StatsQuery, TargetOrder, TargetQuery,
};
use batch_core::store::reply::{ReapReply, TakeReply};

use batch_testkit::calls;

use super::BEGIN_WRITE;
use crate::tables::{Tables, execute};
use counted::Counted;

mod counted;

const HOUR: Duration = Duration::from_hours(1);

/// Steps that the columns of a row, null or not, may add.
const SLACK: u32 = 8;

/// The calls on the way of a job, and their steps.
fn single_calls(store: &Counted) -> Vec<(&'static str, i32)> {
    let later = calls::NOW.after(HOUR / 2);
    let touch = Touch {
        id: "queued-0".into(),
        now: later,
    };
    let stats = StatsQuery {
        kind: "".into(),
        caller: Some("caller".into()),
    };
    let of_key = JobQuery::Key {
        kind: "".into(),
        caller: "caller".into(),
        key: calls::submit("queued-0", Vec::new()).key,
    };
    let start = store.start("s");
    let done = || Answer::Done { result: "1".into() };
    vec![
        ("submit", store.steps(|store| store.submit("new", 2))),
        (
            "reuse",
            store.steps(|store| {
                let mut call = calls::submit("again", vec![calls::target("u"); 2]);
                call.key = calls::submit("done-0", Vec::new()).key;
                call.digest = "done-0".to_owned();
                store.submit_call(&call);
            }),
        ),
        ("finish", store.steps(|store| store.finish(&start, done()))),
        ("take", store.steps(|store| drop(store.start("s")))),
        ("busy", {
            let start = store.start("s");
            store.steps(|store| store.finish(&start, Answer::Busy { wait: HOUR }))
        }),
        ("cancel", store.steps(|store| store.cancel("new"))),
        (
            "touch",
            store.steps(|store| {
                store.keep(&touch, |tables, call| decide::touch(tables, call));
            }),
        ),
        (
            "job",
            store.steps(|store| {
                let tables = Tables::new(&store.conn);
                tables.job_reply(&JobQuery::Id("queued-0".into())).unwrap();
                tables.job_reply(&of_key).unwrap();
            }),
        ),
        (
            "stats",
            store.steps(|store| {
                Tables::new(&store.conn).stats_of(&stats).unwrap();
            }),
        ),
    ]
}

/// S14.1, R2.6 on the way of a job nothing grows with what is stored.
#[test]
fn a_call_costs_the_same_at_ten_and_at_twenty_thousand_jobs() {
    let few = single_calls(&Counted::with_jobs(12));
    let many = single_calls(&Counted::with_jobs(20_000));

    assert!(few.iter().all(|(_, steps)| *steps > 0), "{few:?}");
    assert_eq!(few, many);
}

/// What a take that finds nothing costs beside jobs that wait, ended or are another's.
#[test]
fn an_idle_take_costs_the_same_however_many_jobs_wait() {
    let idle = |jobs| {
        let store = Counted::with_jobs(jobs);
        while store_is_busy(&store) {}
        store.steps(|store| assert!(!store_is_busy(store)))
    };

    assert_eq!(idle(12), idle(2_000));
}

/// Parks the target at the head for an hour, if there is one.
fn store_is_busy(store: &Counted) -> bool {
    let call = calls::take(&SessionId::from("s"));
    match store.keep(&call, |tables, call| decide::take(tables, call)) {
        TakeReply::Started(started) => {
            store.finish(&started.start, Answer::Busy { wait: HOUR });
            true
        }
        _ => false,
    }
}

/// The reads of pages, and their steps.
fn pages(store: &Counted) -> Vec<(&'static str, i32)> {
    let page = TargetQuery {
        id: "done-0".into(),
        order: TargetOrder::Stored,
        from: 0,
        max: 2,
    };
    let list = |order| JobList {
        filter: JobFilter {
            kind: Some("".into()),
            ..JobFilter::default()
        },
        order,
        after: None,
        max: 5,
    };
    let listed = |order| {
        store.steps(|store| {
            Tables::new(&store.conn).job_page(&list(order)).unwrap();
        })
    };
    let targets = store.steps(|store| {
        decide::targets(&Tables::new(&store.conn), &page).unwrap();
    });
    vec![
        ("targets", targets),
        ("list", listed(JobOrder::Sequence)),
        ("rotation", listed(JobOrder::Rotation)),
    ]
}

/// The calls that remove a number of rows, and their steps.
fn removals(store: &Counted) -> Vec<(&'static str, i32)> {
    let soon = calls::NOW.after(Duration::from_secs(1));
    for job in 0..5 {
        let mut call = calls::submit(&format!("short-{job}"), vec![calls::target("u"); 2]);
        call.settings.ttl = Duration::from_secs(1);
        store.submit_call(&call);
        store.cancel(&format!("short-{job}"));
        store.start("dead");
    }
    let reap = Reap {
        session: "dead".into(),
        beat: 1,
        now: calls::NOW,
        max: 10,
    };
    let sweep = store.steps(|store| assert_eq!(store.sweep(soon, 30).jobs, 5));
    let evict = store.steps(|store| assert_eq!(store.evict(3), 3));
    let reap = store.steps(|store| {
        let reply = decide::reap(&mut Tables::new(&store.conn), &reap).unwrap();
        assert!(matches!(
            reply,
            ReapReply::Reaped {
                returned: 5,
                more: false,
                ..
            }
        ));
    });
    vec![("sweep", sweep), ("evict", evict), ("reap", reap)]
}

/// S14.2 what removes five jobs of few costs as much as what removes five of many.
#[test]
fn a_removal_costs_what_it_removes() {
    let few = Counted::with_jobs(80);
    let many = Counted::with_jobs(10_000);
    let few = [pages(&few), removals(&few)].concat();
    let many = [pages(&many), removals(&many)].concat();

    let differ = |((_, few), (_, many)): &((&str, i32), (&str, i32))| few.abs_diff(*many) > SLACK;
    let pairs = few.iter().copied().zip(many.iter().copied());
    assert_eq!(pairs.filter(differ).collect::<Vec<_>>(), []);
}

/// Sweeps cancelled jobs in steps of a hundred; the steps of the machine in each.
fn swept_in_steps(jobs: u64) -> Vec<i32> {
    let store = Counted::with_jobs(0);
    execute(&store.conn, BEGIN_WRITE).unwrap();
    for job in 0..jobs {
        store.submit(&job.to_string(), 1);
        store.cancel(&job.to_string());
    }
    let late = calls::NOW.after(HOUR);
    let mut steps = Vec::new();
    let mut more = true;
    while more {
        steps.push(store.steps(|store| more = store.sweep(late, 100).more));
    }
    steps
}

/// S1.2, S14.2 a step of a sweep is bounded, whatever lies behind it, and so are the steps.
#[test]
fn b32_a_sweep_of_fifty_thousand_jobs_takes_small_steps() {
    let few = swept_in_steps(500);
    let many = swept_in_steps(50_000);

    let largest = |steps: &[i32]| steps.iter().copied().max().unwrap();
    assert!(largest(&few).abs_diff(largest(&many)) <= SLACK);
    // Every job goes once, and so does its target.
    assert!(many.len() <= 2 * 50_000 / 100 + 1, "{} steps", many.len());
}

/// Stages a list in chunks and makes it a job.
fn submit_large(store: &Counted, targets: u64) {
    for first in (0..targets).step_by(1_000) {
        let chunk = Stage {
            id: "large".into(),
            session: "s".into(),
            first,
            targets: vec![calls::target("u"); 1_000],
            now: calls::NOW,
        };
        store.keep(&chunk, |tables, call| decide::stage(tables, call));
    }
    let mut call = calls::submit("large", Vec::new());
    (call.targets, call.total) = (Targets::Staged, targets);
    store.submit_call(&call);
}

/// S14.1, S1.3 a job of thousands of targets is cancelled, evicted and freed in small steps.
#[test]
fn b32_a_large_job_costs_no_more_than_a_small_one() {
    let costs = |targets| {
        let store = Counted::with_jobs(12);
        submit_large(&store, targets);
        let cancel = store.steps(|store| store.cancel("large"));
        // Of equal leases the newest job stays.
        store.submit("last", 1);
        store.cancel("last");
        let evict = store.steps(|store| assert!(store.evict(10) > 0));
        assert!(store.job("large").evicted);
        let freed = store.steps(|store| drop(store.sweep(calls::NOW, 100)));
        [cancel, evict, freed]
    };

    let (small, large) = (costs(1_000), costs(20_000));

    let apart = small.iter().zip(&large).map(|(a, b)| a.abs_diff(*b));
    assert!(apart.max().unwrap() <= SLACK, "{small:?} {large:?}");
}
