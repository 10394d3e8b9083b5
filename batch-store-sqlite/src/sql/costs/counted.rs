//! A store that holds jobs of every sort, and counts the steps of its machine.

use batch_core::decide::row::JobRow;
use batch_core::decide::{self, Decision, Rows, Table};
use batch_core::id::{RequestId, SessionId};
use batch_core::store::StoreResult;
use batch_core::store::call::{Answer, Cancel, Evict, Finish, Start, Submit, Sweep, Take};
use batch_core::store::reply::{Swept, TakeReply};
use batch_core::time::Timestamp;
use rusqlite::{Connection, StatementStatus};

use super::{HOUR, calls};
use crate::connect::open_in_memory;
use crate::options::Options;
use crate::sql::{ALL, BEGIN_WRITE, COMMIT};
use crate::tables::{Tables, execute};

/// A store whose work is counted.
pub(super) struct Counted {
    pub(super) conn: Connection,
}

impl Counted {
    /// Jobs that are done, that wait, that are cancelled and that are queued, as many of each.
    pub(super) fn with_jobs(jobs: u64) -> Self {
        let store = Self {
            conn: open_in_memory(&Options::default()).unwrap().writer,
        };
        execute(&store.conn, BEGIN_WRITE).unwrap();
        for session in ["s", "dead"] {
            let call = calls::enter(&SessionId::from(session));
            store.keep(&call, |tables, call| decide::enter(tables, call));
        }
        for job in 0..jobs / 4 {
            store.submit(&format!("done-{job}"), 2);
            store.run("s", Answer::Done { result: "1".into() });
            store.run("s", Answer::Done { result: "1".into() });
            store.submit(&format!("waiting-{job}"), 2);
            store.run("s", Answer::Busy { wait: HOUR });
            store.submit(&format!("cancelled-{job}"), 2);
            store.cancel(&format!("cancelled-{job}"));
        }
        for job in 0..jobs / 4 {
            store.submit(&format!("queued-{job}"), 2);
        }
        execute(&store.conn, COMMIT).unwrap();
        store
    }

    pub(super) fn keep<C, T>(
        &self,
        call: &C,
        decide: impl Fn(&Tables<'_>, &C) -> StoreResult<Decision<T>>,
    ) -> T {
        let mut tables = Tables::new(&self.conn);
        let decision = decide(&tables, call).unwrap();
        tables.keep(decision).unwrap()
    }

    pub(super) fn submit(&self, id: &str, targets: usize) {
        self.submit_call(&calls::submit(id, vec![calls::target("u"); targets]));
    }

    pub(super) fn submit_call(&self, call: &Submit) {
        self.keep(call, |tables, call| decide::submit(tables, call));
    }

    pub(super) fn start(&self, session: &str) -> Start {
        let call: Take = calls::take(&SessionId::from(session));
        match self.keep(&call, |tables, call| decide::take(tables, call)) {
            TakeReply::Started(started) => started.start,
            other => panic!("nothing was started: {other:?}"),
        }
    }

    pub(super) fn finish(&self, start: &Start, answer: Answer) {
        let call = Finish {
            answer,
            ..calls::done(start, "")
        };
        self.keep(&call, |tables, call| decide::finish(tables, call));
    }

    pub(super) fn run(&self, session: &str, answer: Answer) {
        self.finish(&self.start(session), answer);
    }

    pub(super) fn cancel(&self, id: &str) {
        let call = Cancel {
            id: id.into(),
            request: RequestId::from("r"),
            now: calls::NOW,
        };
        self.keep(&call, |tables, call| decide::cancel(tables, call));
    }

    pub(super) fn job(&self, id: &str) -> JobRow {
        Tables::new(&self.conn).job(&id.into()).unwrap().unwrap()
    }

    pub(super) fn sweep(&self, now: Timestamp, max: u32) -> Swept {
        decide::sweep(&mut Tables::new(&self.conn), &Sweep { now, max }).unwrap()
    }

    /// Evicts down to nothing; how many jobs in one step.
    pub(super) fn evict(&self, max: u32) -> u64 {
        let call = Evict {
            kind: "".into(),
            max_bytes: 0,
            max,
        };
        decide::evict(&mut Tables::new(&self.conn), &call)
            .unwrap()
            .jobs
    }

    /// The steps of the machine that `act` takes, over all statements.
    pub(super) fn steps(&self, act: impl FnOnce(&Self)) -> i32 {
        self.read_off();
        act(self);
        self.read_off()
    }

    fn read_off(&self) -> i32 {
        let of = |sql| {
            let statement = self.conn.prepare_cached(sql).unwrap();
            statement.reset_status(StatementStatus::VmStep)
        };
        ALL.iter().map(|(_, sql)| of(*sql)).sum()
    }
}
