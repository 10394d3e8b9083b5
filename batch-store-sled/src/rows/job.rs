//! The value of a job, field by field.

use batch_core::decide::row::{EndedBy, JobRow, Place};
use batch_core::id::{JobId, Kind, SessionId};
use batch_core::state::JobStatus;
use batch_core::store::StoreResult;
use batch_core::store::call::{CallerName, Halt, Key, KeySpace};

use super::Value;
use crate::codec::{Decoder, Encoder};
use crate::error::damaged;

impl Value for JobRow {
    fn encode(&self) -> Vec<u8> {
        let (halt, limit) = halt(self.halt);
        let known = Encoder::new()
            .number(self.seq)
            .number(self.rows)
            .text(self.id.as_str())
            .text(self.kind.as_str())
            .text(&self.caller.name)
            .text(&self.caller.class)
            .byte(space(self.key.space))
            .text(&self.key.text)
            .text(&self.digest)
            .small(self.width)
            .byte(halt)
            .number(limit)
            .maybe(self.pin.as_ref(), |e, id| e.text(id.as_str()))
            .length(self.ttl)
            .small(self.max_losses)
            .maybe(self.rerun_of.as_ref(), |e, id| e.text(id.as_str()))
            .maybe(self.newest_rerun.as_ref(), |e, id| e.text(id.as_str()));
        let ended = known
            .time(self.created)
            .maybe(self.started, Encoder::time)
            .maybe(self.finished, Encoder::time)
            .time(self.lease)
            .time(self.expiry)
            .byte(status(self.status))
            .maybe(self.error.as_deref(), Encoder::text)
            .maybe(self.ended_by.as_ref(), put_ended_by);
        let counted = ended
            .numbers([self.total, self.next, self.done, self.failed])
            .numbers([self.running, self.parked, self.bytes])
            .flag(self.halting)
            .flag(self.evicted);
        put_place(counted, self.place).done()
    }

    fn decode(bytes: &[u8]) -> StoreResult<Self> {
        let d = &mut Decoder::new(bytes)?;
        Ok(Self {
            seq: d.number()?,
            rows: d.number()?,
            id: JobId::new(d.text()?),
            kind: Kind::new(d.text()?),
            caller: CallerName {
                name: d.text()?,
                class: d.text()?,
            },
            key: Key {
                space: space_of(d.byte()?)?,
                text: d.text()?,
            },
            digest: d.text()?,
            width: d.small()?,
            halt: get_halt(d)?,
            pin: d.maybe(Decoder::text)?.map(SessionId::new),
            ttl: d.length()?,
            max_losses: d.small()?,
            rerun_of: d.maybe(Decoder::text)?.map(JobId::new),
            newest_rerun: d.maybe(Decoder::text)?.map(JobId::new),
            created: d.time()?,
            started: d.maybe(Decoder::time)?,
            finished: d.maybe(Decoder::time)?,
            lease: d.time()?,
            expiry: d.time()?,
            status: status_of(d.byte()?)?,
            error: d.maybe(Decoder::text)?,
            ended_by: d.maybe(get_ended_by)?,
            total: d.number()?,
            next: d.number()?,
            done: d.number()?,
            failed: d.number()?,
            running: d.number()?,
            parked: d.number()?,
            bytes: d.number()?,
            halting: d.flag()?,
            evicted: d.flag()?,
            place: get_place(d)?,
        })
    }
}

fn put_place(e: Encoder, place: Place) -> Encoder {
    match place {
        Place::Nowhere => e.byte(0),
        Place::Ready { pos } => e.byte(1).number(pos),
        Place::Waiting { due } => e.byte(2).time(due),
    }
}

fn get_place(d: &mut Decoder<'_>) -> StoreResult<Place> {
    Ok(match d.byte()? {
        0 => Place::Nowhere,
        1 => Place::Ready { pos: d.number()? },
        2 => Place::Waiting { due: d.time()? },
        _ => return Err(damaged()),
    })
}

/// The sort of a halt, and its limit.
fn halt(halt: Halt) -> (u8, u64) {
    match halt {
        Halt::Never => (0, 0),
        Halt::Failures(limit) => (1, limit),
        Halt::Percent(percent) => (2, u64::from(percent)),
    }
}

fn get_halt(d: &mut Decoder<'_>) -> StoreResult<Halt> {
    Ok(match (d.byte()?, d.number()?) {
        (0, _) => Halt::Never,
        (1, limit) => Halt::Failures(limit),
        (2, percent) => Halt::Percent(u8::try_from(percent).map_err(|_| damaged())?),
        _ => return Err(damaged()),
    })
}

fn space(space: KeySpace) -> u8 {
    match space {
        KeySpace::Content => 0,
        KeySpace::Client => 1,
        KeySpace::Rerun => 2,
    }
}

fn space_of(value: u8) -> StoreResult<KeySpace> {
    [KeySpace::Content, KeySpace::Client, KeySpace::Rerun]
        .into_iter()
        .find(|known| space(*known) == value)
        .ok_or_else(damaged)
}

fn status(status: JobStatus) -> u8 {
    match status {
        JobStatus::Queued => 0,
        JobStatus::Running => 1,
        JobStatus::Done => 2,
        JobStatus::Partial => 3,
        JobStatus::Failed => 4,
        JobStatus::Cancelled => 5,
    }
}

fn status_of(value: u8) -> StoreResult<JobStatus> {
    let mut all = JobStatus::ALL.into_iter();
    all.find(|known| status(*known) == value)
        .ok_or_else(damaged)
}

fn put_ended_by(e: Encoder, by: &EndedBy) -> Encoder {
    match by {
        EndedBy::Finish {
            index,
            session,
            fence,
        } => e
            .byte(1)
            .number(*index)
            .text(session.as_str())
            .number(*fence),
        EndedBy::Cancel { request } => e.byte(2).text(request),
        EndedBy::Reap => e.byte(3),
        EndedBy::Expiry => e.byte(4),
    }
}

fn get_ended_by(d: &mut Decoder<'_>) -> StoreResult<EndedBy> {
    Ok(match d.byte()? {
        1 => EndedBy::Finish {
            index: d.number()?,
            session: SessionId::new(d.text()?),
            fence: d.number()?,
        },
        2 => EndedBy::Cancel { request: d.text()? },
        3 => EndedBy::Reap,
        4 => EndedBy::Expiry,
        _ => return Err(damaged()),
    })
}
