//! Every statement of the store, named. Tables are in `schema.rs`.
//!
//! Parameters are numbered in the order of the columns. A statement whose index could
//! be mistaken by the planner names it; `sql/plans.rs` checks the plans of all.

macro_rules! job_columns {
    () => {
        "seq, rows, id, kind, caller, class, key_space, key, digest, width, halt, halt_at, \
         pin, ttl, max_losses, rerun_of, newest_rerun, created, started, finished, lease, \
         expiry, status, error, ended_by, ended_index, ended_name, ended_fence, total, next, \
         done, failed, running, parked, halting, evicted, bytes, pos, due"
    };
}

macro_rules! select_job {
    ($rest:literal) => {
        concat!("SELECT ", job_columns!(), " FROM job ", $rest)
    };
}

macro_rules! kind_columns {
    () => {
        "name, turn, sessions, live, queued, running, done, partial, failed, cancelled, \
         terminal_bytes, jobs_submitted, jobs_swept, jobs_evicted, jobs_done, jobs_partial, \
         jobs_failed, jobs_cancelled, targets_done, targets_failed, targets_retried_later, \
         sessions_reaped"
    };
}

macro_rules! open_columns {
    () => {
        "at, rows, seq, fence, session, ticket, due, last_fence, last_session, last_answer, \
         last_wait, losses, tries, busy_since"
    };
}

macro_rules! session_columns {
    () => {
        "id, kind, host, beat, beat_length, dead, entered, seen"
    };
}

macro_rules! stage_columns {
    () => {
        "id, rows, session, count, bytes, last"
    };
}

macro_rules! outcome_columns {
    () => {
        "at, rows, ordinal, fence, session, tries, elapsed, stored, status, hint, text"
    };
}

macro_rules! statements {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:expr;)*) => {
        $($(#[doc = $doc])+ pub(crate) const $name: &str = $text;)*

        /// All of them by name.
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, &str)] = &[$((stringify!($name), $name)),*];
    };
}

statements! {
    /// The last number drawn from the sequence (S4).
    SEQUENCE = "SELECT sequence FROM store WHERE one = 1";
    /// Draws a number from the sequence.
    PUT_SEQUENCE = "UPDATE store SET sequence = ?1 WHERE one = 1";

    /// A job by its id.
    JOB = select_job!("WHERE id = ?1");
    /// A job by its place in the sequence.
    JOB_AT = select_job!("WHERE seq = ?1");
    /// The head of a rotation, shared or pinned: the smallest position (R2.1).
    READY_HEAD = select_job!(
        "INDEXED BY job_ready WHERE kind = ?1 AND pin = ?2 AND pos IS NOT NULL \
         ORDER BY pos LIMIT 1"
    );
    /// The waiting job that is due first, then by sequence (R2.5).
    WAITING_HEAD = select_job!(
        "INDEXED BY job_waiting WHERE kind = ?1 AND pin = ?2 AND due IS NOT NULL \
         ORDER BY due, seq LIMIT 1"
    );
    /// The first live jobs pinned to a session (R9.4).
    PINNED = select_job!(
        "INDEXED BY job_pinned WHERE pinned = ?1 ORDER BY seq LIMIT ?2"
    );
    /// Jobs that sweep looks at by now (S6).
    EXPIRING = select_job!(
        "INDEXED BY job_expiry WHERE expiry <= ?1 ORDER BY expiry, seq LIMIT ?2"
    );
    /// Jobs whose targets may be freed, oldest lease first (S7).
    FREEABLE = select_job!(
        "INDEXED BY job_freeable WHERE kind = ?1 AND freeable IS NOT NULL \
         ORDER BY freeable, seq LIMIT ?2"
    );
    /// Jobs after a place in the sequence.
    LIST = select_job!("WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    /// The same of one kind.
    LIST_OF_KIND = select_job!(
        "INDEXED BY job_of_kind WHERE kind = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3"
    );
    /// The same of one caller of a kind.
    LIST_OF_CALLER = select_job!(
        "INDEXED BY job_of_caller WHERE kind = ?1 AND caller = ?2 AND seq > ?3 \
         ORDER BY seq LIMIT ?4"
    );
    /// The first pin, from one on, that has jobs in the rotation; the shared set is one.
    ROTATION_PIN = "SELECT pin FROM job INDEXED BY job_ready \
        WHERE kind = ?1 AND pin >= ?2 AND pos IS NOT NULL ORDER BY pin LIMIT 1";
    /// The first job of a pin's rotation behind a position.
    ROTATION_NEXT = select_job!(
        "INDEXED BY job_ready WHERE kind = ?1 AND pin = ?2 AND pos > ?3 ORDER BY pos LIMIT 1"
    );
    /// A new job.
    ADD_JOB = concat!(
        "INSERT INTO job (", job_columns!(), ", freeable, pinned) VALUES \
         (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, \
         ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, \
         ?36, ?37, ?38, ?39, ?40, ?41)"
    );
    /// What a turn changes of a job; touches no index but that of the rotation (S14).
    TURN_JOB = "UPDATE job SET lease = ?2, next = ?3, done = ?4, failed = ?5, running = ?6, \
        parked = ?7, halting = ?8, bytes = ?9, pos = ?10 WHERE seq = ?1";
    /// Everything that may change of a job.
    PUT_JOB = "UPDATE job SET lease = ?2, next = ?3, done = ?4, failed = ?5, running = ?6, \
        parked = ?7, halting = ?8, bytes = ?9, pos = ?10, due = ?11, newest_rerun = ?12, \
        started = ?13, finished = ?14, expiry = ?15, status = ?16, error = ?17, ended_by = ?18, \
        ended_index = ?19, ended_name = ?20, ended_fence = ?21, evicted = ?22, freeable = ?23, \
        pinned = ?24 WHERE seq = ?1";
    /// A job that is gone.
    REMOVE_JOB = "DELETE FROM job WHERE seq = ?1";
    /// A job's note.
    NOTE = "SELECT note FROM note WHERE seq = ?1";
    /// A new job's note.
    ADD_NOTE = "INSERT INTO note (seq, note) VALUES (?1, ?2)";
    /// The note of a job that is gone.
    REMOVE_NOTE = "DELETE FROM note WHERE seq = ?1";

    /// The newest job made under a key (R1.3).
    KEY = "SELECT seq FROM key WHERE kind = ?1 AND caller = ?2 AND space = ?3 AND key = ?4";
    /// The key names this job from now on.
    PUT_KEY = "INSERT OR REPLACE INTO key (kind, caller, space, key, seq) \
        VALUES (?1, ?2, ?3, ?4, ?5)";
    /// The key of a job that is gone, if it names that job still.
    REMOVE_KEY = "DELETE FROM key \
        WHERE kind = ?1 AND caller = ?2 AND space = ?3 AND key = ?4 AND seq = ?5";

    /// A kind.
    KIND = concat!("SELECT ", kind_columns!(), " FROM kind WHERE name = ?1");
    /// A kind that nothing keeps (S13).
    EMPTY_KIND = concat!(
        "SELECT ", kind_columns!(), " FROM kind INDEXED BY kind_empty \
         WHERE empty = 1 ORDER BY name LIMIT 1"
    );
    /// The names of kinds, from one on.
    KINDS = "SELECT name FROM kind WHERE name >= ?1 ORDER BY name LIMIT ?2";
    /// A new or changed kind.
    PUT_KIND = concat!(
        "INSERT INTO kind (", kind_columns!(), ", empty) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, \
         ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23) \
         ON CONFLICT (name) DO UPDATE SET turn = ?2, sessions = ?3, live = ?4, queued = ?5, \
         running = ?6, done = ?7, partial = ?8, failed = ?9, cancelled = ?10, \
         terminal_bytes = ?11, jobs_submitted = ?12, jobs_swept = ?13, jobs_evicted = ?14, \
         jobs_done = ?15, jobs_partial = ?16, jobs_failed = ?17, jobs_cancelled = ?18, \
         targets_done = ?19, targets_failed = ?20, targets_retried_later = ?21, \
         sessions_reaped = ?22, empty = ?23"
    );
    /// A kind that is gone.
    REMOVE_KIND = "DELETE FROM kind WHERE name = ?1";

    /// Live jobs of a caller within a kind (R1.4).
    CALLER = "SELECT live FROM caller WHERE kind = ?1 AND name = ?2";
    /// A new number of them.
    PUT_CALLER = "INSERT OR REPLACE INTO caller (kind, name, live) VALUES (?1, ?2, ?3)";
    /// A caller without live jobs.
    REMOVE_CALLER = "DELETE FROM caller WHERE kind = ?1 AND name = ?2";

    /// A session.
    SESSION = concat!("SELECT ", session_columns!(), " FROM session WHERE id = ?1");
    /// The first session from an id on.
    SESSION_FROM = concat!(
        "SELECT ", session_columns!(), " FROM session WHERE id >= ?1 ORDER BY id LIMIT 1"
    );
    /// The first session from an id on that holds a running start (R9.4).
    HOLDER_FROM = "SELECT session FROM open INDEXED BY open_held \
        WHERE session >= ?1 AND ticket IS NOT NULL ORDER BY session LIMIT 1";
    /// A new or changed session.
    PUT_SESSION = concat!(
        "INSERT OR REPLACE INTO session (", session_columns!(), ") \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    );
    /// A session that is gone.
    REMOVE_SESSION = "DELETE FROM session WHERE id = ?1";

    /// A target as it was submitted.
    TARGET = "SELECT origin, url, options FROM target WHERE at = ?1";
    /// A target; a staged one may come twice (R1.10).
    PUT_TARGET = "INSERT OR REPLACE INTO target (at, origin, url, options) \
        VALUES (?1, ?2, ?3, ?4)";

    /// The latest start of an open target.
    OPEN = concat!("SELECT ", open_columns!(), " FROM open WHERE at = ?1");
    /// The first parked targets of a job, by due time, then index (R2.2).
    PARKED = concat!(
        "SELECT ", open_columns!(), " FROM open INDEXED BY open_parked \
         WHERE rows = ?1 AND due IS NOT NULL ORDER BY due, at LIMIT ?2"
    );
    /// The running start of a ticket (S2).
    HELD_UNDER = concat!(
        "SELECT ", open_columns!(), " FROM open INDEXED BY open_held \
         WHERE session = ?1 AND ticket = ?2"
    );
    /// The first running starts of a session, by ticket (R9.2).
    HELD = concat!(
        "SELECT ", open_columns!(), " FROM open INDEXED BY open_held \
         WHERE session = ?1 AND ticket IS NOT NULL ORDER BY ticket LIMIT ?2"
    );
    /// A started or parked target.
    PUT_OPEN = concat!(
        "INSERT OR REPLACE INTO open (", open_columns!(), ") VALUES \
         (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
    );
    /// A target that is no longer open.
    REMOVE_OPEN = "DELETE FROM open WHERE at = ?1";

    /// A target's outcome.
    OUTCOME = concat!("SELECT ", outcome_columns!(), " FROM outcome WHERE at = ?1");
    /// Which target stored a job's outcome of this ordinal (R13).
    OUTCOME_STORED = "SELECT at FROM outcome INDEXED BY outcome_stored \
        WHERE rows = ?1 AND ordinal = ?2";
    /// A new outcome; a second one fails, whatever was decided (R9.5).
    ADD_OUTCOME = concat!(
        "INSERT INTO outcome (", outcome_columns!(), ") VALUES \
         (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
    );

    /// A stage.
    STAGE = concat!("SELECT ", stage_columns!(), " FROM stage WHERE id = ?1");
    /// The first stages of a session.
    STAGES_OF = concat!(
        "SELECT ", stage_columns!(), " FROM stage INDEXED BY stage_of_session \
         WHERE session = ?1 ORDER BY id LIMIT ?2"
    );
    /// A stage whose last chunk came by then (R1.10).
    STAGE_BEFORE = concat!(
        "SELECT ", stage_columns!(), " FROM stage INDEXED BY stage_last \
         WHERE last <= ?1 ORDER BY last, id LIMIT 1"
    );
    /// A new or grown stage.
    PUT_STAGE = concat!(
        "INSERT OR REPLACE INTO stage (", stage_columns!(), ") VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    );
    /// A stage that became a job, or dust.
    REMOVE_STAGE = "DELETE FROM stage WHERE id = ?1";

    /// Rows that nothing owns any more (S1).
    ADD_DUST = "INSERT OR IGNORE INTO dust (rows) VALUES (?1)";
    /// The first of them.
    DUST = "SELECT rows FROM dust ORDER BY rows LIMIT 1";
    /// Dust without rows.
    REMOVE_DUST = "DELETE FROM dust WHERE rows = ?1";
    /// The target that stands so many places behind the first one of a span.
    TARGET_BEHIND = "SELECT at FROM target WHERE at BETWEEN ?1 AND ?2 \
        ORDER BY at LIMIT 1 OFFSET ?3";
    /// Frees a span of targets.
    FREE_TARGETS = "DELETE FROM target WHERE at BETWEEN ?1 AND ?2";
    /// Frees a span of starts.
    FREE_OPEN = "DELETE FROM open WHERE at BETWEEN ?1 AND ?2";
    /// Frees a span of outcomes.
    FREE_OUTCOMES = "DELETE FROM outcome WHERE at BETWEEN ?1 AND ?2";
}

/// Takes the write lock at the start, so that no read is ever upgraded.
pub(crate) const BEGIN_WRITE: &str = "BEGIN IMMEDIATE";
/// Begins a consistent read.
pub(crate) const BEGIN_READ: &str = "BEGIN DEFERRED";
/// Keeps a transaction.
pub(crate) const COMMIT: &str = "COMMIT";
/// Gives a transaction up.
pub(crate) const ROLLBACK: &str = "ROLLBACK";
/// Moves what readers allow of the log into the file; waits for nobody.
pub(crate) const CHECKPOINT: &str = "PRAGMA wal_checkpoint(PASSIVE)";
/// How many pages of the file are used for nothing.
pub(crate) const FREE_PAGES: &str = "PRAGMA freelist_count";
/// Begins one step of a group (S1).
pub(crate) const SAVEPOINT: &str = "SAVEPOINT step";
/// Keeps one step of a group.
pub(crate) const RELEASE: &str = "RELEASE step";
/// Gives one step of a group up.
pub(crate) const ROLLBACK_STEP: &str = "ROLLBACK TO step";
/// How many tables a file has; 0 in a new one.
pub(crate) const TABLE_COUNT: &str = "SELECT count(*) FROM sqlite_schema";

#[cfg(test)]
mod costs;
#[cfg(test)]
mod plans;
