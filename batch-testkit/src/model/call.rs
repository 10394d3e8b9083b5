//! Every operation of a store as one value, and every reply.
//!
//! Bounded steps are judged as a whole: `Reap`, `Sweep` and `Evict` are repeated until the
//! store says that nothing is left, with their totals as the reply. A read is the whole of
//! its pages. How calls are made is `random/drive.rs`.

use batch_core::id::{JobId, Kind, SessionId};
use batch_core::store::call::{
    Cancel, Enter, Evict, Finish, Reap, Renew, Stage, Submit, Sweep, Take, Touch, Turn,
};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{JobFilter, JobOrder, JobQuery, StatsQuery, TargetQuery};
use batch_core::store::reply::{
    CancelReply, Ended, EnterReply, Evicted, FinishReply, JobReply, RenewReply, StageReply, Stats,
    SubmitReply, TakeReply, TouchReply, TurnReply,
};
use batch_core::store::view::{Job, Session, Target};

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// See `Store::submit`.
    Submit(Submit),
    /// See `Store::stage`.
    Stage(Stage),
    /// See `Store::enter`.
    Enter(Enter),
    /// See `Store::renew`.
    Renew(Renew),
    /// `Store::reap` until nothing is left.
    Reap(Reap),
    /// See `Store::take`.
    Take(Take),
    /// See `Store::finish`.
    Finish(Finish),
    /// See `Store::turn`.
    Turn(Turn),
    /// See `Store::cancel`.
    Cancel(Cancel),
    /// See `Store::touch`.
    Touch(Touch),
    /// `Store::sweep` until nothing is left.
    Sweep(Sweep),
    /// `Store::evict` until nothing is left.
    Evict(Evict),
    /// See `Store::job`.
    Job(JobQuery),
    /// All pages of `Store::targets` from `from`, `max` rows each.
    Targets(TargetQuery),
    /// All pages of `Store::list`.
    List(Listing),
    /// See `Store::stats`.
    Stats(StatsQuery),
    /// All pages of `Store::kinds`, of so many rows each.
    Kinds(u32),
    /// All pages of `Store::sessions`, of so many rows each.
    Sessions(u32),
}

/// All pages of a list of jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Which jobs.
    pub filter: JobFilter,
    /// In which order.
    pub order: JobOrder,
    /// Rows of a page.
    pub max: u32,
}

/// What a whole reap did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reaped {
    /// Jobs that ended, by id.
    pub ended: Vec<Ended>,
    /// Targets that were parked.
    pub returned: u64,
    /// Targets that were stored as interrupted.
    pub interrupted: u64,
}

/// What a whole sweep did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SweptAll {
    /// How many jobs are gone.
    pub jobs: u64,
    /// Jobs that ended, by id.
    pub expired: Vec<Ended>,
}

/// All pages of a job's targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetRows {
    /// The targets.
    Found(Vec<Target>),
    /// They were evicted.
    Evicted,
    /// No such job.
    NotFound,
}

/// One reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Of a submit.
    Submit(SubmitReply),
    /// Of a stage.
    Stage(StageReply),
    /// Of an enter.
    Enter(EnterReply),
    /// Of a renew.
    Renew(RenewReply),
    /// Of a whole reap; `None` when the beat had moved.
    Reap(Option<Reaped>),
    /// Of a take.
    Take(TakeReply),
    /// Of a finish.
    Finish(FinishReply),
    /// Of a turn.
    Turn(TurnReply),
    /// Of a cancel.
    Cancel(CancelReply),
    /// Of a touch.
    Touch(TouchReply),
    /// Of a whole sweep.
    Sweep(SweptAll),
    /// Of a whole eviction.
    Evict(Evicted),
    /// Of a job.
    Job(JobReply),
    /// All pages of targets.
    Targets(TargetRows),
    /// All pages of jobs.
    List(Vec<Job>),
    /// Of stats.
    Stats(Stats),
    /// All pages of kinds.
    Kinds(Vec<Kind>),
    /// All pages of sessions.
    Sessions(Vec<Session>),
    /// The store could not answer.
    Error(StoreErrorKind),
}

impl Call {
    /// The name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Submit(_) => "submit",
            Self::Stage(_) => "stage",
            Self::Enter(_) => "enter",
            Self::Renew(_) => "renew",
            Self::Reap(_) => "reap",
            Self::Take(_) => "take",
            Self::Finish(_) => "finish",
            Self::Turn(_) => "turn",
            Self::Cancel(_) => "cancel",
            Self::Touch(_) => "touch",
            Self::Sweep(_) => "sweep",
            Self::Evict(_) => "evict",
            Self::Job(_) => "job",
            Self::Targets(_) => "targets",
            Self::List(_) => "list",
            Self::Stats(_) => "stats",
            Self::Kinds(_) => "kinds",
            Self::Sessions(_) => "sessions",
        }
    }

    /// The job that the call is about, if it names one.
    pub fn job(&self) -> Option<&JobId> {
        match self {
            Self::Submit(call) => Some(&call.id),
            Self::Stage(call) => Some(&call.id),
            Self::Finish(call) => Some(&call.start.job),
            Self::Turn(call) => Some(&call.finish.start.job),
            Self::Cancel(call) => Some(&call.id),
            Self::Touch(call) => Some(&call.id),
            Self::Job(JobQuery::Id(id)) => Some(id),
            Self::Targets(call) => Some(&call.id),
            _ => None,
        }
    }

    /// The session that makes the call, if one does.
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Stage(call) => Some(&call.session),
            Self::Enter(call) => Some(&call.session),
            Self::Renew(call) => Some(&call.session),
            Self::Reap(call) => Some(&call.session),
            Self::Take(call) => Some(&call.session),
            Self::Finish(call) => Some(&call.start.session),
            Self::Turn(call) => Some(&call.take.session),
            _ => None,
        }
    }
}

impl Reply {
    /// The same reply without what a store may choose freely: its clock, the order of
    /// lists that have none, and what of a session is for display only.
    #[must_use]
    pub(super) fn canonical(&self) -> Self {
        let mut reply = self.clone();
        match &mut reply {
            Self::Enter(EnterReply::Entered { store_time }) => *store_time = None,
            Self::Renew(RenewReply::Beat {
                starts, store_time, ..
            }) => {
                starts.sort_by(|a, b| a.ticket.cmp(&b.ticket));
                *store_time = None;
            }
            Self::Reap(Some(reaped)) => reaped.ended.sort_by(|a, b| a.id.cmp(&b.id)),
            Self::Sweep(swept) => swept.expired.sort_by(|a, b| a.id.cmp(&b.id)),
            Self::Evict(evicted) => evicted.more = false,
            Self::Sessions(sessions) => sessions.iter_mut().for_each(for_display_only),
            _ => {}
        }
        reply
    }
}

fn for_display_only(session: &mut Session) {
    session.entered_at = batch_core::time::Timestamp::MIN;
    session.seen_at = batch_core::time::Timestamp::MIN;
    session.lock = batch_core::store::view::SessionLock::Unknown;
}
