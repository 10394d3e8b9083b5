//! What goes in comes out, and names are data, never syntax (S9).

use batch_core::id::Kind;
use batch_core::state::JobStatus;
use batch_core::store::call::{Answer, Evict};
use batch_core::store::query::{JobFilter, JobOrder};
use batch_core::store::view::Outcome;

use crate::breach::{Verdict, same};
use crate::case::{Case, HOUR, job, target};

/// Texts that some store, somewhere, has cut, escaped, merged or read as syntax.
const TEXTS: &[&str] = &[
    "",
    " ",
    "\0",
    "a\0b",
    "\n\r\t",
    "\u{feff}bom",
    "\u{202e}right to left",
    "\u{2028}\u{2029}",
    "e\u{301}",
    "é",
    "👩‍👩‍👧‍👦",
    "\u{10ffff}",
    "a:b",
    "*",
    "?",
    "[ab]",
    "{x}",
    "a{x}b",
    "%",
    "_",
    "'; DROP TABLE jobs;--",
    "\"",
    "\\",
    "../x",
    "a/b",
    "]]=]",
    "redis.call('flushall')",
    "__total__",
    "__proto__",
    "NULL",
    "<script>alert(1)</script>",
    "user:secret@host",
];

/// Options that a detour over floating point or another JSON library would change.
const NUMBERS: &str = r#"{"a":130775545883395173,"b":9007199254740993,"c":18446744073709551615,"d":-9223372036854775808,"e":1e400,"f":0.1,"g":-0.0,"h":[],"i":{},"j":null,"k":[null],"l":"1e5","m":1.0}"#;

/// S9.1 Any UTF-8 in url, options, result, error and hint comes back equal.
pub async fn b34_any_text_comes_back_equal(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let list: Vec<_> = TEXTS.iter().map(|text| target(*text, *text)).collect();
    let count = list.len() as u64;
    case.make(job("done").with(list.clone()).caller("ann"))
        .await?;
    case.make(job("failed").with(list).caller("bob")).await?;

    for (done, failed) in TEXTS.iter().map(|text| answers(text)) {
        case.run_one("s1", done).await?;
        case.run_one("s1", failed).await?;
    }

    same(case.job("done").await?.counts.done, count)?;
    let shown = case.all_targets("done").await?;
    for (target, text) in shown.iter().zip(TEXTS) {
        same(
            (target.url.as_str(), target.options.as_str()),
            (*text, *text),
        )?;
        let result = (*text).to_owned();
        same(&target.outcome, &Some(Outcome::Done { result }))?;
    }
    let shown = case.all_targets("failed").await?;
    for (target, text) in shown.iter().zip(TEXTS) {
        let error = (*text).to_owned();
        let hint = Some(error.clone());
        same(&target.outcome, &Some(Outcome::Failed { error, hint }))?;
    }
    Ok(())
}

/// The same text as a result, and as an error with a hint.
fn answers(text: &str) -> (Answer, Answer) {
    let result = text.to_owned();
    let (error, hint) = (text.to_owned(), Some(text.to_owned()));
    (Answer::Done { result }, Answer::Failed { error, hint })
}

/// S9.2 Numbers beyond 2^53, empty lists and empty objects come back digit for digit.
pub async fn b35_numbers_come_back_digit_for_digit(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").with(vec![target("u", NUMBERS)])).await?;

    let started = case.start("s1").await?;

    same(started.options.as_str(), NUMBERS)?;
    same(case.target("a", 0).await?.options.as_str(), NUMBERS)
}

/// S9.1 A url of one mebibyte comes back whole.
pub async fn a_long_url_comes_back_whole(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let url = "é".repeat(512 << 10);
    case.make(job("a").with(vec![target(url.as_str(), "{}")]))
        .await?;

    let started = case.start("s1").await?;

    same(started.url == url, true)?;
    same(case.job("a").await?.bytes, (1 << 20) + 2)
}

/// S9.3 Every caller's name is a caller of its own.
pub async fn b46_callers_stay_apart(case: &mut Case<'_>) -> Verdict {
    for (n, caller) in TEXTS.iter().enumerate() {
        let request = job(&format!("{n}"))
            .like("same")
            .caller(caller)
            .caps(1, 1_000);
        case.make(request).await?;
    }

    for (n, caller) in TEXTS.iter().enumerate() {
        let filter = JobFilter {
            caller: Some((*caller).to_owned()),
            ..JobFilter::default()
        };
        same(
            case.ids(filter, JobOrder::Sequence).await?,
            vec![n.to_string()],
        )?;
        let stats = case.stats_of("", Some(caller)).await?;
        same(stats.caller_live, 1)?;
    }
    Ok(())
}

/// S9.3 Every kind's name is a kind of its own.
pub async fn b46_kinds_stay_apart(case: &mut Case<'_>) -> Verdict {
    for (n, kind) in TEXTS.iter().enumerate() {
        let request = job(&format!("{n}")).like("same").kind(kind).caps(1, 1);
        case.make(request).await?;
    }
    for (n, kind) in TEXTS.iter().enumerate() {
        let session = format!("s{n}");
        case.enter_kind(&session, kind).await?;
        same(case.turn_of(&session).await?.0, n.to_string())?;
    }

    for kind in TEXTS {
        same(case.stats_of(kind, None).await?.kind.live, 1)?;
    }
    Ok(())
}

/// S9.3 Every id is a job of its own, and a strange id finds nothing.
pub async fn b46_ids_stay_apart(case: &mut Case<'_>) -> Verdict {
    for id in TEXTS {
        same(case.find(id).await?, None)?;
        case.make(job(id)).await?;
    }
    for id in TEXTS.iter().step_by(2) {
        case.cancel(id).await?;
    }

    for id in TEXTS.iter().skip(1).step_by(2) {
        same(case.job(id).await?.status, JobStatus::Queued)?;
    }
    case.advance(HOUR);
    same(case.sweep().await?.jobs, TEXTS.len() as u64 / 2)
}

/// S9.3 Sessions, tickets and requests are opaque as well.
pub async fn b46_sessions_and_tickets_stay_apart(case: &mut Case<'_>) -> Verdict {
    for session in TEXTS {
        case.enter(session).await?;
        case.make(job(session)).await?;
    }
    for text in TEXTS {
        case.take_as(text, text).await?;
    }

    for text in TEXTS {
        case.reap(text).await?;
    }

    same(case.sessions().await?, Vec::new())?;
    same(case.rotation().await?.len(), TEXTS.len())
}

/// S9.3 Keys are compared byte for byte.
pub async fn b46_keys_stay_apart(case: &mut Case<'_>) -> Verdict {
    for (n, key) in TEXTS.iter().enumerate() {
        case.make(job(&format!("{n}")).client_key(key)).await?;
    }

    same(case.listed().await?.len(), TEXTS.len())
}

/// S9.3 Names of ten kilobytes are names.
pub async fn b46_long_names_are_names(case: &mut Case<'_>) -> Verdict {
    let long = "a".repeat(10 << 10);
    let longer = format!("{long}a");

    case.make(job("a").caller(&long).kind(&long).client_key(&long))
        .await?;
    case.make(job("b").caller(&longer).kind(&longer).client_key(&longer))
        .await?;

    same(case.job("a").await?.caller.name == long, true)?;
    same(case.job("b").await?.kind.as_str() == longer, true)
}

/// S9.1 A note comes back byte for byte.
pub async fn a_note_comes_back_equal(case: &mut Case<'_>) -> Verdict {
    let note = TEXTS.concat();

    case.make(job("a").note(note.clone())).await?;

    same(case.job("a").await?.note, note)
}

/// S9.3 Kind, caller and key are three names: no two of them meet where they are put together.
pub async fn b46_parts_of_a_name_are_not_joined(case: &mut Case<'_>) -> Verdict {
    let parts = [
        ("a", "b:c", "d"),
        ("a:b", "c", "d"),
        ("a", "b", "c:d"),
        ("a\0b", "c", "d"),
        ("a", "b\0c", "d"),
        ("a", "b", "c\0d"),
        ("", "ab", "cd"),
        ("ab", "", "cd"),
        ("ab", "cd", ""),
    ];
    for (n, (kind, caller, key)) in parts.into_iter().enumerate() {
        let request = job(&format!("{n}")).kind(kind).caller(caller);
        case.make(request.client_key(key)).await?;
    }

    for (kind, caller, _) in parts {
        let own = parts.iter().filter(|(k, c, _)| (*k, *c) == (kind, caller));
        let stats = case.stats_of(kind, Some(caller)).await?;
        same(stats.caller_live, own.count() as u64)?;
    }
    Ok(())
}

/// S9.3, S7.1 An eviction of one kind reads no pattern: every other kind keeps its results.
pub async fn b46_an_eviction_reads_no_pattern(case: &mut Case<'_>) -> Verdict {
    for kind in TEXTS {
        for n in 0..2 {
            case.make(job(&format!("{kind}/{n}")).kind(kind)).await?;
            case.cancel(&format!("{kind}/{n}")).await?;
        }
    }

    for kind in ["*", "%", "_", "?", "[ab]"] {
        let call = Evict {
            kind: Kind::new(kind),
            max_bytes: 0,
            max: 100,
        };
        same(case.store().evict(call).await?.jobs, 1)?;
    }

    case.recount().await?;
    for kind in TEXTS
        .iter()
        .filter(|kind| !"* % _ ? [ab]".split(' ').any(|own| own == **kind))
    {
        let counters = case.stats_of(kind, None).await?.kind.counters;
        same(counters.jobs_evicted, 0)?;
    }
    Ok(())
}
