//! Reads are pure, come in pages, and never look complete when they are not (R6, S8).

use std::time::Duration;

use batch_core::id::Kind;
use batch_core::limits::{LIST_EXAMINED, PAGE_BYTES};
use batch_core::state::JobStatus;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{JobFilter, JobList, JobOrder, KindList, TargetOrder};
use batch_core::store::reply::{TargetPage, TargetReply};

use crate::breach::{Verdict, same, unlike};
use crate::case::{Case, HOUR, busy, done, job, target};

/// A page, which must be one.
async fn page(
    case: &Case<'_>,
    id: &str,
    order: TargetOrder,
    from: u64,
    max: u32,
) -> Verdict<TargetPage> {
    match case.page(id, order, from, max).await? {
        TargetReply::Page(page) => Ok(page),
        other => unlike(&other, "a page"),
    }
}

/// The indexes on a page, and where the next begins.
fn shown(page: &TargetPage) -> (Vec<u64>, Option<u64>) {
    let indexes = page.targets.iter().map(|target| target.index);
    (indexes.collect(), page.next)
}

/// Everything that reads can show, as text.
async fn dump(case: &Case<'_>) -> Verdict<String> {
    let mut shown = vec![format!("{:?}", case.sessions().await?)];
    for id in case.listed().await? {
        shown.push(format!("{:?}", case.job(&id).await?));
        shown.push(format!(
            "{:?}",
            case.page(&id, TargetOrder::Index, 0, 100).await?
        ));
        shown.push(format!(
            "{:?}",
            case.page(&id, TargetOrder::Stored, 0, 100).await?
        ));
    }
    shown.push(format!("{:?}", case.rotation().await?));
    shown.push(format!("{:?}", case.stats_of("", Some("nobody")).await?));
    Ok(shown.join("\n"))
}

/// Jobs of every sort: live, waiting, cancelled, done, evicted, and one that is past its ttl.
async fn every_sort(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    for id in ["evicted", "done", "a", "b", "old", "swept"] {
        case.make(job(id).ttl(HOUR * 9)).await?;
    }
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", done("x")).await?;
    case.evict(0).await?;
    case.start("s1").await?;
    case.run_one("s1", busy(Duration::from_secs(9))).await?;
    case.cancel("old").await?;
    case.make(job("due").ttl(Duration::from_secs(1))).await?;
    case.make(job("gone").ttl(Duration::ZERO)).await?;
    case.cancel("gone").await?;
    case.sweep().await.map(|_| ())
}

/// R6.1, S8.1 Reads change nothing, however often they are made and of whatever.
pub async fn b50_reads_change_nothing(case: &mut Case<'_>) -> Verdict {
    every_sort(case).await?;
    let before = dump(case).await?;
    case.advance(HOUR);

    for _ in 0..3 {
        dump(case).await?;
        for id in ["nobody", "gone", "evicted"] {
            case.find(id).await?;
            case.page(id, TargetOrder::Index, 0, 9).await?;
        }
    }

    same(dump(case).await?, before)
}

/// R6.2, S8.2 A page ends at its rows and says where the next begins.
pub async fn a_page_ends_at_its_rows(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").targets(5)).await?;

    let first = page(case, "a", TargetOrder::Index, 0, 2).await?;
    let middle = page(case, "a", TargetOrder::Index, 2, 2).await?;
    let last = page(case, "a", TargetOrder::Index, 4, 2).await?;

    same(shown(&first), (vec![0, 1], Some(2)))?;
    same(shown(&middle), (vec![2, 3], Some(4)))?;
    same(shown(&last), (vec![4], None))
}

/// R6.2 A page that ends with the last row has no next.
pub async fn a_full_last_page_has_no_next(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").targets(4)).await?;

    let last = page(case, "a", TargetOrder::Index, 2, 2).await?;

    same(shown(&last), (vec![2, 3], None))
}

/// R6.2 A page past the end is empty.
pub async fn a_page_past_the_end_is_empty(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").targets(2)).await?;

    let past = page(case, "a", TargetOrder::Index, 2, 9).await?;
    let far = page(case, "a", TargetOrder::Index, u64::MAX, 9).await?;

    same(shown(&past), (Vec::new(), None))?;
    same(shown(&far), (Vec::new(), None))
}

/// R6.2 A page holds at least one row.
pub async fn a_page_of_no_rows_holds_one(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").targets(2)).await?;

    let least = page(case, "a", TargetOrder::Index, 0, 0).await?;

    same(shown(&least), (vec![0], Some(1)))
}

/// R6.2 A page ends at 4 MiB, results counted, though never before its first row.
pub async fn a_page_ends_at_four_mebibytes(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").with(vec![target("", ""); 4])).await?;
    let half = usize::try_from(PAGE_BYTES / 2).unwrap_or(0) - 2;
    case.run_one("s1", done(&"h".repeat(half))).await?;
    case.run_one("s1", done(&"h".repeat(half))).await?;
    case.run_one("s1", done(&"w".repeat(half * 3))).await?;

    let two = page(case, "a", TargetOrder::Index, 0, 100).await?;
    let wide = page(case, "a", TargetOrder::Index, 2, 100).await?;
    let rest = page(case, "a", TargetOrder::Index, 3, 100).await?;

    same(shown(&two), (vec![0, 1], Some(2)))?;
    same(shown(&wide), (vec![2], Some(3)))?;
    same(shown(&rest), (vec![3], None))
}

/// R13.1 The stored order has pages too, from any outcome on.
pub async fn the_stored_order_is_read_from_any_outcome_on(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(4)).await?;
    for _ in 0..3 {
        case.run_one("s1", done("x")).await?;
    }

    let first = page(case, "a", TargetOrder::Stored, 0, 2).await?;
    let last = page(case, "a", TargetOrder::Stored, 2, 2).await?;
    let none = page(case, "a", TargetOrder::Stored, 3, 2).await?;

    same(shown(&first), (vec![0, 1], Some(2)))?;
    same(shown(&last), (vec![2], None))?;
    same(shown(&none), (Vec::new(), None))
}

/// R6.3 A later page of an evicted job says so.
pub async fn a_later_page_of_an_evicted_job_says_so(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", done("x")).await?;
    case.make(job("b")).await?;
    case.advance(Duration::from_secs(1));
    case.run_one("s1", done("x")).await?;
    let first = page(case, "a", TargetOrder::Index, 0, 1).await?;

    case.evict(0).await?;

    same(first.next, Some(1))?;
    let later = case.page("a", TargetOrder::Index, 1, 1).await?;
    let stored = case.page("a", TargetOrder::Stored, 1, 1).await?;
    same(
        (later, stored),
        (TargetReply::Evicted, TargetReply::Evicted),
    )
}

/// R6.3 A later page of a swept job says so.
pub async fn a_later_page_of_a_swept_job_says_so(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").targets(2)).await?;
    case.cancel("a").await?;
    let first = page(case, "a", TargetOrder::Index, 0, 1).await?;
    case.advance(HOUR);

    case.sweep().await?;

    same(first.next, Some(1))?;
    same(
        case.page("a", TargetOrder::Index, 1, 1).await?,
        TargetReply::NotFound,
    )
}

/// S9.1 A note is read with its job, and not in lists.
pub async fn a_note_is_read_with_its_job_only(case: &mut Case<'_>) -> Verdict {
    let note = case.markers().text("note");
    case.make(job("a").note(note.clone())).await?;

    let listed = crate::recount::jobs(
        case.store().as_ref(),
        &JobFilter::default(),
        JobOrder::Sequence,
    )
    .await?;

    same(case.job("a").await?.note, note)?;
    let notes: Vec<_> = listed.iter().map(|job| job.note.as_str()).collect();
    same(notes, vec![""])
}

/// S12.1 A note over 64 KiB breaks the contract.
pub async fn a_long_note_is_invalid(case: &mut Case<'_>) -> Verdict {
    case.make(job("full").note("n".repeat(64 << 10))).await?;
    let call = case.call(&job("over").note("n".repeat((64 << 10) + 1)));

    let answer = case.store().submit(call).await;

    same(case.error_of(answer)?, StoreErrorKind::Invalid)
}

/// S8.3 A list is filtered by kind, caller and status.
pub async fn a_list_is_filtered(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").caller("ann")).await?;
    case.make(job("b").caller("bob")).await?;
    case.make(job("c").caller("ann").kind("other")).await?;
    case.cancel("a").await?;
    let all = JobFilter::default;

    let kind = JobFilter {
        kind: Some(Kind::default()),
        ..all()
    };
    let caller = JobFilter {
        caller: Some("ann".to_owned()),
        ..all()
    };
    let status = JobFilter {
        status: Some(JobStatus::Queued),
        ..caller.clone()
    };

    same(
        case.ids(kind, JobOrder::Sequence).await?.concat(),
        "ab".to_owned(),
    )?;
    same(
        case.ids(caller, JobOrder::Sequence).await?.concat(),
        "ac".to_owned(),
    )?;
    same(
        case.ids(status, JobOrder::Sequence).await?.concat(),
        "c".to_owned(),
    )
}

/// S12.1 The rotation is that of one kind.
pub async fn a_rotation_without_a_kind_is_invalid(case: &mut Case<'_>) -> Verdict {
    let call = JobList {
        filter: JobFilter::default(),
        order: JobOrder::Rotation,
        after: None,
        max: 10,
    };

    let answer = case.store().list(call).await;

    same(case.error_of(answer)?, StoreErrorKind::Invalid)
}

/// S8.2, S4.1 Pages of a list skip and repeat nothing when jobs come and go between them.
pub async fn b29_pages_of_a_list_skip_nothing(case: &mut Case<'_>) -> Verdict {
    for id in ["a", "b", "c", "d"] {
        case.make(job(id).ttl(Duration::from_secs(1))).await?;
    }
    let call = |after| JobList {
        filter: JobFilter::default(),
        order: JobOrder::Sequence,
        after,
        max: 2,
    };
    let ids = |page: &batch_core::store::reply::JobPage| {
        page.jobs
            .iter()
            .map(|job| job.id.to_string())
            .collect::<String>()
    };

    let first = case.store().list(call(None)).await?;
    case.cancel("a").await?;
    case.make(job("e")).await?;
    let second = case.store().list(call(first.next)).await?;
    let third = case.store().list(call(second.next)).await?;

    same(
        [ids(&first), ids(&second), ids(&third)].concat(),
        "abcde".to_owned(),
    )?;
    same(third.next, None)
}

/// S8.3 A list examines a bounded number of rows, and goes on where it stopped.
pub async fn a_list_examines_a_bounded_number_of_rows(case: &mut Case<'_>) -> Verdict {
    let call = case.call(&job("x"));
    for n in 0..LIST_EXAMINED {
        let mut one = call.clone();
        one.id = format!("{n}").into();
        one.key.text = format!("{n}");
        case.store().submit(one).await?;
    }
    case.make(job("last").caller("last")).await?;
    let filter = JobFilter {
        caller: Some("last".to_owned()),
        ..JobFilter::default()
    };

    let found = case.ids(filter, JobOrder::Sequence).await?;

    same(found, vec!["last".to_owned()])
}

/// S13.1 Kinds are read in pages, in the order of their names.
pub async fn kinds_are_read_in_pages(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").kind("k2")).await?;
    case.make(job("b").kind("k1")).await?;
    case.enter_kind("s1", "k3").await?;
    let call = |after: Option<&str>| KindList {
        after: after.map(Kind::new),
        max: 2,
    };

    let first = case.store().kinds(call(None)).await?;
    let last = case.store().kinds(call(Some("k2"))).await?;

    same(first.kinds, vec![Kind::new("k1"), Kind::new("k2")])?;
    same(first.next, Some(Kind::new("k2")))?;
    same((last.kinds, last.next), (vec![Kind::new("k3")], None))
}
