//! Writes a tree as canonical text.

use super::reader::Value;

/// Appends the canonical text of a value.
pub(super) fn write(value: &Value<'_>, out: &mut String) {
    match value {
        Value::Verbatim(text) => out.push_str(text),
        Value::Text(text) => escape(text, |part| out.push_str(part)),
        Value::List(items) => {
            out.push('[');
            write_separated(items, out, write);
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            write_separated(members, out, |(key, value), out| {
                escape(key, |part| out.push_str(part));
                out.push(':');
                write(value, out);
            });
            out.push('}');
        }
    }
}

fn write_separated<I: IntoIterator>(
    items: I,
    out: &mut String,
    mut write_item: impl FnMut(I::Item, &mut String),
) {
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            out.push(',');
        }
        write_item(item, out);
    }
}

/// Hands out a JSON string piece by piece, with as few escapes as JSON allows.
///
/// Pieces, so that a hasher takes a long string without a copy of it.
pub(crate) fn escape(text: &str, mut put: impl FnMut(&str)) {
    let mut rest = text;
    put("\"");
    while let Some(plain) = rest.bytes().position(needs_escape) {
        let (run, tail) = rest.split_at(plain);
        put(run);
        let mut special = tail.chars();
        if let Some(found) = special.next() {
            put_escaped(found, &mut put);
        }
        rest = special.as_str();
    }
    put(rest);
    put("\"");
}

fn needs_escape(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | ..0x20)
}

fn put_escaped(special: char, put: &mut impl FnMut(&str)) {
    match special {
        '"' => put("\\\""),
        '\\' => put("\\\\"),
        '\u{8}' => put("\\b"),
        '\t' => put("\\t"),
        '\n' => put("\\n"),
        '\u{c}' => put("\\f"),
        '\r' => put("\\r"),
        other => put(&format!("\\u{:04x}", u32::from(other))),
    }
}
