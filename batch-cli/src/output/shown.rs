//! Foreign text as it may be shown on a terminal: one line, bounded, without secrets.

use batch_core::time::Timestamp;
use reqwest::Url;

/// The most characters of a text that is shown in a line.
const LENGTH: usize = 200;

/// A text on one line: control characters escaped, passwords of URLs left out, cut.
pub(crate) fn text(text: &str) -> String {
    let mut shown = String::new();
    for (count, c) in redacted(text).chars().enumerate() {
        if count == LENGTH {
            shown.push('…');
            break;
        }
        if c.is_control() || is_direction(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A target: like a text, and of a URL what follows the path is left out.
pub(crate) fn target(target: &str) -> String {
    // However it is spelled: what is fetched is what this reads.
    if let Ok(mut url) = Url::parse(target)
        && matches!(url.scheme(), "http" | "https")
        && (has_user(&url) || url.query().is_some() || url.fragment().is_some())
    {
        let user = if has_user(&url) { "…@" } else { "" };
        let more = if url.query().is_some() { "?…" } else { "" };
        url.set_query(None);
        url.set_fragment(None);
        let (scheme, host) = (url.scheme(), url.host_str().unwrap_or_default());
        let port = url
            .port()
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        return text(&format!(
            "{scheme}://{user}{host}{port}{}{more}",
            url.path()
        ));
    }
    match target.split_once('?') {
        Some((before, _)) if before.contains("://") => text(&format!("{before}?…")),
        _ => text(target),
    }
}

fn has_user(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// How a command or request failed: its own word, and the last line that it said.
pub(crate) fn error(error: &str) -> String {
    let mut lines = error.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default();
    match (lines.next_back(), first.split_once(": ")) {
        (Some(last), Some((how, _))) => text(&format!("{how}: {last}")),
        _ => text(first),
    }
}

/// Overrides of the direction of writing could make a line say something else.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Leaves out what stands between `://` and `@` of a URL's host part.
fn redacted(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        shown.push_str(before);
        shown.push_str("://");
        let end = after
            .find(|c: char| c == '/' || c.is_whitespace())
            .unwrap_or(after.len());
        let (host, path) = after.split_at_checked(end).unwrap_or((after, ""));
        match host.rsplit_once('@') {
            Some((_, host)) => {
                shown.push_str("…@");
                rest = &after[after.len() - path.len() - host.len()..];
            }
            None => rest = after,
        }
    }
    shown.push_str(rest);
    shown
}

/// A point in time in UTC, to the second.
pub(crate) fn time(at: Timestamp) -> String {
    let seconds = at.as_millis().div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
}

/// The Gregorian date of a day since 1970; years are counted from March, so that the
/// leap day is the last of its year.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(text("a\x1b[2Jb\n\u{202e}"), r"a\u{1b}[2Jb\n\u{202e}");
        assert_eq!(text(&"x".repeat(300)).chars().count(), LENGTH + 1);
    }

    #[test]
    fn b47_passwords_are_left_out() {
        assert_eq!(
            text("see http://u:S3cr3t@h/p and x://T0k3n@i"),
            "see http://…@h/p and x://…@i"
        );
        assert_eq!(text("http://u:p@ss@h"), "http://…@h");
        assert_eq!(target("https://u:p@h/a?key=S3cr3t"), "https://…@h/a?…");
        assert_eq!(
            target("http:/u:S3cr3t@h:8/a?t=S3cr3t#x"),
            "http://…@h:8/a?…"
        );
        assert_eq!(target(r"HTTP:\\u:S3cr3t@h"), "http://…@h/");
        assert_eq!(target("http://h/a#S3cr3t"), "http://h/a");
        assert_eq!(target("http://h"), "http://h");
        assert_eq!(target("what? me@home"), "what? me@home");
        assert_eq!(text("http://h/a@b ://"), "http://h/a@b ://");
    }

    #[test]
    fn of_a_long_error_its_end_is_shown() {
        assert_eq!(error("exit status 1: one\ntwo\n\n"), "exit status 1: two");
        assert_eq!(error("timed out"), "timed out");
    }

    #[test]
    fn times_are_told_in_utc() {
        let at = |seconds: i64| time(Timestamp::from_millis(seconds * 1000));

        assert_eq!(at(0), "1970-01-01 00:00:00Z");
        assert_eq!(at(951_782_400), "2000-02-29 00:00:00Z");
        assert_eq!(at(1_796_101_199), "2026-12-01 04:59:59Z");
        assert_eq!(at(-1), "1969-12-31 23:59:59Z");
    }
}
