//! The process group of a command: killed whole when its try is given up.

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;

/// A running process group; dropping it kills the group.
#[derive(Debug)]
pub(super) struct Group(Option<Pid>);

impl Group {
    /// The group that this child leads.
    pub(super) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }

    /// Forgets the group, once its leader is reaped and the id may be another's.
    pub(super) fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended by itself in the meantime.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
