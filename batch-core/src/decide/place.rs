//! Where a job stands in the rotation after a change (R2.1, R2.2, R2.5).

use super::row::{JobRow, KindRow, Place};
use crate::time::Timestamp;

/// Puts a job in exactly one of rotation, waiting set or neither.
///
/// A job in the rotation stays where it is until it is taken, whatever `now` says;
/// `take` calls this with the place cleared. `earliest_due` is that of the job's
/// parked targets. Joining the rotation draws the kind's next position.
pub(super) fn settle(
    job: &mut JobRow,
    kind: &mut KindRow,
    earliest_due: Option<Timestamp>,
    now: Timestamp,
) {
    job.place = if job.status.is_terminal() || job.halting {
        Place::Nowhere
    } else if matches!(job.place, Place::Ready { .. }) {
        job.place
    } else if may_start_new(job) {
        tail(kind)
    } else {
        match earliest_due {
            Some(due) if due <= now => tail(kind),
            Some(due) => Place::Waiting { due },
            None => Place::Nowhere,
        }
    };
}

/// Whether an unstarted target may be started beside those that are open (R2.2).
pub(super) fn may_start_new(job: &JobRow) -> bool {
    job.open() < u64::from(job.width) && job.next < job.total
}

/// The position behind all others of the kind.
pub(super) fn tail(kind: &mut KindRow) -> Place {
    kind.turn += 1;
    Place::Ready { pos: kind.turn }
}
