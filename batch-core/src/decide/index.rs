//! The ordered indexes over jobs and starts, derived from their rows.
//!
//! A store over ordered keys keeps these; a store with indexes of its own declares
//! the same. Field order is the order of the index. Stages and empty kinds are few:
//! how a store finds them (by session, by last chunk, by name) is its own affair.

use super::row::{JobRow, OpenRow, Place};
use crate::id::{Kind, SessionId, Ticket};
use crate::time::Timestamp;

/// An index entry of a job.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum JobIndex {
    /// In the rotation of a kind, shared or pinned.
    Ready {
        /// The kind.
        kind: Kind,
        /// The pin.
        pin: Option<SessionId>,
        /// The position.
        pos: u64,
    },
    /// In the waiting set of a kind, shared or pinned.
    Waiting {
        /// The kind.
        kind: Kind,
        /// The pin.
        pin: Option<SessionId>,
        /// When it is due.
        due: Timestamp,
        /// The job's place in the sequence.
        seq: u64,
    },
    /// Live and pinned.
    Pinned {
        /// The session.
        session: SessionId,
        /// The job's place in the sequence.
        seq: u64,
    },
    /// Terminal, with targets, nothing in flight.
    Freeable {
        /// The kind.
        kind: Kind,
        /// The lease.
        lease: Timestamp,
        /// The job's place in the sequence.
        seq: u64,
    },
    /// When sweep looks at it.
    Expiry {
        /// The time.
        at: Timestamp,
        /// The job's place in the sequence.
        seq: u64,
    },
}

impl JobIndex {
    /// All entries of a job.
    pub fn of(job: &JobRow) -> Vec<Self> {
        let (kind, pin, seq) = (&job.kind, &job.pin, job.seq);
        let mut entries = vec![Self::Expiry {
            at: job.expiry,
            seq,
        }];
        match job.place {
            Place::Ready { pos } => {
                entries.push(Self::Ready {
                    kind: kind.clone(),
                    pin: pin.clone(),
                    pos,
                });
            }
            Place::Waiting { due } => {
                entries.push(Self::Waiting {
                    kind: kind.clone(),
                    pin: pin.clone(),
                    due,
                    seq,
                });
            }
            Place::Nowhere => {}
        }
        if let Some(session) = pin.clone().filter(|_| job.status.is_live()) {
            entries.push(Self::Pinned { session, seq });
        }
        if job.is_freeable() {
            entries.push(Self::Freeable {
                kind: kind.clone(),
                lease: job.lease,
                seq,
            });
        }
        entries
    }
}

/// The index entry of an open target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpenIndex {
    /// Running, by session and ticket.
    Held {
        /// The session.
        session: SessionId,
        /// The ticket.
        ticket: Ticket,
    },
    /// Parked, by due time, then index.
    Parked {
        /// Where its job's rows are.
        rows: u64,
        /// When it is due.
        due: Timestamp,
        /// The target.
        index: u64,
    },
}

impl OpenIndex {
    /// The entry of an open target.
    pub fn of(open: &OpenRow) -> Option<Self> {
        match (open.due, &open.ticket) {
            (Some(due), _) => Some(Self::Parked {
                rows: open.rows,
                due,
                index: open.index,
            }),
            (None, Some(ticket)) => Some(Self::Held {
                session: open.session.clone(),
                ticket: ticket.clone(),
            }),
            (None, None) => None,
        }
    }
}
