//! Sessions: enter, beat, and what a look at them shows (R9.2, R9.3).
//!
//! What is taken back from a dead one is in `reap.rs`.

use std::time::Duration;

use batch_core::store::query::Sessions;
use batch_core::store::reply::{EnterReply, ReapReply, RenewReply};

use crate::breach::{Verdict, present, same, unlike};
use crate::case::{Case, done, job};

/// Renews; the beat and the starts by job.
async fn beat(case: &mut Case<'_>, session: &str) -> Verdict<(u64, Vec<String>)> {
    match case.renew(session).await? {
        RenewReply::Beat { beat, starts, .. } => {
            let jobs = starts.iter().map(|held| held.start.job.to_string());
            Ok((beat, jobs.collect()))
        }
        RenewReply::Gone => unlike(&RenewReply::Gone, "Beat"),
    }
}

/// R9.2 A session begins at beat 1, and is listed with what it said.
pub async fn a_session_begins_at_beat_one(case: &mut Case<'_>) -> Verdict {
    case.enter_kind("s1", "fetch").await?;

    let session = present(case.session("s1").await?, "the session")?;

    same((session.beat, session.kind), (1, Some("fetch".into())))?;
    same(session.host, "host.example".to_owned())?;
    same(session.beat_length, Duration::from_secs(2))
}

/// R9.2 Each renewal is one beat.
pub async fn each_renewal_is_one_beat(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;

    let first = beat(case, "s1").await?.0;
    let second = beat(case, "s1").await?.0;

    same([first, second], [2, 3])?;
    same(case.session("s1").await?.map(|found| found.beat), Some(3))
}

/// R9.2 A renewal answers every running start with its ticket.
pub async fn a_renewal_tells_every_running_start(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a")).await?;
    case.make(job("b")).await?;
    case.make(job("c")).await?;
    case.take_as("s1", "ticket of a").await?;
    case.run_one("s1", done("x")).await?;
    case.start("s2").await?;

    let reply = case.renew("s1").await?;

    match reply {
        RenewReply::Beat { starts, .. } => {
            let told = starts.iter();
            let told: Vec<_> = told
                .map(|s| (s.ticket.as_str(), s.start.job.as_str()))
                .collect();
            same(told, vec![("ticket of a", "a")])
        }
        RenewReply::Gone => unlike(&reply, "Beat"),
    }
}

/// R9.2 A session that never entered is gone.
pub async fn an_unknown_session_is_gone(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;

    same(case.renew("nobody").await?, RenewReply::Gone)?;
    let take = case.take("nobody").await?;
    same(take, batch_core::store::reply::TakeReply::Gone)
}

/// R9.3, S2.6 Entering again is no new session.
pub async fn entering_again_changes_nothing(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.renew("s1").await?;
    let before = case.sessions().await?;

    let again = case.try_enter("s1", "").await?;

    same(matches!(again, EnterReply::Entered { .. }), true)?;
    same(case.sessions().await?, before)
}

/// R9.4 A dying session takes, renews and enters no more.
pub async fn a_dying_session_is_gone_everywhere(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").pinned("s1")).await?;
    case.make(job("b").pinned("s1")).await?;
    case.make(job("c")).await?;

    let step = case.reap_step("s1", 1, 1).await?;

    same(matches!(step, ReapReply::Reaped { more: true, .. }), true)?;
    let take = case.take("s1").await?;
    same(take, batch_core::store::reply::TakeReply::Gone)?;
    same(case.renew("s1").await?, RenewReply::Gone)?;
    same(case.try_enter("s1", "").await?, EnterReply::Gone)
}

/// R9.3 A session that lived after the beat that was seen is not reaped.
pub async fn a_moved_beat_refuses_the_reap(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.start("s1").await?;
    case.renew("s1").await?;

    let reply = case.reap_step("s1", 1, 100).await?;

    same(reply, ReapReply::Moved)?;
    same(beat(case, "s1").await?, (3, vec!["a".to_owned()]))
}

/// R9.3 Two sessions of one host and kind are two sessions.
pub async fn b04_identity_is_the_start_not_the_host(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a")).await?;
    case.start("s1").await?;

    case.reap("s2").await?;

    same(case.target("a", 0).await?.session, Some("s1".into()))?;
    same(case.sessions().await?.len(), 1)
}

/// R9.4 Sessions are read in pages, in the order of their ids.
pub async fn sessions_are_read_in_pages(case: &mut Case<'_>) -> Verdict {
    for id in ["s3", "s1", "s2"] {
        case.enter(id).await?;
    }
    let call = |after: Option<&str>| Sessions {
        after: after.map(Into::into),
        max: 2,
    };

    let first = case.store().sessions(call(None)).await?;
    let last = case.store().sessions(call(Some("s2"))).await?;

    let ids = |page: &batch_core::store::reply::SessionPage| {
        let ids = page.sessions.iter().map(|session| session.id.to_string());
        ids.collect::<Vec<_>>().join(" ")
    };
    same(
        (ids(&first), first.next),
        ("s1 s2".to_owned(), Some("s2".into())),
    )?;
    same((ids(&last), last.next), ("s3".to_owned(), None))
}

/// R9.2 A beat changes no job and no other session.
pub async fn a_beat_changes_no_job(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a")).await?;
    case.start("s1").await?;
    let job_before = case.job("a").await?;
    let other_before = case.session("s2").await?;
    case.advance(Duration::from_secs(2));

    case.renew("s1").await?;

    same(case.job("a").await?, job_before)?;
    same(case.session("s2").await?, other_before)
}
