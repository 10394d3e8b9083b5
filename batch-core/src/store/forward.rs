//! A store behind `Arc` or `Box` is a store: every call is passed on.
//!
//! Written by hand, so that an override of `turn` or `wake` is never lost.

use std::sync::Arc;

use async_trait::async_trait;

use super::call::{
    Cancel, Enter, Evict, Finish, Reap, Renew, Stage, Submit, Sweep, Take, Touch, Turn,
};
use super::capability::Capabilities;
use super::query::{JobList, JobQuery, KindList, Sessions, StatsQuery, TargetQuery};
use super::reply::{
    CancelReply, EnterReply, Evicted, FinishReply, JobPage, JobReply, KindPage, ReapReply,
    RenewReply, SessionPage, StageReply, Stats, SubmitReply, Swept, TakeReply, TargetReply,
    TouchReply, TurnReply,
};
use super::{Store, StoreResult};
use crate::id::Kind;

macro_rules! forward {
    ($pointer:ident: $($name:ident($call:ty) -> $reply:ty;)*) => {
        #[async_trait]
        impl<S: Store + ?Sized> Store for $pointer<S> {
            async fn capabilities(&self) -> StoreResult<Capabilities> {
                (**self).capabilities().await
            }

            $(async fn $name(&self, call: $call) -> StoreResult<$reply> {
                (**self).$name(call).await
            })*

            async fn wake(&self, kind: &Kind) {
                (**self).wake(kind).await;
            }

            async fn close(&self) -> StoreResult<()> {
                (**self).close().await
            }
        }
    };
}

macro_rules! forward_all {
    ($($pointer:ident),*) => {
        $(forward! {
            $pointer:
            submit(Submit) -> SubmitReply;
            stage(Stage) -> StageReply;
            enter(Enter) -> EnterReply;
            renew(Renew) -> RenewReply;
            sessions(Sessions) -> SessionPage;
            reap(Reap) -> ReapReply;
            take(Take) -> TakeReply;
            finish(Finish) -> FinishReply;
            turn(Turn) -> TurnReply;
            cancel(Cancel) -> CancelReply;
            touch(Touch) -> TouchReply;
            sweep(Sweep) -> Swept;
            evict(Evict) -> Evicted;
            job(JobQuery) -> JobReply;
            targets(TargetQuery) -> TargetReply;
            list(JobList) -> JobPage;
            stats(StatsQuery) -> Stats;
            kinds(KindList) -> KindPage;
        })*
    };
}

forward_all!(Arc, Box);
