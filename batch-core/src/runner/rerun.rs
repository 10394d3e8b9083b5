//! Which targets of a terminal job are run again (R12).
//!
//! A rerun is a submit like any other, of a list that is read from the store.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;

use super::shared::Shared;
use super::status;
use crate::caller::BoxError;
use crate::error::Error;
use crate::id::JobId;
use crate::source::{Source, SourceReader};
use crate::state::TargetStatus;
use crate::store::call::{Key, KeySpace, NewTarget};
use crate::store::query::{TargetOrder, TargetQuery};
use crate::store::view::Job;
use crate::submission::Selection;

/// Targets that are read at a time.
const PAGE: u32 = 256;

/// The job that is run again, if it may be.
pub(super) async fn origin(shared: &Shared, id: &JobId) -> Result<Job, Error> {
    let job = status::job(shared, id).await?;
    if job.evicted {
        Err(Error::Evicted)
    } else if job.status.is_live() || job.counts.running > 0 {
        Err(Error::NotEnded)
    } else {
        Ok(job)
    }
}

/// The third name space of keys: origin and selection.
pub(super) fn key(id: &JobId, selection: Selection) -> Key {
    Key {
        space: KeySpace::Rerun,
        text: format!("{id}/{}", selection.as_str()),
    }
}

/// The chosen targets of a job, read from its store page by page.
pub(super) struct Chosen {
    pub(super) shared: Arc<Shared>,
    pub(super) id: JobId,
    pub(super) selection: Selection,
}

#[async_trait]
impl Source for Chosen {
    async fn open(&self) -> Result<Box<dyn SourceReader + '_>, BoxError> {
        Ok(Box::new(ChosenReader {
            shared: self.shared.clone(),
            id: self.id.clone(),
            selection: self.selection,
            next: Some(0),
            ready: VecDeque::new(),
        }))
    }
}

struct ChosenReader {
    shared: Arc<Shared>,
    id: JobId,
    selection: Selection,
    next: Option<u64>,
    ready: VecDeque<NewTarget>,
}

#[async_trait]
impl SourceReader for ChosenReader {
    async fn next(&mut self) -> Result<Vec<NewTarget>, BoxError> {
        while self.ready.is_empty()
            && let Some(from) = self.next
        {
            let id = self.id.clone();
            let query = TargetQuery {
                id,
                order: TargetOrder::Index,
                from,
                max: PAGE,
            };
            let page = status::targets(&self.shared, query).await?;
            self.next = page.next;
            let chosen = page
                .targets
                .into_iter()
                .filter(|t| chooses(self.selection, t.status));
            self.ready.extend(chosen.map(|target| NewTarget {
                url: target.url,
                options: target.options,
                origin: Some(target.origin),
            }));
        }
        Ok(self.ready.drain(..).collect())
    }
}

fn chooses(selection: Selection, status: TargetStatus) -> bool {
    match selection {
        Selection::Failed => status == TargetStatus::Failed,
        Selection::Pending => status == TargetStatus::Pending,
        Selection::Undone => matches!(status, TargetStatus::Failed | TargetStatus::Pending),
    }
}
