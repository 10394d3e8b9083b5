//! How a change of the decisions is written, inside the writer's transaction.

use batch_core::decide::row::{JobRow, KindRow, OpenRow, OutcomeRow, SessionRow, StageRow};
use batch_core::decide::{Change, Freed, Table};
use batch_core::store::StoreResult;
use batch_core::store::call::NewTarget;
use batch_core::time;
use rusqlite::params;

use crate::keys::{at, number, span};
use crate::rows::{ended_by, halt, parking, pin, place, result, space, status};
use crate::sql;
use crate::tables::Tables;

impl Table for Tables<'_> {
    fn apply(&mut self, change: Change) -> StoreResult<()> {
        match change {
            Change::Sequence(last) => self.run(sql::PUT_SEQUENCE, [number(last)?]).map(drop),
            Change::AddJob { job, note } => self.add_job(&job, &note),
            Change::PutJob { before, after } => self.put_job(&before, &after),
            Change::RemoveJob(job) => self.remove_job(&job),
            Change::PutTargets {
                rows,
                first,
                targets,
            } => self.put_targets(rows, first, &targets),
            Change::PutOpen(open) => self.put_open(&open),
            Change::RemoveOpen { rows, index } => {
                self.run(sql::REMOVE_OPEN, [at(rows, index)?]).map(drop)
            }
            Change::AddOutcome(outcome) => self.add_outcome(&outcome),
            Change::AddDust { rows } => self.run(sql::ADD_DUST, [number(rows)?]).map(drop),
            Change::PutKind(kind) => self.put_kind(&kind),
            Change::RemoveKind(kind) => self.run(sql::REMOVE_KIND, [kind.as_str()]).map(drop),
            Change::PutCaller(caller) if caller.live == 0 => {
                let params = [caller.kind.as_str(), &caller.name];
                self.run(sql::REMOVE_CALLER, params).map(drop)
            }
            Change::PutCaller(caller) => {
                let params = (
                    caller.kind.as_str(),
                    &caller.name,
                    caller.live.cast_signed(),
                );
                self.run(sql::PUT_CALLER, params).map(drop)
            }
            Change::PutSession(session) => self.put_session(&session),
            Change::RemoveSession(id) => self.run(sql::REMOVE_SESSION, [id.as_str()]).map(drop),
            Change::PutStage(stage) => self.put_stage(&stage),
            Change::RemoveStage(id) => self.run(sql::REMOVE_STAGE, [id.as_str()]).map(drop),
        }
    }

    fn free_dust(&mut self, max: u32) -> StoreResult<Freed> {
        let mut rows = 0;
        while rows < max {
            let Some(dust) = self.first_dust()? else {
                return Ok(Freed { rows, more: false });
            };
            let freed = self.free(dust, max - rows)?;
            rows += freed;
            if rows < max {
                self.run(sql::REMOVE_DUST, [number(dust)?])?;
            }
        }
        let more = self.first_dust()?.is_some();
        Ok(Freed { rows, more })
    }
}

impl Tables<'_> {
    fn add_job(&self, job: &JobRow, note: &str) -> StoreResult<()> {
        let (halt, halt_at) = halt(job.halt);
        let ended = ended_by(job.ended_by.as_ref());
        let (pos, due) = place(job.place)?;
        self.run(
            sql::ADD_JOB,
            params![
                number(job.seq)?,
                number(job.rows)?,
                job.id.as_str(),
                job.kind.as_str(),
                job.caller.name,
                job.caller.class,
                space(job.key.space),
                job.key.text,
                job.digest,
                job.width,
                halt,
                halt_at,
                pin(job.pin.as_ref()),
                time::millis(job.ttl),
                job.max_losses,
                job.rerun_of.as_ref().map(batch_core::id::JobId::as_str),
                job.newest_rerun.as_ref().map(batch_core::id::JobId::as_str),
                job.created.as_millis(),
                job.started.map(batch_core::time::Timestamp::as_millis),
                job.finished.map(batch_core::time::Timestamp::as_millis),
                job.lease.as_millis(),
                job.expiry.as_millis(),
                status(job.status),
                job.error,
                ended.by,
                ended.index,
                ended.name,
                ended.fence,
                job.total.cast_signed(),
                job.next.cast_signed(),
                job.done.cast_signed(),
                job.failed.cast_signed(),
                job.running.cast_signed(),
                job.parked.cast_signed(),
                job.halting,
                job.evicted,
                job.bytes.cast_signed(),
                pos,
                due,
                freeable(job),
                pinned(job),
            ],
        )?;
        self.name_job(job, note)
    }

    /// The key names the job from now on; its note is kept beside it.
    fn name_job(&self, job: &JobRow, note: &str) -> StoreResult<()> {
        let seq = number(job.seq)?;
        let params = params![
            job.kind.as_str(),
            job.caller.name,
            space(job.key.space),
            job.key.text,
            seq
        ];
        self.run(sql::PUT_KEY, params)?;
        if !note.is_empty() {
            self.run(sql::ADD_NOTE, (seq, note))?;
        }
        Ok(())
    }

    fn put_job(&self, before: &JobRow, after: &JobRow) -> StoreResult<()> {
        if is_turn(before, after) {
            self.turn_job(after)
        } else {
            self.put_whole_job(after)
        }
    }

    fn turn_job(&self, job: &JobRow) -> StoreResult<()> {
        let (pos, _) = place(job.place)?;
        let params = params![
            number(job.seq)?,
            job.lease.as_millis(),
            job.next.cast_signed(),
            job.done.cast_signed(),
            job.failed.cast_signed(),
            job.running.cast_signed(),
            job.parked.cast_signed(),
            job.halting,
            job.bytes.cast_signed(),
            pos
        ];
        self.run(sql::TURN_JOB, params).map(drop)
    }

    fn put_whole_job(&self, job: &JobRow) -> StoreResult<()> {
        let (pos, due) = place(job.place)?;
        let ended = ended_by(job.ended_by.as_ref());
        let params = params![
            number(job.seq)?,
            job.lease.as_millis(),
            job.next.cast_signed(),
            job.done.cast_signed(),
            job.failed.cast_signed(),
            job.running.cast_signed(),
            job.parked.cast_signed(),
            job.halting,
            job.bytes.cast_signed(),
            pos,
            due,
            job.newest_rerun.as_ref().map(batch_core::id::JobId::as_str),
            job.started.map(batch_core::time::Timestamp::as_millis),
            job.finished.map(batch_core::time::Timestamp::as_millis),
            job.expiry.as_millis(),
            status(job.status),
            job.error,
            ended.by,
            ended.index,
            ended.name,
            ended.fence,
            job.evicted,
            freeable(job),
            pinned(job)
        ];
        self.run(sql::PUT_JOB, params).map(drop)
    }

    fn remove_job(&self, job: &JobRow) -> StoreResult<()> {
        let seq = number(job.seq)?;
        self.run(sql::REMOVE_JOB, [seq])?;
        self.run(sql::REMOVE_NOTE, [seq])?;
        let params = params![
            job.kind.as_str(),
            job.caller.name,
            space(job.key.space),
            job.key.text,
            seq
        ];
        self.run(sql::REMOVE_KEY, params).map(drop)
    }

    fn put_targets(&self, rows: u64, first: u64, targets: &[NewTarget]) -> StoreResult<()> {
        for (index, target) in (first..).zip(targets) {
            let origin = target.origin.map(u64::cast_signed);
            let params = (at(rows, index)?, origin, &target.url, &target.options);
            self.run(sql::PUT_TARGET, params)?;
        }
        Ok(())
    }

    fn put_open(&self, open: &OpenRow) -> StoreResult<()> {
        let last = open.last.as_ref();
        let answer = last.map(|last| parking(last.answer));
        let params = params![
            at(open.rows, open.index)?,
            number(open.rows)?,
            number(open.seq)?,
            open.fence.cast_signed(),
            open.session.as_str(),
            open.ticket.as_ref().map(batch_core::id::Ticket::as_str),
            open.due.map(batch_core::time::Timestamp::as_millis),
            last.map(|last| last.fence.cast_signed()),
            last.map(|last| last.session.as_str()),
            answer.map(|(sort, _)| sort),
            answer.map(|(_, wait)| wait),
            open.losses,
            open.tries,
            open.busy_since.map(batch_core::time::Timestamp::as_millis)
        ];
        self.run(sql::PUT_OPEN, params).map(drop)
    }

    fn add_outcome(&self, outcome: &OutcomeRow) -> StoreResult<()> {
        let (status, hint, text) = result(&outcome.outcome);
        let params = params![
            at(outcome.rows, outcome.index)?,
            number(outcome.rows)?,
            number(outcome.ordinal)?,
            outcome.fence.cast_signed(),
            outcome.session.as_str(),
            outcome.tries,
            outcome.elapsed.map(time::millis),
            outcome.stored.as_millis(),
            status,
            hint,
            text
        ];
        self.run(sql::ADD_OUTCOME, params).map(drop)
    }

    fn put_kind(&self, kind: &KindRow) -> StoreResult<()> {
        let stats = &kind.stats;
        let counters = &stats.counters;
        let [queued, running, done, partial, failed, cancelled] = stats.jobs.map(u64::cast_signed);
        let params = params![
            kind.name.as_str(),
            kind.turn.cast_signed(),
            kind.sessions.cast_signed(),
            stats.live.cast_signed(),
            queued,
            running,
            done,
            partial,
            failed,
            cancelled,
            stats.terminal_bytes.cast_signed(),
            counters.jobs_submitted.cast_signed(),
            counters.jobs_swept.cast_signed(),
            counters.jobs_evicted.cast_signed(),
            counters.jobs_done.cast_signed(),
            counters.jobs_partial.cast_signed(),
            counters.jobs_failed.cast_signed(),
            counters.jobs_cancelled.cast_signed(),
            counters.targets_done.cast_signed(),
            counters.targets_failed.cast_signed(),
            counters.targets_retried_later.cast_signed(),
            counters.sessions_reaped.cast_signed(),
            kind.is_empty().then_some(1)
        ];
        self.run(sql::PUT_KIND, params).map(drop)
    }

    fn put_session(&self, session: &SessionRow) -> StoreResult<()> {
        let params = params![
            session.id.as_str(),
            session.kind.as_str(),
            session.host,
            session.beat.cast_signed(),
            time::millis(session.beat_length),
            session.dead,
            session.entered.as_millis(),
            session.seen.as_millis()
        ];
        self.run(sql::PUT_SESSION, params).map(drop)
    }

    fn put_stage(&self, stage: &StageRow) -> StoreResult<()> {
        let params = params![
            stage.id.as_str(),
            number(stage.rows)?,
            stage.session.as_str(),
            stage.count.cast_signed(),
            stage.bytes.cast_signed(),
            stage.last.as_millis()
        ];
        self.run(sql::PUT_STAGE, params).map(drop)
    }

    fn first_dust(&self) -> StoreResult<Option<u64>> {
        self.one(sql::DUST, [], |row| row.get::<_, i64>(0))
            .map(|rows| rows.map(i64::cast_unsigned))
    }

    /// Frees at most `max` targets of a job that is gone, with all that belongs to them.
    fn free(&self, rows: u64, max: u32) -> StoreResult<u32> {
        let (first, end) = span(rows)?;
        let behind = (first, end, max.saturating_sub(1));
        let last = self.one(sql::TARGET_BEHIND, behind, |row| row.get(0))?;
        let last: i64 = last.unwrap_or(end);
        self.run(sql::FREE_OPEN, [first, last])?;
        self.run(sql::FREE_OUTCOMES, [first, last])?;
        let freed = self.run(sql::FREE_TARGETS, [first, last])?;
        Ok(u32::try_from(freed).unwrap_or(max))
    }
}

/// The lease, for the index of what may be freed (S7).
fn freeable(job: &JobRow) -> Option<i64> {
    job.is_freeable().then_some(job.lease.as_millis())
}

/// The pin of a live job, for the index of what a session keeps (R9.4).
fn pinned(job: &JobRow) -> Option<&str> {
    let pin = job.pin.as_ref().filter(|_| job.status.is_live());
    pin.map(batch_core::id::SessionId::as_str)
}

/// Whether only columns changed that a turn changes: the short update will do.
fn is_turn(before: &JobRow, after: &JobRow) -> bool {
    let due = |job: &JobRow| match job.place {
        batch_core::decide::row::Place::Waiting { due } => Some(due),
        _ => None,
    };
    before.status == after.status
        && due(before) == due(after)
        && freeable(before) == freeable(after)
        && before.expiry == after.expiry
        && before.started == after.started
        && before.finished == after.finished
        && before.error == after.error
        && before.ended_by == after.ended_by
        && before.evicted == after.evicted
        && before.newest_rerun == after.newest_rerun
}
