//! The tables and indexes of schema 1.0, and how a file names itself.
//!
//! Statements over them are in `sql.rs`; how a file comes from one version to the
//! next is in `migrate.rs`.

/// Marks a file as this store's, in its header: the letters `BJRs`.
pub(crate) const APPLICATION_ID: i64 = 0x424a_5273;

/// A file of another major is refused.
pub(crate) const MAJOR: i64 = 1;

/// A file of an older minor is brought up; one of a newer minor is used as it is.
pub(crate) const MINOR: i64 = 0;

/// `user_version` is major × 1000 + minor.
pub(crate) const VERSION_BASE: i64 = 1000;

/// Everything that an empty file needs.
///
/// A row of `target`, `open` and `outcome` is found by `at`, which packs the place of
/// its job's rows and the target's index, see `keys.rs`. Enums are small integers,
/// times and lengths milliseconds.
///
/// The columns `pos`, `due`, `freeable` and `pinned` of a job file it: each is null
/// unless the job stands in that index. So an index is touched only by a step that
/// names its own column, and counters change without touching any.
pub(crate) const TABLES: &str = "
CREATE TABLE store (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    sequence INTEGER NOT NULL
) STRICT;
INSERT INTO store (one, sequence) VALUES (1, 0);

CREATE TABLE kind (
    name TEXT NOT NULL PRIMARY KEY,
    turn INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    live INTEGER NOT NULL,
    queued INTEGER NOT NULL,
    running INTEGER NOT NULL,
    done INTEGER NOT NULL,
    partial INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    cancelled INTEGER NOT NULL,
    terminal_bytes INTEGER NOT NULL,
    jobs_submitted INTEGER NOT NULL,
    jobs_swept INTEGER NOT NULL,
    jobs_evicted INTEGER NOT NULL,
    jobs_done INTEGER NOT NULL,
    jobs_partial INTEGER NOT NULL,
    jobs_failed INTEGER NOT NULL,
    jobs_cancelled INTEGER NOT NULL,
    targets_done INTEGER NOT NULL,
    targets_failed INTEGER NOT NULL,
    targets_retried_later INTEGER NOT NULL,
    sessions_reaped INTEGER NOT NULL,
    empty INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX kind_empty ON kind (empty, name) WHERE empty IS NOT NULL;

CREATE TABLE caller (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    live INTEGER NOT NULL,
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE session (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    host TEXT NOT NULL,
    beat INTEGER NOT NULL,
    beat_length INTEGER NOT NULL,
    dead INTEGER NOT NULL,
    entered INTEGER NOT NULL,
    seen INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
    seq INTEGER PRIMARY KEY,
    rows INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    caller TEXT NOT NULL,
    class TEXT NOT NULL,
    key_space INTEGER NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    width INTEGER NOT NULL,
    halt INTEGER NOT NULL,
    halt_at INTEGER NOT NULL,
    pin TEXT NOT NULL,
    ttl INTEGER NOT NULL,
    max_losses INTEGER NOT NULL,
    rerun_of TEXT,
    newest_rerun TEXT,
    created INTEGER NOT NULL,
    started INTEGER,
    finished INTEGER,
    lease INTEGER NOT NULL,
    expiry INTEGER NOT NULL,
    status INTEGER NOT NULL,
    error TEXT,
    ended_by INTEGER NOT NULL,
    ended_index INTEGER,
    ended_name TEXT,
    ended_fence INTEGER,
    total INTEGER NOT NULL,
    next INTEGER NOT NULL,
    done INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    running INTEGER NOT NULL,
    parked INTEGER NOT NULL,
    halting INTEGER NOT NULL,
    evicted INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    pos INTEGER,
    due INTEGER,
    freeable INTEGER,
    pinned TEXT
) STRICT;
CREATE UNIQUE INDEX job_id ON job (id);
CREATE INDEX job_of_kind ON job (kind, seq);
CREATE INDEX job_of_caller ON job (kind, caller, seq);
CREATE INDEX job_ready ON job (kind, pin, pos) WHERE pos IS NOT NULL;
CREATE INDEX job_waiting ON job (kind, pin, due, seq) WHERE due IS NOT NULL;
CREATE INDEX job_pinned ON job (pinned, seq) WHERE pinned IS NOT NULL;
CREATE INDEX job_freeable ON job (kind, freeable, seq) WHERE freeable IS NOT NULL;
CREATE INDEX job_expiry ON job (expiry, seq);

CREATE TABLE note (
    seq INTEGER PRIMARY KEY,
    note TEXT NOT NULL
) STRICT;

CREATE TABLE key (
    kind TEXT NOT NULL,
    caller TEXT NOT NULL,
    space INTEGER NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (kind, caller, space, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE target (
    at INTEGER PRIMARY KEY,
    origin INTEGER,
    url TEXT NOT NULL,
    options TEXT NOT NULL
) STRICT;

CREATE TABLE open (
    at INTEGER PRIMARY KEY,
    rows INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    session TEXT NOT NULL,
    ticket TEXT,
    due INTEGER,
    last_fence INTEGER,
    last_session TEXT,
    last_answer INTEGER,
    last_wait INTEGER,
    losses INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    busy_since INTEGER
) STRICT;
CREATE INDEX open_held ON open (session, ticket) WHERE ticket IS NOT NULL;
CREATE INDEX open_parked ON open (rows, due, at) WHERE due IS NOT NULL;

CREATE TABLE outcome (
    at INTEGER PRIMARY KEY,
    rows INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    session TEXT NOT NULL,
    tries INTEGER NOT NULL,
    elapsed INTEGER,
    stored INTEGER NOT NULL,
    status INTEGER NOT NULL,
    hint TEXT,
    text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX outcome_stored ON outcome (rows, ordinal);

CREATE TABLE stage (
    id TEXT NOT NULL PRIMARY KEY,
    rows INTEGER NOT NULL,
    session TEXT NOT NULL,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX stage_of_session ON stage (session, id);
CREATE INDEX stage_last ON stage (last, id);

CREATE TABLE dust (
    rows INTEGER PRIMARY KEY
) STRICT;
";
