//! How the rows of the decisions become rows of SQLite, and back.
//!
//! Numbers that only Rust compares keep their 64 bits whatever their sign; numbers
//! that SQLite orders or looks up are checked, see `keys.rs`.

use batch_core::decide::row::{
    Answered, EndedBy, JobRow, KindRow, OpenRow, OutcomeRow, Parking, Place, SessionRow, StageRow,
};
use batch_core::id::{JobId, Kind, SessionId, Ticket};
use batch_core::state::JobStatus;
use batch_core::store::StoreResult;
use batch_core::store::call::{CallerName, Halt, Key, KeySpace, NewTarget};
use batch_core::store::view::{Counters, KindStats, Outcome};
use rusqlite::{Result, Row};

use crate::columns::Columns;
use crate::keys::{index_of, number};

pub(crate) fn read_job(row: &Row<'_>) -> Result<JobRow> {
    let mut c = Columns::of(row);
    Ok(JobRow {
        seq: c.count()?,
        rows: c.count()?,
        id: JobId::new(c.text()?),
        kind: Kind::new(c.text()?),
        caller: CallerName {
            name: c.text()?,
            class: c.text()?,
        },
        key: Key {
            space: c.meaning(space_of)?,
            text: c.text()?,
        },
        digest: c.text()?,
        width: c.get()?,
        halt: read_halt(&mut c)?,
        pin: pin_of(&c.text()?),
        ttl: c.length()?,
        max_losses: c.get()?,
        rerun_of: c.get::<Option<String>>()?.map(JobId::new),
        newest_rerun: c.get::<Option<String>>()?.map(JobId::new),
        created: c.time()?,
        started: c.maybe_time()?,
        finished: c.maybe_time()?,
        lease: c.time()?,
        expiry: c.time()?,
        status: c.meaning(status_of)?,
        error: c.get()?,
        ended_by: read_ended_by(&mut c)?,
        total: c.count()?,
        next: c.count()?,
        done: c.count()?,
        failed: c.count()?,
        running: c.count()?,
        parked: c.count()?,
        halting: c.flag()?,
        evicted: c.flag()?,
        bytes: c.count()?,
        place: read_place(&mut c)?,
    })
}

fn read_place(c: &mut Columns<'_>) -> Result<Place> {
    let pos: Option<i64> = c.get()?;
    let due = c.maybe_time()?;
    Ok(match (pos, due) {
        (Some(pos), _) => Place::Ready {
            pos: pos.cast_unsigned(),
        },
        (None, Some(due)) => Place::Waiting { due },
        (None, None) => Place::Nowhere,
    })
}

/// Position and due time of a place.
pub(crate) fn place(place: Place) -> StoreResult<(Option<i64>, Option<i64>)> {
    Ok(match place {
        Place::Ready { pos } => (Some(number(pos)?), None),
        Place::Waiting { due } => (None, Some(due.as_millis())),
        Place::Nowhere => (None, None),
    })
}

fn read_halt(c: &mut Columns<'_>) -> Result<Halt> {
    let sort = c.meaning(|sort| (0..=2).contains(&sort).then_some(sort))?;
    let at = c.count()?;
    Ok(match sort {
        0 => Halt::Never,
        1 => Halt::Failures(at),
        _ => Halt::Percent(u8::try_from(at).unwrap_or(u8::MAX)),
    })
}

/// The sort of a halt, and its limit.
pub(crate) fn halt(halt: Halt) -> (i64, i64) {
    match halt {
        Halt::Never => (0, 0),
        Halt::Failures(limit) => (1, limit.cast_signed()),
        Halt::Percent(percent) => (2, i64::from(percent)),
    }
}

/// The pin as a column: empty for the shared set, so that equality finds either.
pub(crate) fn pin(session: Option<&SessionId>) -> String {
    session.map_or_else(String::new, |session| format!("@{session}"))
}

fn pin_of(text: &str) -> Option<SessionId> {
    text.strip_prefix('@').map(SessionId::from)
}

pub(crate) fn space(space: KeySpace) -> i64 {
    match space {
        KeySpace::Content => 0,
        KeySpace::Client => 1,
        KeySpace::Rerun => 2,
    }
}

fn space_of(value: i64) -> Option<KeySpace> {
    match value {
        0 => Some(KeySpace::Content),
        1 => Some(KeySpace::Client),
        2 => Some(KeySpace::Rerun),
        _ => None,
    }
}

pub(crate) fn status(status: JobStatus) -> i64 {
    match status {
        JobStatus::Queued => 0,
        JobStatus::Running => 1,
        JobStatus::Done => 2,
        JobStatus::Partial => 3,
        JobStatus::Failed => 4,
        JobStatus::Cancelled => 5,
    }
}

fn status_of(value: i64) -> Option<JobStatus> {
    JobStatus::ALL
        .into_iter()
        .find(|known| status(*known) == value)
}

/// How a job ended, as its four columns.
pub(crate) struct EndedColumns<'a> {
    pub(crate) by: i64,
    pub(crate) index: Option<i64>,
    pub(crate) name: Option<&'a str>,
    pub(crate) fence: Option<i64>,
}

pub(crate) fn ended_by(ended: Option<&EndedBy>) -> EndedColumns<'_> {
    let plain = |by| EndedColumns {
        by,
        index: None,
        name: None,
        fence: None,
    };
    match ended {
        None => plain(0),
        Some(EndedBy::Finish {
            index,
            session,
            fence,
        }) => EndedColumns {
            by: 1,
            index: Some(index.cast_signed()),
            name: Some(session.as_str()),
            fence: Some(fence.cast_signed()),
        },
        Some(EndedBy::Cancel { request }) => EndedColumns {
            name: Some(request),
            ..plain(2)
        },
        Some(EndedBy::Reap) => plain(3),
        Some(EndedBy::Expiry) => plain(4),
    }
}

fn read_ended_by(c: &mut Columns<'_>) -> Result<Option<EndedBy>> {
    let by = c.meaning(|by| (0..=4).contains(&by).then_some(by))?;
    let index: Option<i64> = c.get()?;
    let name: Option<String> = c.get()?;
    let fence: Option<i64> = c.get()?;
    let name = name.unwrap_or_default();
    Ok(match by {
        1 => Some(EndedBy::Finish {
            index: index.unwrap_or_default().cast_unsigned(),
            session: SessionId::new(name),
            fence: fence.unwrap_or_default().cast_unsigned(),
        }),
        2 => Some(EndedBy::Cancel { request: name }),
        3 => Some(EndedBy::Reap),
        4 => Some(EndedBy::Expiry),
        _ => None,
    })
}

pub(crate) fn read_kind(row: &Row<'_>) -> Result<KindRow> {
    let mut c = Columns::of(row);
    Ok(KindRow {
        name: Kind::new(c.text()?),
        turn: c.count()?,
        sessions: c.count()?,
        stats: KindStats {
            live: c.count()?,
            jobs: [
                c.count()?,
                c.count()?,
                c.count()?,
                c.count()?,
                c.count()?,
                c.count()?,
            ],
            terminal_bytes: c.count()?,
            counters: Counters {
                jobs_submitted: c.count()?,
                jobs_swept: c.count()?,
                jobs_evicted: c.count()?,
                jobs_done: c.count()?,
                jobs_partial: c.count()?,
                jobs_failed: c.count()?,
                jobs_cancelled: c.count()?,
                targets_done: c.count()?,
                targets_failed: c.count()?,
                targets_retried_later: c.count()?,
                sessions_reaped: c.count()?,
            },
        },
    })
}

pub(crate) fn read_session(row: &Row<'_>) -> Result<SessionRow> {
    let mut c = Columns::of(row);
    Ok(SessionRow {
        id: SessionId::new(c.text()?),
        kind: Kind::new(c.text()?),
        host: c.text()?,
        beat: c.count()?,
        beat_length: c.length()?,
        dead: c.flag()?,
        entered: c.time()?,
        seen: c.time()?,
    })
}

pub(crate) fn read_stage(row: &Row<'_>) -> Result<StageRow> {
    let mut c = Columns::of(row);
    Ok(StageRow {
        id: JobId::new(c.text()?),
        rows: c.count()?,
        session: SessionId::new(c.text()?),
        count: c.count()?,
        bytes: c.count()?,
        last: c.time()?,
    })
}

pub(crate) fn read_target(row: &Row<'_>) -> Result<NewTarget> {
    let mut c = Columns::of(row);
    let origin: Option<i64> = c.get()?;
    Ok(NewTarget {
        origin: origin.map(i64::cast_unsigned),
        url: c.text()?,
        options: c.text()?,
    })
}

pub(crate) fn read_open(row: &Row<'_>) -> Result<OpenRow> {
    let mut c = Columns::of(row);
    Ok(OpenRow {
        index: c.get().map(index_of)?,
        rows: c.count()?,
        seq: c.count()?,
        fence: c.count()?,
        session: SessionId::new(c.text()?),
        ticket: c.get::<Option<String>>()?.map(Ticket::new),
        due: c.maybe_time()?,
        last: read_answered(&mut c)?,
        losses: c.get()?,
        tries: c.get()?,
        busy_since: c.maybe_time()?,
    })
}

fn read_answered(c: &mut Columns<'_>) -> Result<Option<Answered>> {
    let fence: Option<i64> = c.get()?;
    let session: Option<String> = c.get()?;
    let answer: Option<i64> = c.get()?;
    let wait = c.get::<Option<i64>>()?.unwrap_or_default();
    let (Some(fence), Some(session)) = (fence, session) else {
        return Ok(None);
    };
    Ok(Some(Answered {
        fence: fence.cast_unsigned(),
        session: SessionId::new(session),
        answer: match answer {
            Some(0) => Parking::Busy(wait),
            Some(1) => Parking::HandBack(wait),
            _ => Parking::Refuse,
        },
    }))
}

/// The sort of an answer without an outcome, and its wait.
pub(crate) fn parking(answer: Parking) -> (i64, i64) {
    match answer {
        Parking::Busy(wait) => (0, wait),
        Parking::HandBack(wait) => (1, wait),
        Parking::Refuse => (2, 0),
    }
}

pub(crate) fn read_outcome(row: &Row<'_>) -> Result<OutcomeRow> {
    let mut c = Columns::of(row);
    Ok(OutcomeRow {
        index: c.get().map(index_of)?,
        rows: c.count()?,
        ordinal: c.count()?,
        fence: c.count()?,
        session: SessionId::new(c.text()?),
        tries: c.get()?,
        elapsed: c.maybe_length()?,
        stored: c.time()?,
        outcome: read_result(&mut c)?,
    })
}

fn read_result(c: &mut Columns<'_>) -> Result<Outcome> {
    let failed = c.flag()?;
    let hint: Option<String> = c.get()?;
    let text = c.text()?;
    Ok(if failed {
        Outcome::Failed { error: text, hint }
    } else {
        Outcome::Done { result: text }
    })
}

/// Whether an outcome is a failure, its hint, and its result or error.
pub(crate) fn result(outcome: &Outcome) -> (i64, Option<&str>, &str) {
    match outcome {
        Outcome::Done { result } => (0, None, result),
        Outcome::Failed { error, hint } => (1, hint.as_deref(), error),
    }
}
