//! How the fields of a hash become rows as reads show them.
//!
//! The hashes are written by the scripts, see `scripts/lib/rows.lua`; nothing is written
//! here.

use std::collections::HashMap;

use batch_core::decide::row::{JobRow, Place, SessionRow};
use batch_core::id::{JobId, Kind, SessionId};
use batch_core::state::JobStatus;
use batch_core::store::StoreResult;
use batch_core::store::call::{CallerName, Halt, Key, KeySpace};
use batch_core::store::view::{Counters, KindStats};
use batch_core::time::{self, Timestamp};

use crate::codec::{Fields, maybe_of, time_of};
use crate::error::damaged;

/// The fields of a hash by their names.
pub(crate) struct Hash(HashMap<String, String>);

impl Hash {
    pub(crate) fn of(mut fields: Fields) -> StoreResult<Self> {
        let mut hash = HashMap::new();
        while !fields.is_empty() {
            hash.insert(fields.text()?, fields.text()?);
        }
        Ok(Self(hash))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn text(&mut self, field: &str) -> StoreResult<String> {
        self.0.remove(field).ok_or_else(damaged)
    }

    fn parsed<T: std::str::FromStr>(&mut self, field: &str) -> StoreResult<T> {
        self.text(field)?.parse().map_err(|_| damaged())
    }

    /// A count; one that was never written is zero.
    fn count(&self, field: &str) -> StoreResult<u64> {
        match self.0.get(field) {
            Some(text) => text.parse().map_err(|_| damaged()),
            None => Ok(0),
        }
    }

    fn flag(&self, field: &str) -> bool {
        self.0.get(field).is_some_and(|text| text == "1")
    }

    fn maybe(&mut self, field: &str) -> StoreResult<Option<String>> {
        Ok(maybe_of(&self.text(field)?))
    }

    fn time(&mut self, field: &str) -> StoreResult<Timestamp> {
        time_of(&self.text(field)?)
    }

    fn maybe_time(&mut self, field: &str) -> StoreResult<Option<Timestamp>> {
        match self.text(field)?.as_str() {
            "" => Ok(None),
            text => time_of(text).map(Some),
        }
    }

    fn length(&mut self, field: &str) -> StoreResult<std::time::Duration> {
        Ok(time::from_millis(self.parsed(field)?))
    }

    /// A job, without the call that ended it, which reads do not show.
    pub(crate) fn into_job(mut self) -> StoreResult<JobRow> {
        let h = &mut self;
        Ok(JobRow {
            seq: h.parsed("seq")?,
            rows: h.parsed("rows")?,
            id: JobId::new(h.text("id")?),
            kind: Kind::new(h.text("kind")?),
            caller: CallerName {
                name: h.text("caller")?,
                class: h.text("class")?,
            },
            key: Key {
                space: space_of(&h.text("key_space")?)?,
                text: h.text("key")?,
            },
            digest: h.text("digest")?,
            width: h.parsed("width")?,
            halt: h.halt()?,
            pin: h.maybe("pin")?.map(SessionId::new),
            ttl: h.length("ttl")?,
            max_losses: h.parsed("max_losses")?,
            rerun_of: h.maybe("rerun_of")?.map(JobId::new),
            newest_rerun: h.maybe("newest_rerun")?.map(JobId::new),
            created: h.time("created")?,
            started: h.maybe_time("started")?,
            finished: h.maybe_time("finished")?,
            lease: h.time("lease")?,
            expiry: h.time("expiry")?,
            status: status_of(&h.text("status")?)?,
            error: Some(h.text("error")?).filter(|error| !error.is_empty()),
            ended_by: None,
            total: h.parsed("total")?,
            next: h.parsed("next")?,
            done: h.parsed("done")?,
            failed: h.parsed("failed")?,
            running: h.parsed("running")?,
            parked: h.parsed("parked")?,
            halting: h.flag("halting"),
            evicted: h.flag("evicted"),
            bytes: h.parsed("bytes")?,
            place: h.place()?,
        })
    }

    fn halt(&mut self) -> StoreResult<Halt> {
        let at = self.parsed("halt_at")?;
        Ok(match self.text("halt")?.as_str() {
            "never" => Halt::Never,
            "failures" => Halt::Failures(at),
            "percent" => Halt::Percent(u8::try_from(at).map_err(|_| damaged())?),
            _ => return Err(damaged()),
        })
    }

    fn place(&mut self) -> StoreResult<Place> {
        Ok(match self.text("place")?.as_str() {
            "" => Place::Nowhere,
            "ready" => Place::Ready {
                pos: self.parsed("pos")?,
            },
            "waiting" => Place::Waiting {
                due: self.time("due")?,
            },
            _ => return Err(damaged()),
        })
    }

    pub(crate) fn into_session(mut self, id: SessionId) -> StoreResult<SessionRow> {
        let h = &mut self;
        Ok(SessionRow {
            id,
            kind: Kind::new(h.text("kind")?),
            host: h.text("host")?,
            beat: h.parsed("beat")?,
            beat_length: h.length("length")?,
            dead: h.flag("dead"),
            entered: h.time("entered")?,
            seen: h.time("seen")?,
        })
    }

    pub(crate) fn into_stats(self) -> StoreResult<KindStats> {
        let mut jobs = [0; JobStatus::ALL.len()];
        for status in JobStatus::ALL {
            if let Some(count) = jobs.get_mut(status.index()) {
                *count = self.count(status.as_str())?;
            }
        }
        Ok(KindStats {
            live: self.count("live")?,
            jobs,
            terminal_bytes: self.count("bytes")?,
            counters: Counters {
                jobs_submitted: self.count("jobs_submitted")?,
                jobs_swept: self.count("jobs_swept")?,
                jobs_evicted: self.count("jobs_evicted")?,
                jobs_done: self.count("jobs_done")?,
                jobs_partial: self.count("jobs_partial")?,
                jobs_failed: self.count("jobs_failed")?,
                jobs_cancelled: self.count("jobs_cancelled")?,
                targets_done: self.count("targets_done")?,
                targets_failed: self.count("targets_failed")?,
                targets_retried_later: self.count("targets_retried_later")?,
                sessions_reaped: self.count("sessions_reaped")?,
            },
        })
    }
}

/// The name of a key space in keys and fields.
pub(crate) fn space(space: KeySpace) -> &'static str {
    match space {
        KeySpace::Content => "content",
        KeySpace::Client => "client",
        KeySpace::Rerun => "rerun",
    }
}

fn space_of(text: &str) -> StoreResult<KeySpace> {
    [KeySpace::Content, KeySpace::Client, KeySpace::Rerun]
        .into_iter()
        .find(|known| space(*known) == text)
        .ok_or_else(damaged)
}

pub(crate) fn status_of(text: &str) -> StoreResult<JobStatus> {
    JobStatus::parse(text).ok_or_else(damaged)
}
