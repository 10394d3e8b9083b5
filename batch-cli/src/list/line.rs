//! One line of a list: plain text is a url, a line that begins with `{` is JSON.

use batch_core::canonical::{NO_OPTIONS, NotCanonical, canonical_options};
use batch_core::store::call::NewTarget;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What is wrong with a line. No variant quotes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineError {
    NotUtf8,
    NotJson(String),
    Options(NotCanonical),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry<'a> {
    url: String,
    #[serde(borrow, default)]
    options: Option<&'a RawValue>,
}

/// The target of a line without its end; `None` for one of ASCII space.
pub(super) fn target(line: &[u8]) -> Result<Option<NewTarget>, LineError> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = str::from_utf8(line).map_err(|_| LineError::NotUtf8)?;
    if text.trim_ascii().is_empty() {
        return Ok(None);
    }
    if text.starts_with('{') {
        return json(text).map(Some);
    }
    Ok(Some(NewTarget::new(text).with_options(NO_OPTIONS)))
}

fn json(text: &str) -> Result<NewTarget, LineError> {
    let entry: Entry<'_> = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    let options = entry.options.map_or("", RawValue::get);
    let options = canonical_options(options).map_err(LineError::Options)?;
    Ok(NewTarget::new(entry.url).with_options(options))
}

/// The library's text may quote a field's name or value: only the place is kept.
fn not_json(error: &serde_json::Error) -> LineError {
    let what = match error.classify() {
        serde_json::error::Category::Data => {
            r#"give {"url": TEXT, "options": {…}} and no other field"#
        }
        _ => "it begins with { but is not JSON",
    };
    LineError::NotJson(format!("{what} (column {})", error.column()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(line: &str) -> String {
        target(line.as_bytes()).unwrap().unwrap().url
    }

    #[test]
    fn plain_text_is_kept_as_it_is() {
        assert_eq!(url(" a {b} \t"), " a {b} \t");
        assert_eq!(url("a\0b\r"), "a\0b");
        assert_eq!(url(r#"["a"]"#), r#"["a"]"#);
    }

    #[test]
    fn blank_lines_are_no_targets() {
        assert_eq!(target(b""), Ok(None));
        assert_eq!(target(b" \t\r"), Ok(None));
        assert_eq!(url("\u{a0}"), "\u{a0}");
    }

    #[test]
    fn an_object_holds_url_and_options() {
        let read = target(br#"{"url":"u","options":{"b":1.0, "a":"\u00e9"}}"#);

        assert_eq!(read.unwrap().unwrap().options, r#"{"a":"é","b":1.0}"#);
        assert_eq!(target(br#"{"url":"u"}"#).unwrap().unwrap().options, "{}");
        assert_eq!(url(r#"{"url":""}"#), "");
    }

    #[test]
    fn b34_what_cannot_be_kept_is_refused() {
        for line in [
            r#"{"url":1}"#,
            r#"{"url":"u""#,
            r#"{"url":"u","opts":{}}"#,
            r#"{"url":"u","url":"v"}"#,
            r#"{"options":{}}"#,
            r#"{"url":"\ud800"}"#,
            r#"{"url":"u"} x"#,
        ] {
            assert!(
                matches!(target(line.as_bytes()), Err(LineError::NotJson(_))),
                "{line}"
            );
        }
        for options in ["[]", r#"{"a":1,"a":2}"#, r#"{"a":"\udc00"}"#, "1"] {
            let line = format!(r#"{{"url":"u","options":{options}}}"#);
            assert!(
                matches!(target(line.as_bytes()), Err(LineError::Options(_))),
                "{line}"
            );
        }
        assert_eq!(target(b"\xc3\x28"), Err(LineError::NotUtf8));
    }
}
