//! What the decisions read and change, counted at few and at many jobs (S14).

use std::cell::Cell;
use std::time::Duration;

use super::tables::Tables;
use crate::decide::row::{JobRow, KindRow, OpenRow, OutcomeRow, SessionRow, StageRow};
use crate::decide::{self, Decision, Rows, Table};
use crate::id::{JobId, Kind, SessionId, Ticket};
use crate::store::StoreResult;
use crate::store::call::{
    Answer, CallerName, Cancel, Caps, Enter, Finish, Halt, Key, KeySpace, NewTarget, Recovery,
    Reuse, Settings, Start, Submit, Take, Targets, Touch,
};
use crate::store::reply::TakeReply;
use crate::time::Timestamp;

/// Tables whose reads are counted: a look-up is one, and each row that it finds.
#[derive(Default)]
struct Counted {
    tables: Tables,
    reads: Cell<usize>,
}

impl Counted {
    fn one<T>(&self, found: StoreResult<Option<T>>) -> StoreResult<Option<T>> {
        self.reads.set(self.reads.get() + 1);
        found
    }

    fn all<T>(&self, found: StoreResult<Vec<T>>) -> StoreResult<Vec<T>> {
        let rows = found.as_ref().map_or(0, Vec::len);
        self.reads.set(self.reads.get() + 1 + rows);
        found
    }
}

macro_rules! counted {
    ($($how:ident $name:ident($($arg:ident: $of:ty),*) -> $found:ty;)*) => {
        impl Rows for Counted {
            fn sequence(&self) -> StoreResult<u64> {
                self.tables.sequence()
            }

            fn caller_live(&self, kind: &Kind, caller: &str) -> StoreResult<u64> {
                self.tables.caller_live(kind, caller)
            }

            $(fn $name(&self, $($arg: $of),*) -> StoreResult<$found> {
                self.$how(self.tables.$name($($arg),*))
            })*
        }
    };
}

counted! {
    one job(id: &JobId) -> Option<JobRow>;
    one job_at(seq: u64) -> Option<JobRow>;
    one key(kind: &Kind, caller: &str, key: &Key) -> Option<u64>;
    one kind(name: &Kind) -> Option<KindRow>;
    one session(id: &SessionId) -> Option<SessionRow>;
    one stage(id: &JobId) -> Option<StageRow>;
    one target(rows: u64, index: u64) -> Option<NewTarget>;
    one open(rows: u64, index: u64) -> Option<OpenRow>;
    one outcome(rows: u64, index: u64) -> Option<OutcomeRow>;
    one stored(rows: u64, ordinal: u64) -> Option<u64>;
    all parked(rows: u64, max: usize) -> Vec<OpenRow>;
    one held_under(session: &SessionId, ticket: &Ticket) -> Option<OpenRow>;
    all held(session: &SessionId, max: usize) -> Vec<OpenRow>;
    one ready_head(kind: &Kind, pin: Option<&SessionId>) -> Option<JobRow>;
    one waiting_head(kind: &Kind, pin: Option<&SessionId>) -> Option<JobRow>;
    all pinned(session: &SessionId, max: usize) -> Vec<JobRow>;
    all stages_of(session: &SessionId, max: usize) -> Vec<StageRow>;
    one stage_before(latest: Timestamp) -> Option<StageRow>;
    all expiring(now: Timestamp, max: usize) -> Vec<JobRow>;
    all freeable(kind: &Kind, max: usize) -> Vec<JobRow>;
    one empty_kind() -> Option<KindRow>;
}

const NOW: Timestamp = Timestamp::from_millis(1_750_000_000_000);
const HOUR: Duration = Duration::from_hours(1);

impl Counted {
    /// A third of the jobs is done, a third waits, a third is queued.
    fn with_jobs(jobs: u64) -> Self {
        let mut store = Self::default();
        let enter = Enter {
            session: "s".into(),
            kind: Kind::default(),
            host: String::new(),
            beat_length: Duration::from_secs(2),
            now: NOW,
        };
        store.keep(decide::enter(&store, &enter));
        for job in 0..jobs / 3 {
            store.submit(&format!("done-{job}"));
            store.run(done());
            store.run(done());
            store.submit(&format!("waiting-{job}"));
            store.run(Answer::Busy { wait: HOUR });
        }
        for job in 0..jobs / 3 {
            store.submit(&format!("queued-{job}"));
        }
        store
    }

    /// Applies a decision; its reply, and how many rows it changed.
    fn keep<T>(&mut self, decision: StoreResult<Decision<T>>) -> (T, usize) {
        let decision = decision.unwrap();
        let changes = decision.changes.len();
        (self.tables.keep(decision).unwrap(), changes)
    }

    fn submit(&mut self, id: &str) -> usize {
        self.keep(decide::submit(self, &submit(id))).1
    }

    fn start(&mut self) -> (Start, usize) {
        let take = Take {
            session: "s".into(),
            ticket: Ticket::random(),
            now: NOW,
        };
        match self.keep(decide::take(self, &take)) {
            (TakeReply::Started(started), changes) => (started.start, changes),
            (other, _) => panic!("nothing was started: {other:?}"),
        }
    }

    fn finish(&mut self, start: Start, answer: Answer) -> usize {
        let finish = Finish {
            start,
            answer,
            elapsed: Duration::ZERO,
            now: NOW,
        };
        self.keep(decide::finish(self, &finish)).1
    }

    fn run(&mut self, answer: Answer) {
        let start = self.start().0;
        self.finish(start, answer);
    }

    /// What `act` reads and changes.
    fn cost(&mut self, act: impl FnOnce(&mut Self) -> usize) -> (usize, usize) {
        self.reads.set(0);
        let changes = act(self);
        (self.reads.get(), changes)
    }
}

fn done() -> Answer {
    Answer::Done {
        result: "1".to_owned(),
    }
}

/// A job of two targets.
fn submit(id: &str) -> Submit {
    let target = NewTarget {
        url: "u".to_owned(),
        options: "{}".to_owned(),
        origin: None,
    };
    Submit {
        id: id.into(),
        kind: Kind::default(),
        caller: CallerName {
            name: "caller".to_owned(),
            class: String::new(),
        },
        key: Key {
            space: KeySpace::Content,
            text: id.to_owned(),
        },
        digest: id.to_owned(),
        reuse: Reuse::Allowed,
        settings: Settings {
            width: 1,
            halt: Halt::Never,
            recovery: Recovery::Resume,
            ttl: HOUR,
            max_losses: 3,
            rerun_of: None,
            note: String::new(),
        },
        total: 2,
        targets: Targets::Inline(vec![target.clone(), target]),
        caps: Caps {
            targets_per_job: u64::MAX,
            jobs_per_caller: u64::MAX,
            jobs_total: u64::MAX,
        },
        now: NOW,
    }
}

/// Reads and changes of the calls on the way of a job.
fn costs(jobs: u64) -> Vec<(&'static str, (usize, usize))> {
    let mut store = Counted::with_jobs(jobs);
    let submitted = store.cost(|store| store.submit("new"));
    let taken = store.cost(|store| store.start().1);
    let start = store.start().0;
    let finished = store.cost(|store| store.finish(start, done()));
    let cancel = Cancel {
        id: "new".into(),
        request: "r".into(),
        now: NOW,
    };
    let touch = Touch {
        id: "done-0".into(),
        now: NOW.after(HOUR / 2),
    };
    vec![
        ("submit", submitted),
        ("take", taken),
        ("finish", finished),
        (
            "cancel",
            store.cost(|store| store.keep(decide::cancel(store, &cancel)).1),
        ),
        (
            "touch",
            store.cost(|store| store.keep(decide::touch(store, &touch)).1),
        ),
    ]
}

/// S14.1 no decision reads or changes more rows where more are stored.
#[test]
fn a_decision_reads_as_much_at_ten_as_at_ten_thousand_jobs() {
    let (few, many) = (costs(12), costs(12_000));

    assert!(
        few.iter()
            .all(|(_, (reads, changes))| *reads > 0 && *changes > 0)
    );
    assert_eq!(few, many);
}
