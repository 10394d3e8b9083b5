//! Every fixed limit of the contract, written once.
//!
//! Limits that a deployment sets are in `config.rs`.

use std::time::Duration;

/// Targets that one submit, or one chunk of a stage, may carry (R1.10).
pub const INLINE_TARGETS: usize = 1_000;

/// Targets that any job may have, whatever a deployment allows (R1.4).
///
/// A list without an end is left there.
pub const MOST_TARGETS: u64 = 1 << 24;

/// Bytes of url and options that one submit, or one chunk, may carry (R1.10).
///
/// A single target may be larger; it then travels alone.
pub const INLINE_BYTES: usize = 1 << 20;

/// Bytes after which a page of targets ends, though never before its first row (R6).
pub const PAGE_BYTES: u64 = 4 << 20;

/// Bytes of a job's note.
pub const NOTE_BYTES: usize = 64 << 10;

/// Rows that one page of jobs examines at most (S8).
pub const LIST_EXAMINED: u32 = 1_000;

/// Rows that one page may be asked for.
pub const PAGE_ROWS: u32 = 10_000;

/// How long a stage lives after its last chunk (R1.10).
pub const STAGE_LIFE: Duration = Duration::from_hours(1);

const _: () = assert!(
    NOTE_BYTES < INLINE_BYTES,
    "a submit must have room for its note"
);
const _: () = assert!(INLINE_BYTES as u64 <= PAGE_BYTES, "a chunk must fit a page");
const _: () = assert!(LIST_EXAMINED <= PAGE_ROWS, "a page of jobs is a page");
