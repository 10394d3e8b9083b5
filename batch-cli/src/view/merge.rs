//! Merges the targets of a job with those of its reruns, in the job's order.

use batch_core::state::TargetStatus;
use batch_core::store::view::Target;

use super::cursor::Cursor;
use super::family::Family;
use crate::exit::Failure;
use crate::reads::Reads;

/// A target in every job of the family that holds it.
#[derive(Debug)]
pub(crate) struct Row {
    /// The place in the family of the newest job that holds it.
    pub(crate) owner: usize,
    /// The target in that job.
    pub(crate) newest: Target,
    /// The newest outcome of the older jobs, if that one has none.
    older: Option<Target>,
}

impl Row {
    /// The target with its newest outcome, or without one.
    pub(crate) fn target(&self) -> &Target {
        match &self.older {
            Some(older) if self.newest.outcome.is_none() => older,
            _ => &self.newest,
        }
    }
}

/// What is at the head of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) owner: usize,
    pub(crate) status: TargetStatus,
}

impl Head {
    /// Whether the row will not change, given what was read of the family before it.
    pub(crate) fn is_settled(self, family: &Family) -> bool {
        match self.status {
            TargetStatus::Done | TargetStatus::Failed => true,
            TargetStatus::Running => false,
            TargetStatus::Pending => family
                .member(self.owner)
                .is_none_or(|job| job.status.is_terminal()),
        }
    }
}

/// The rows of a family in order. Their targets' origins are those of the first job.
#[derive(Debug)]
pub(crate) struct View<'a> {
    reads: &'a Reads,
    root: Cursor,
    reruns: Vec<Cursor>,
}

impl<'a> View<'a> {
    pub(crate) fn new(reads: &'a Reads, family: &Family) -> Self {
        let cursor = |job: &batch_core::store::view::Job| Cursor::new(job.id.clone(), job.total);
        let reruns = family.reruns.iter().map(cursor).collect();
        Self {
            reads,
            root: cursor(&family.root),
            reruns,
        }
    }

    /// Looks at the next row; `None` at the end.
    pub(crate) async fn head(&mut self) -> Result<Option<Head>, Failure> {
        let Some(first) = self.root.head(self.reads).await? else {
            return Ok(None);
        };
        let (origin, mut head) = (
            first.origin,
            Head {
                owner: 0,
                status: first.status,
            },
        );
        for (place, cursor) in self.reruns.iter_mut().enumerate() {
            match cursor.head(self.reads).await? {
                Some(target) if target.origin == origin => {
                    head = Head {
                        owner: place + 1,
                        status: target.status,
                    };
                }
                _ => {}
            }
        }
        Ok(Some(head))
    }

    /// The next row; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Row>, Failure> {
        self.head().await?;
        let Some(first) = self.root.take() else {
            return Ok(None);
        };
        let mut row = Row {
            owner: 0,
            newest: first,
            older: None,
        };
        for (place, cursor) in self.reruns.iter_mut().enumerate() {
            let head = cursor.head(self.reads).await?;
            if head.is_none_or(|target| target.origin != row.newest.origin) {
                continue;
            }
            if let Some(newer) = cursor.take() {
                let before = std::mem::replace(&mut row.newest, newer);
                row.owner = place + 1;
                row.older = Some(before).filter(|t| t.outcome.is_some()).or(row.older);
            }
        }
        Ok(Some(row))
    }

    /// Forgets what was read ahead, so that it is read again.
    pub(crate) fn refresh(&mut self) {
        self.root.forget();
        self.reruns.iter_mut().for_each(Cursor::forget);
    }
}
