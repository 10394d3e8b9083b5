//! One job's targets in order, read page by page and, while it runs, read again.

use std::collections::VecDeque;

use batch_core::id::JobId;
use batch_core::store::query::{TargetOrder, TargetQuery};
use batch_core::store::view::Target;

use crate::exit::Failure;
use crate::reads::Reads;

/// The most targets that are read at a time.
const PAGE: u32 = 256;

/// A place in the targets of a job.
#[derive(Debug)]
pub(super) struct Cursor {
    id: JobId,
    at: u64,
    total: u64,
    page: VecDeque<Target>,
    /// How many are read next: few after a wait, since most of them would change.
    want: u32,
}

impl Cursor {
    pub(super) fn new(id: JobId, total: u64) -> Self {
        Self {
            id,
            at: 0,
            total,
            page: VecDeque::new(),
            want: PAGE,
        }
    }

    /// The target at this place; `None` at the end.
    pub(super) async fn head(&mut self, reads: &Reads) -> Result<Option<&Target>, Failure> {
        if self.page.is_empty() && self.at < self.total {
            let order = TargetOrder::Index;
            let query = TargetQuery {
                id: self.id.clone(),
                order,
                from: self.at,
                max: self.want,
            };
            self.page = reads.targets(query).await?.targets.into();
            self.want = self.want.saturating_mul(2).min(PAGE);
        }
        Ok(self.page.front())
    }

    /// The target that `head` showed; goes on to the next.
    pub(super) fn take(&mut self) -> Option<Target> {
        let taken = self.page.pop_front();
        self.at += u64::from(taken.is_some());
        taken
    }

    /// Forgets what was read ahead.
    pub(super) fn forget(&mut self) {
        self.page.clear();
        self.want = 1;
    }
}
