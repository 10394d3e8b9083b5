//! How the rows of the decisions become values, and back.
//!
//! The order of fields is the format: a change of it is a new version of the codec. Jobs
//! are in `rows/job.rs`.

mod job;

use batch_core::decide::row::{
    Answered, KindRow, OpenRow, OutcomeRow, Parking, SessionRow, StageRow,
};
use batch_core::id::{JobId, Kind, SessionId, Ticket};
use batch_core::store::StoreResult;
use batch_core::store::call::NewTarget;
use batch_core::store::view::{Counters, KindStats, Outcome};

use crate::codec::{Decoder, Encoder};
use crate::error::damaged;

/// A row that has a value.
pub(crate) trait Value: Sized {
    fn encode(&self) -> Vec<u8>;
    fn decode(bytes: &[u8]) -> StoreResult<Self>;
}

impl Value for u64 {
    fn encode(&self) -> Vec<u8> {
        Encoder::new().number(*self).done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        Decoder::new(bytes)?.number()
    }
}

impl Value for String {
    fn encode(&self) -> Vec<u8> {
        Encoder::new().text(self).done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        Decoder::new(bytes)?.text()
    }
}

/// Where a row of a job is: `rows` and index.
pub(crate) type At = (u64, u64);

impl Value for At {
    fn encode(&self) -> Vec<u8> {
        Encoder::new().number(self.0).number(self.1).done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        let mut d = Decoder::new(bytes)?;
        Ok((d.number()?, d.number()?))
    }
}

impl Value for NewTarget {
    fn encode(&self) -> Vec<u8> {
        Encoder::new()
            .maybe(self.origin, Encoder::number)
            .text(&self.url)
            .text(&self.options)
            .done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        let d = &mut Decoder::new(bytes)?;
        Ok(Self {
            origin: d.maybe(Decoder::number)?,
            url: d.text()?,
            options: d.text()?,
        })
    }
}

impl Value for OpenRow {
    fn encode(&self) -> Vec<u8> {
        Encoder::new()
            .numbers([self.rows, self.seq, self.index, self.fence])
            .text(self.session.as_str())
            .maybe(self.ticket.as_ref(), |e, ticket| e.text(ticket.as_str()))
            .maybe(self.due, Encoder::time)
            .maybe(self.last.as_ref(), put_answered)
            .small(self.losses)
            .small(self.tries)
            .maybe(self.busy_since, Encoder::time)
            .done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        let d = &mut Decoder::new(bytes)?;
        Ok(Self {
            rows: d.number()?,
            seq: d.number()?,
            index: d.number()?,
            fence: d.number()?,
            session: SessionId::new(d.text()?),
            ticket: d.maybe(Decoder::text)?.map(Ticket::new),
            due: d.maybe(Decoder::time)?,
            last: d.maybe(get_answered)?,
            losses: d.small()?,
            tries: d.small()?,
            busy_since: d.maybe(Decoder::time)?,
        })
    }
}

fn put_answered(e: Encoder, last: &Answered) -> Encoder {
    let e = e.number(last.fence).text(last.session.as_str());
    match last.answer {
        Parking::Busy(wait) => e.byte(0).number(wait.cast_unsigned()),
        Parking::HandBack(wait) => e.byte(1).number(wait.cast_unsigned()),
        Parking::Refuse => e.byte(2),
    }
}

fn get_answered(d: &mut Decoder<'_>) -> StoreResult<Answered> {
    Ok(Answered {
        fence: d.number()?,
        session: SessionId::new(d.text()?),
        answer: match d.byte()? {
            0 => Parking::Busy(d.number()?.cast_signed()),
            1 => Parking::HandBack(d.number()?.cast_signed()),
            2 => Parking::Refuse,
            _ => return Err(damaged()),
        },
    })
}

impl Value for OutcomeRow {
    fn encode(&self) -> Vec<u8> {
        let known = Encoder::new()
            .numbers([self.rows, self.index, self.ordinal, self.fence])
            .text(self.session.as_str())
            .small(self.tries)
            .maybe(self.elapsed, Encoder::length)
            .time(self.stored);
        match &self.outcome {
            Outcome::Done { result } => known.byte(0).text(result),
            Outcome::Failed { error, hint } => known
                .byte(1)
                .text(error)
                .maybe(hint.as_deref(), Encoder::text),
        }
        .done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        let d = &mut Decoder::new(bytes)?;
        Ok(Self {
            rows: d.number()?,
            index: d.number()?,
            ordinal: d.number()?,
            fence: d.number()?,
            session: SessionId::new(d.text()?),
            tries: d.small()?,
            elapsed: d.maybe(Decoder::length)?,
            stored: d.time()?,
            outcome: match d.byte()? {
                0 => Outcome::Done { result: d.text()? },
                1 => Outcome::Failed {
                    error: d.text()?,
                    hint: d.maybe(Decoder::text)?,
                },
                _ => return Err(damaged()),
            },
        })
    }
}

impl Value for KindRow {
    fn encode(&self) -> Vec<u8> {
        let stats = &self.stats;
        let counters = &stats.counters;
        Encoder::new()
            .text(self.name.as_str())
            .numbers([self.turn, self.sessions, stats.live])
            .numbers(stats.jobs)
            .number(stats.terminal_bytes)
            .numbers([
                counters.jobs_submitted,
                counters.jobs_swept,
                counters.jobs_evicted,
                counters.jobs_done,
                counters.jobs_partial,
                counters.jobs_failed,
                counters.jobs_cancelled,
                counters.targets_done,
                counters.targets_failed,
                counters.targets_retried_later,
                counters.sessions_reaped,
            ])
            .done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        let d = &mut Decoder::new(bytes)?;
        Ok(Self {
            name: Kind::new(d.text()?),
            turn: d.number()?,
            sessions: d.number()?,
            stats: KindStats {
                live: d.number()?,
                jobs: d.numbers()?,
                terminal_bytes: d.number()?,
                counters: get_counters(d)?,
            },
        })
    }
}

fn get_counters(d: &mut Decoder<'_>) -> StoreResult<Counters> {
    Ok(Counters {
        jobs_submitted: d.number()?,
        jobs_swept: d.number()?,
        jobs_evicted: d.number()?,
        jobs_done: d.number()?,
        jobs_partial: d.number()?,
        jobs_failed: d.number()?,
        jobs_cancelled: d.number()?,
        targets_done: d.number()?,
        targets_failed: d.number()?,
        targets_retried_later: d.number()?,
        sessions_reaped: d.number()?,
    })
}

impl Value for SessionRow {
    fn encode(&self) -> Vec<u8> {
        Encoder::new()
            .text(self.id.as_str())
            .text(self.kind.as_str())
            .text(&self.host)
            .number(self.beat)
            .length(self.beat_length)
            .flag(self.dead)
            .time(self.entered)
            .time(self.seen)
            .done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        let d = &mut Decoder::new(bytes)?;
        Ok(Self {
            id: SessionId::new(d.text()?),
            kind: Kind::new(d.text()?),
            host: d.text()?,
            beat: d.number()?,
            beat_length: d.length()?,
            dead: d.flag()?,
            entered: d.time()?,
            seen: d.time()?,
        })
    }
}

impl Value for StageRow {
    fn encode(&self) -> Vec<u8> {
        Encoder::new()
            .text(self.id.as_str())
            .number(self.rows)
            .text(self.session.as_str())
            .numbers([self.count, self.bytes])
            .time(self.last)
            .done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        let d = &mut Decoder::new(bytes)?;
        Ok(Self {
            id: JobId::new(d.text()?),
            rows: d.number()?,
            session: SessionId::new(d.text()?),
            count: d.number()?,
            bytes: d.number()?,
            last: d.time()?,
        })
    }
}
