//! Stage: chunks of a long list, invisible until they are committed (R1.10).

use batch_core::id::JobId;
use batch_core::limits::STAGE_LIFE;
use batch_core::store::call::{NewTarget, Stage};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::StageReply;
use batch_core::time::Timestamp;

use super::row::StageRow;
use super::submit::is_over_inline_limits;
use super::{Model, Reply, Verdict, verdict};

impl Model {
    /// A refused chunk changes nothing; which of several reasons is named is free.
    pub(super) fn stage(&mut self, call: &Stage, seen: Option<&Reply>) -> Verdict {
        let refusals = self.stage_refusals(call);
        if let Some(first) = refusals.first() {
            let seen = seen.filter(|seen| refusals.contains(seen));
            return verdict("R1.10", seen.unwrap_or(first).clone());
        }
        let stage = self.stages.entry(call.id.clone());
        let stage = stage.or_insert_with(|| StageRow {
            session: call.session.clone(),
            targets: Vec::new(),
            last: call.now,
        });
        stage.last = call.now;
        let first = usize::try_from(call.first).unwrap_or(usize::MAX);
        let kept_after = first.saturating_add(call.targets.len());
        let tail: Vec<NewTarget> = stage.targets.iter().skip(kept_after).cloned().collect();
        stage.targets.truncate(first);
        stage.targets.extend(call.targets.iter().cloned());
        stage.targets.extend(tail);
        verdict("R1.10", Reply::Stage(StageReply::Staged))
    }

    fn stage_refusals(&self, call: &Stage) -> Vec<Reply> {
        let mut refusals = Vec::new();
        let stage = self.stages.get(&call.id);
        let held = stage.map_or(0, |stage| stage.targets.len() as u64);
        if call.targets.is_empty() || is_over_inline_limits(&call.targets) || call.first > held {
            refusals.push(Reply::Error(StoreErrorKind::Invalid));
        }
        if !self.sessions.contains_key(&call.session) {
            refusals.push(Reply::Stage(StageReply::Gone));
        }
        let of_another = stage.is_some_and(|stage| stage.session != call.session);
        if self.jobs.contains_key(&call.id) || of_another {
            refusals.push(Reply::Stage(StageReply::IdTaken));
        }
        refusals
    }

    /// The staged list, if it is complete and not abandoned; it is the job's from then on.
    pub(super) fn commit_stage(
        &mut self,
        id: &JobId,
        total: u64,
        now: Timestamp,
    ) -> Option<Vec<NewTarget>> {
        let stage = self.stages.get(id)?;
        if self.is_abandoned(stage, now) || (stage.targets.len() as u64) < total {
            return None;
        }
        self.stages.remove(id).map(|stage| stage.targets)
    }

    /// Its session is gone, or its last chunk is an hour old.
    fn is_abandoned(&self, stage: &StageRow, now: Timestamp) -> bool {
        !self.sessions.contains_key(&stage.session) || now.since(stage.last) >= STAGE_LIFE
    }

    /// Whether the id has a stage that a sweep at `now` would free.
    pub fn has_abandoned_stage(&self, id: &JobId, now: Timestamp) -> bool {
        let stage = self.stages.get(id);
        stage.is_some_and(|stage| self.is_abandoned(stage, now))
    }

    /// R1.10: a sweep frees what is abandoned.
    pub(super) fn free_abandoned_stages(&mut self, now: Timestamp) {
        let mut stages = std::mem::take(&mut self.stages);
        stages.retain(|_, stage| !self.is_abandoned(stage, now));
        self.stages = stages;
    }
}
