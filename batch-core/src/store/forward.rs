//! A store behind `Arc` or `Box` is a store: every call is passed on.
//!
//! Written out, so that an override of `turn` or `wake` is never lost. The list of
//! operations stands here once, for wrappers of all sorts.

use std::sync::Arc;

use async_trait::async_trait;

use super::capability::Capabilities;
use super::{Store, StoreResult};
use crate::id::Kind;

/// Hands every operation that takes a call to another macro.
///
/// A wrapper that is made from this list cannot forget an operation. The other macro
/// gets what follows its name, then `name(Call) -> Reply;` for each.
#[macro_export]
macro_rules! for_each_operation {
    ($wrap:ident! $($first:tt)*) => {
        $wrap! {
            $($first)*
            submit($crate::store::call::Submit) -> $crate::store::reply::SubmitReply;
            stage($crate::store::call::Stage) -> $crate::store::reply::StageReply;
            enter($crate::store::call::Enter) -> $crate::store::reply::EnterReply;
            renew($crate::store::call::Renew) -> $crate::store::reply::RenewReply;
            sessions($crate::store::query::Sessions) -> $crate::store::reply::SessionPage;
            reap($crate::store::call::Reap) -> $crate::store::reply::ReapReply;
            take($crate::store::call::Take) -> $crate::store::reply::TakeReply;
            finish($crate::store::call::Finish) -> $crate::store::reply::FinishReply;
            turn($crate::store::call::Turn) -> $crate::store::reply::TurnReply;
            cancel($crate::store::call::Cancel) -> $crate::store::reply::CancelReply;
            touch($crate::store::call::Touch) -> $crate::store::reply::TouchReply;
            sweep($crate::store::call::Sweep) -> $crate::store::reply::Swept;
            evict($crate::store::call::Evict) -> $crate::store::reply::Evicted;
            job($crate::store::query::JobQuery) -> $crate::store::reply::JobReply;
            targets($crate::store::query::TargetQuery) -> $crate::store::reply::TargetReply;
            list($crate::store::query::JobList) -> $crate::store::reply::JobPage;
            stats($crate::store::query::StatsQuery) -> $crate::store::reply::Stats;
            kinds($crate::store::query::KindList) -> $crate::store::reply::KindPage;
        }
    };
}

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

for_each_operation!(forward! Arc:);
for_each_operation!(forward! Box:);
