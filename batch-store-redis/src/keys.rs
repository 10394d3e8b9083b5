//! Every key of a store, and how scripts and Rust build it.
//!
//! All keys are under one prefix, which scripts get as their only key: which of them a step
//! needs follows from rows that it reads. The prefix is a hash tag, so that all that a rule
//! compares lives in one slot.

use batch_core::store::StoreResult;
use batch_core::store::error::StoreErrorKind;

use crate::error::error;

/// Letters of a prefix, at most.
const LONGEST: usize = 64;

const SCHEMA: &str = "schema";
const WAKE: &str = "wake";

const TEXT: &str = "string";
const HASH: &str = "hash";
const ZSET: &str = "zset";
const CHANNEL: &str = "channel";

/// How scripts call a key, how it is spelled behind the prefix, and its type on the server.
///
/// `{part}` stands for a part as it is, and `{#part}` for one behind its length, so that two
/// in a row are never taken for another two (S9). A key with parts is a function of them.
type Key = (&'static str, &'static str, &'static str);

/// Every key. A sorted set by time has no scores: its members order by their text.
const KEYS: [Key; 31] = [
    // What marks the data as a store's, and its schema.
    ("SCHEMA", SCHEMA, TEXT),
    // The last number drawn from the sequence.
    ("SEQUENCE", "sequence", TEXT),
    // A job's place in the sequence, by its id.
    ("IDS", "ids", HASH),
    // All jobs, by sequence.
    ("JOBS", "jobs", ZSET),
    // When sweep looks at a job, by time and sequence.
    ("EXPIRIES", "expiries", ZSET),
    // All kinds, by name.
    ("KINDS", "kinds", ZSET),
    // Kinds that neither a job nor a session keeps, by name.
    ("EMPTY_KINDS", "empty-kinds", ZSET),
    // All sessions, by id, until the last step of their reap.
    ("SESSIONS", "sessions", ZSET),
    // The sessions that have a running start, by id, so that one whose row is lost is found.
    ("HOLDERS", "holders", ZSET),
    // All stages, by the time of their last chunk and id.
    ("STAGES", "stages", ZSET),
    // What is written last before replicas are waited for.
    ("MARK", "mark", TEXT),
    // No key but the channel on which a kind is named that has a job to take.
    ("WAKE", WAKE, CHANNEL),
    // A job.
    ("job_key", "job:{seq}", HASH),
    // A job's note.
    ("note_key", "note:{seq}", TEXT),
    // The sequence of the newest job under an idempotency key.
    ("newest_key", "key:{#kind}{#caller}{space}:{text}", TEXT),
    // The targets of a job, by index.
    ("targets_key", "targets:{rows}", HASH),
    // The latest start of each open target, by index.
    ("opens_key", "opens:{rows}", HASH),
    // The parked targets of a job, by time and index.
    ("parked_key", "parked:{rows}", ZSET),
    // The outcomes of a job, by index.
    ("outcomes_key", "outcomes:{rows}", HASH),
    // The index of a job's n-th outcome, by n.
    ("ordinals_key", "ordinals:{rows}", HASH),
    // A kind's counts.
    ("kind_key", "kind:{kind}", HASH),
    // Live jobs of a kind, by caller.
    ("callers_key", "callers:{kind}", HASH),
    // A kind's rotation, shared or of one session, by position.
    ("ready_key", "ready:{#kind}{pin}", ZSET),
    // A kind's waiting jobs, shared or of one session, by time and sequence.
    ("waiting_key", "waiting:{#kind}{pin}", ZSET),
    // A kind's rotation with every pinned one, by position.
    ("rotation_key", "rotation:{kind}", ZSET),
    // The live jobs of a session, by sequence.
    ("pinned_key", "pinned:{session}", ZSET),
    // The jobs of a kind that evict may free, by the end of their lease and sequence.
    ("freeable_key", "freeable:{kind}", ZSET),
    // A session.
    ("session_key", "session:{session}", HASH),
    // A session's running starts, by ticket and place.
    ("held_key", "held:{session}", ZSET),
    // A stage.
    ("stage_key", "stage:{id}", HASH),
    // The stages of a session, by id.
    ("stages_key", "stages-of:{session}", ZSET),
];

/// The keys that every store has, by their spelling, and their types.
pub(crate) fn shared() -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_shared = |(_, spelling, sort): &Key| !spelling.contains('{') && *sort != CHANNEL;
    KEYS.into_iter()
        .filter(is_shared)
        .map(|(_, spelling, sort)| (spelling, sort))
}

/// The keys as Lua, for every script: a constant each, or a function of the parts.
pub(crate) fn lua() -> String {
    let mut lines = vec!["local P = KEYS[1]".to_owned()];
    for (name, spelling, _) in KEYS {
        let (mut terms, mut parts) = (vec!["P".to_owned()], Vec::new());
        // Text and parts take turns: `job:`, `seq`, and an empty text behind it.
        for (at, piece) in spelling.split(['{', '}']).enumerate() {
            let is_part = at % 2 == 1;
            if let Some(part) = piece.strip_prefix('#') {
                terms.push(format!("name({part})"));
                parts.push(part);
            } else if is_part {
                terms.push(piece.to_owned());
                parts.push(piece);
            } else if !piece.is_empty() {
                terms.push(format!("'{piece}'"));
            }
        }
        let (built, parts) = (terms.join(" .. "), parts.join(", "));
        lines.push(match parts.as_str() {
            "" => format!("local {name} = {built}"),
            parts => format!("local function {name}({parts}) return {built} end"),
        });
    }
    lines.join("\n")
}

/// The beginning of every key of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prefix(String);

impl Prefix {
    /// A prefix of letters, digits, points, lines and hyphens, from 1 to 64.
    pub(crate) fn of(name: &str) -> StoreResult<Self> {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if name.is_empty() || name.len() > LONGEST || !name.bytes().all(known) {
            let reason = "a prefix is 1 to 64 letters, digits, points, underscores and hyphens";
            return Err(error(StoreErrorKind::Invalid, reason));
        }
        Ok(Self(format!("{{{name}}}:")))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// What marks the data as a store's.
    pub(crate) fn schema(&self) -> String {
        format!("{}{SCHEMA}", self.0)
    }

    /// The channel on which a kind is named that has a job to take.
    pub(crate) fn wake(&self) -> String {
        format!("{}{WAKE}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// S9.2
    #[test]
    fn a_prefix_is_a_hash_tag_without_syntax() {
        assert_eq!(Prefix::of("a.b-c_1").unwrap().as_str(), "{a.b-c_1}:");
        for name in ["", "a b", "{x}", "a:b", "é", "*", &"x".repeat(65)] {
            assert!(Prefix::of(name).is_err(), "{name}");
        }
    }

    #[test]
    fn scripts_build_keys_as_they_are_spelled() {
        let lua = lua();
        assert!(lua.contains("local IDS = P .. 'ids'\n"));
        assert!(lua.contains("local function job_key(seq) return P .. 'job:' .. seq end\n"));
        let newest = "local function newest_key(kind, caller, space, text) return \
                      P .. 'key:' .. name(kind) .. name(caller) .. space .. ':' .. text end\n";
        assert!(lua.contains(newest), "{lua}");
    }

    /// S9.3: one key is never spelled as another, whatever its parts are.
    #[test]
    fn a_key_is_known_by_its_first_word() {
        let first = |spelling: &str| spelling.split(['{', ':']).next().unwrap().to_owned();
        let words: BTreeSet<_> = KEYS
            .iter()
            .map(|(_, spelling, ..)| first(spelling))
            .collect();
        assert_eq!(words.len(), KEYS.len());
    }
}
