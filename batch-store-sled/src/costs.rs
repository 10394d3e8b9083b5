//! What a call costs, counted in keys that it looks at and not by a clock (S14).
//!
//! The same calls run on a store of twelve jobs and on one of thousands; their numbers
//! are to be equal.

use std::time::Duration;

use batch_core::decide::{self, Decision, Table};
use batch_core::id::SessionId;
use batch_core::store::StoreResult;
use batch_core::store::call::{Answer, Cancel, Finish, Start, Touch};
use batch_core::store::query::{JobQuery, StatsQuery};
use batch_core::store::reply::TakeReply;
use batch_testkit::calls;
use sled::Db;

use crate::step::Step;

const HOUR: Duration = Duration::from_hours(1);

/// A database, and how many keys each step on it looks at.
struct Counted(Db);

impl Counted {
    /// A third of the jobs done, a third waiting for a busy target, a third queued.
    fn with_jobs(jobs: usize) -> Self {
        let store = Self(sled::Config::new().temporary(true).open().unwrap());
        store.step(|step| decide::enter(step, &calls::enter(&session())));
        for job in 0..jobs / 3 {
            store.submit(&format!("done-{job}"));
            for _target in 0..2 {
                store.finish(Answer::Done { result: "1".into() });
            }
            store.submit(&format!("waiting-{job}"));
            store.finish(Answer::Busy { wait: HOUR });
        }
        for job in 0..jobs / 3 {
            store.submit(&format!("queued-{job}"));
        }
        store
    }

    /// Applies a decision; its reply, and the keys that were looked at.
    fn step<T>(&self, decide: impl FnOnce(&Step<'_>) -> StoreResult<Decision<T>>) -> (T, usize) {
        let mut step = Step::new(&self.0);
        let decision = decide(&step).unwrap();
        let reply = step.keep(decision).unwrap();
        let looked = step.looked.get();
        if let Some(batch) = step.into_batch() {
            self.0.apply_batch(batch).unwrap();
        }
        (reply, looked)
    }

    fn submit(&self, id: &str) -> usize {
        let call = calls::submit(id, vec![calls::target("u"); 2]);
        self.step(|step| decide::submit(step, &call)).1
    }

    fn take(&self) -> (TakeReply, usize) {
        self.step(|step| decide::take(step, &calls::take(&session())))
    }

    fn started(&self) -> Start {
        match self.take() {
            (TakeReply::Started(started), _) => started.start,
            (other, _) => panic!("nothing was started: {other:?}"),
        }
    }

    fn finish(&self, answer: Answer) -> usize {
        let call = Finish {
            answer,
            ..calls::done(&self.started(), "")
        };
        self.step(|step| decide::finish(step, &call)).1
    }

    fn read(&self, read: impl FnOnce(&Step<'_>)) -> usize {
        let step = Step::new(&self.0);
        read(&step);
        step.looked.get()
    }
}

fn session() -> SessionId {
    SessionId::from("s")
}

/// The calls on the way of a job, and the keys that each looks at.
fn costs(store: &Counted) -> Vec<(&'static str, usize)> {
    let cancel = Cancel {
        id: "new".into(),
        request: "r".into(),
        now: calls::NOW,
    };
    let touch = Touch {
        id: "queued-0".into(),
        now: calls::NOW.after(HOUR / 2),
    };
    let stats = StatsQuery {
        kind: "".into(),
        caller: Some("caller".into()),
    };
    vec![
        ("submit", store.submit("new")),
        ("take", store.take().1),
        ("done", store.finish(Answer::Done { result: "1".into() })),
        ("busy", store.finish(Answer::Busy { wait: HOUR })),
        ("cancel", store.step(|step| decide::cancel(step, &cancel)).1),
        ("touch", store.step(|step| decide::touch(step, &touch)).1),
        (
            "job",
            store.read(|step| drop(step.job_reply(&JobQuery::Id("done-0".into())).unwrap())),
        ),
        (
            "stats",
            store.read(|step| assert!(step.stats_of(&stats).unwrap().caller_live > 0)),
        ),
    ]
}

/// S14.1, R2.6
#[test]
fn a_call_costs_the_same_at_twelve_and_at_twenty_thousand_jobs() {
    let few = costs(&Counted::with_jobs(12));
    let many = costs(&Counted::with_jobs(20_001));

    assert!(few.iter().all(|(_, looked)| *looked > 0), "{few:?}");
    assert_eq!(few, many);
}
