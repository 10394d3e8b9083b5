//! Keys: every table and index is a range of one tree, in the order of its keys.
//!
//! A key is the letter of its table and then its fields. Numbers are written with the
//! largest byte first, times moved so that the earliest is zero; in texts a NUL is
//! escaped and the end marked, so that a text sorts before those that begin with it,
//! and none is taken for a part of another key (S9).

use batch_core::decide::{JobIndex, OpenIndex};
use batch_core::id::{JobId, Kind, SessionId};
use batch_core::store::call::{Key as JobKey, KeySpace};
use batch_core::time::Timestamp;

/// A key, or the beginning that the keys of a range share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(Vec<u8>);

/// What identifies the data as a store's, and its schema.
pub(crate) fn identity() -> Key {
    Key::of(b'!')
}

/// The last number that was drawn from the sequence.
pub(crate) fn sequence() -> Key {
    Key::of(b'#')
}

/// All jobs, by sequence.
pub(crate) fn jobs() -> Key {
    Key::of(b'J')
}

/// A job.
pub(crate) fn job(seq: u64) -> Key {
    jobs().number(seq)
}

/// A job's place in the sequence, by its id.
pub(crate) fn id(id: &JobId) -> Key {
    Key::of(b'I').text(id.as_str())
}

/// A job's note.
pub(crate) fn note(seq: u64) -> Key {
    Key::of(b'N').number(seq)
}

/// The newest job that was made under a key.
pub(crate) fn newest(kind: &Kind, caller: &str, key: &JobKey) -> Key {
    let space = match key.space {
        KeySpace::Content => 0,
        KeySpace::Client => 1,
        KeySpace::Rerun => 2,
    };
    let scope = Key::of(b'K').text(kind.as_str()).text(caller);
    scope.byte(space).text(&key.text)
}

/// All targets of a job.
pub(crate) fn targets(rows: u64) -> Key {
    Key::of(b'T').number(rows)
}

/// A target.
pub(crate) fn target(rows: u64, index: u64) -> Key {
    targets(rows).number(index)
}

/// All open targets.
pub(crate) fn opens() -> Key {
    Key::of(b'O')
}

/// An open target.
pub(crate) fn open(rows: u64, index: u64) -> Key {
    opens().number(rows).number(index)
}

/// An outcome.
pub(crate) fn outcome(rows: u64, index: u64) -> Key {
    Key::of(b'R').number(rows).number(index)
}

/// The target that was stored as the n-th of its job.
pub(crate) fn ordinal(rows: u64, ordinal: u64) -> Key {
    Key::of(b'D').number(rows).number(ordinal)
}

/// All kinds, by name.
pub(crate) fn kinds() -> Key {
    Key::of(b'C')
}

/// A kind.
pub(crate) fn kind(kind: &Kind) -> Key {
    kinds().text(kind.as_str())
}

/// The live jobs of a caller.
pub(crate) fn caller(kind: &Kind, name: &str) -> Key {
    Key::of(b'c').text(kind.as_str()).text(name)
}

/// All sessions, by id.
pub(crate) fn sessions() -> Key {
    Key::of(b'S')
}

/// A session.
pub(crate) fn session(id: &SessionId) -> Key {
    sessions().text(id.as_str())
}

/// All stages, by id.
pub(crate) fn stages() -> Key {
    Key::of(b'G')
}

/// A stage.
pub(crate) fn stage(id: &JobId) -> Key {
    stages().text(id.as_str())
}

/// All rows that no job owns any more.
pub(crate) fn dusts() -> Key {
    Key::of(b'U')
}

/// Rows that no job owns any more.
pub(crate) fn dust(rows: u64) -> Key {
    dusts().number(rows)
}

/// The letters of the keys that follow from other rows.
pub(crate) const DERIVED: &[u8] = b"abdefghkprw";

/// A kind that nothing keeps, by name.
pub(crate) fn empty_kinds() -> Key {
    Key::of(b'e')
}

/// A kind that nothing keeps.
pub(crate) fn empty_kind(kind: &Kind) -> Key {
    empty_kinds().text(kind.as_str())
}

/// The stages of a session, by id.
pub(crate) fn stages_of(session: &SessionId) -> Key {
    Key::of(b'g').text(session.as_str())
}

/// A stage of a session.
pub(crate) fn stage_of(session: &SessionId, id: &JobId) -> Key {
    stages_of(session).text(id.as_str())
}

/// All stages, by the time of their last chunk.
pub(crate) fn stages_by_time() -> Key {
    Key::of(b'h')
}

/// A stage by the time of its last chunk.
pub(crate) fn stage_at(last: Timestamp, id: &JobId) -> Key {
    stages_by_time().time(last).text(id.as_str())
}

/// All places of a kind's rotation, shared or pinned.
pub(crate) fn rotation(kind: &Kind) -> Key {
    Key::of(b'r').text(kind.as_str())
}

/// A place in a kind's rotation.
pub(crate) fn place(kind: &Kind, pos: u64) -> Key {
    rotation(kind).number(pos)
}

/// One set of a kind's rotation, shared or pinned.
pub(crate) fn ready(kind: &Kind, pin: Option<&SessionId>) -> Key {
    Key::of(b'a').text(kind.as_str()).pin(pin)
}

/// One set of a kind's waiting jobs.
pub(crate) fn waiting(kind: &Kind, pin: Option<&SessionId>) -> Key {
    Key::of(b'w').text(kind.as_str()).pin(pin)
}

/// The live jobs pinned to a session.
pub(crate) fn pinned(session: &SessionId) -> Key {
    Key::of(b'b').text(session.as_str())
}

/// The freeable jobs of a kind.
pub(crate) fn freeable(kind: &Kind) -> Key {
    Key::of(b'f').text(kind.as_str())
}

/// All jobs, by the time at which sweep looks at them.
pub(crate) fn expiries() -> Key {
    Key::of(b'd')
}

/// The end of the expiries at a time.
pub(crate) fn expiry_end(at: Timestamp) -> Key {
    expiries().time(at).number(u64::MAX)
}

/// All running starts, by session.
pub(crate) fn holders() -> Key {
    Key::of(b'k')
}

/// The running starts of a session.
pub(crate) fn held(session: &SessionId) -> Key {
    holders().text(session.as_str())
}

/// The parked targets of a job.
pub(crate) fn parked(rows: u64) -> Key {
    Key::of(b'p').number(rows)
}

/// An entry of an index over jobs.
pub(crate) fn of_job(entry: &JobIndex) -> Key {
    match entry {
        JobIndex::Ready { kind, pin, pos } => ready(kind, pin.as_ref()).number(*pos),
        JobIndex::Waiting {
            kind,
            pin,
            due,
            seq,
        } => waiting(kind, pin.as_ref()).time(*due).number(*seq),
        JobIndex::Pinned { session, seq } => pinned(session).number(*seq),
        JobIndex::Freeable { kind, lease, seq } => freeable(kind).time(*lease).number(*seq),
        JobIndex::Expiry { at, seq } => expiries().time(*at).number(*seq),
    }
}

/// An entry of an index over open targets.
pub(crate) fn of_open(entry: &OpenIndex) -> Key {
    match entry {
        OpenIndex::Held { session, ticket } => held(session).text(ticket.as_str()),
        OpenIndex::Parked { rows, due, index } => parked(*rows).time(*due).number(*index),
    }
}

impl Key {
    /// The whole table of a letter.
    pub(crate) fn of(table: u8) -> Self {
        Self(vec![table])
    }

    fn byte(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    pub(crate) fn number(mut self, number: u64) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    fn time(self, time: Timestamp) -> Self {
        let moved = time.as_millis().cast_unsigned() ^ (1 << 63);
        self.number(moved)
    }

    pub(crate) fn text(mut self, text: &str) -> Self {
        for byte in text.bytes() {
            self.0.push(byte);
            if byte == 0 {
                self.0.push(0xFF);
            }
        }
        self.0.extend([0, 0]);
        self
    }

    fn pin(self, pin: Option<&SessionId>) -> Self {
        match pin {
            None => self.byte(0),
            Some(session) => self.byte(1).text(session.as_str()),
        }
    }

    /// Behind every key that begins with this one's texts.
    pub(crate) fn end(self) -> Self {
        self.byte(0xFF)
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// The number that a key ends with.
pub(crate) fn last_number(key: &[u8]) -> Option<u64> {
    key.last_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}

/// The text that follows the letter of a key.
pub(crate) fn first_text(key: &[u8]) -> Option<String> {
    let mut bytes = key.get(1..)?.iter().copied();
    let mut text = Vec::new();
    loop {
        match bytes.next()? {
            0 if bytes.next()? == 0 => return String::from_utf8(text).ok(),
            byte => text.push(byte),
        }
    }
}

#[cfg(test)]
mod tests;
