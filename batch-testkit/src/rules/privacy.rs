//! No log line and no error text shows what a caller sent or got (R8.5).
//!
//! Every case of every group looks for the markers in its targets; the rules here
//! plant them everywhere else as well.

use batch_core::store::call::{Answer, Stage};
use batch_core::store::error::StoreErrorKind;

use crate::breach::{Verdict, same};
use crate::case::{Case, HOUR, Request, busy, done, job};

/// A request that is marked wherever it holds text of a caller.
fn marked(case: &Case<'_>, id: &str) -> Request {
    let text = |place| case.markers().text(place);
    job(id)
        .targets(2)
        .caller(&text("caller"))
        .client_key(&text("key"))
        .note(text("note"))
}

/// R8.5 A whole life of a job leaves no payload in a log.
pub async fn no_log_line_shows_a_payload(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    let request = marked(case, "a");
    let failure = Answer::Failed {
        error: case.markers().text("error"),
        hint: Some(case.markers().text("hint")),
    };
    let result = done(&case.markers().text("result"));

    case.make(request.clone()).await?;
    case.submit(request.clone().like("b")).await?;
    case.run_one("s1", busy(std::time::Duration::ZERO)).await?;
    let lost = case.start("s1").await?.start;
    case.reap("s1").await?;
    case.finish(&lost, result.clone()).await?;
    let start = case.run_one("s2", result).await?;
    case.finish(&start, failure.clone()).await?;
    case.run_one("s2", failure).await?;
    case.evict(0).await?;
    case.cancel("a").await?;
    case.advance(HOUR);
    case.sweep().await?;

    case.markers().check_logs()
}

/// R8.5, S12.1 An error about a payload does not show it.
pub async fn no_error_text_shows_a_payload(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let request = marked(case, "a");
    let targets = request.list(case.markers());
    let wrong_total = case.call(&request.clone().with(targets.clone()).total(9));
    let long_note = case.markers().text("note").repeat(10_000);
    let long_note = case.call(&request.note(long_note));
    let gap = Stage {
        id: "a".into(),
        session: "s1".into(),
        first: 7,
        targets,
        now: case.now(),
    };

    let wrong_total = case.store().submit(wrong_total).await;
    let long_note = case.store().submit(long_note).await;
    let gap = case.store().stage(gap).await;

    same(case.error_of(wrong_total)?, StoreErrorKind::Invalid)?;
    same(case.error_of(long_note)?, StoreErrorKind::Invalid)?;
    same(case.error_of(gap)?, StoreErrorKind::Invalid)
}
