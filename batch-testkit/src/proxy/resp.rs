//! How long a value of the Redis protocol is, without looking into it.
//!
//! Nothing is checked: what neither side would send is taken for a line.

/// Commands whose answers are pushed, not replied.
const SUBSCRIPTIONS: &[&[u8]] = &[
    b"SUBSCRIBE",
    b"PSUBSCRIBE",
    b"SSUBSCRIBE",
    b"UNSUBSCRIBE",
    b"PUNSUBSCRIBE",
    b"SUNSUBSCRIBE",
];

/// The length of the value that `bytes` begins with; `None` while its end is missing.
pub(super) fn value_len(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    // Values that are still to come: an aggregate brings more of them.
    let mut wanted = 1_u64;
    while wanted > 0 {
        let (len, parts) = head(bytes.get(at..)?)?;
        at += len;
        wanted = wanted - 1 + parts;
    }
    (at <= bytes.len()).then_some(at)
}

/// The length of a value without its parts, and how many parts follow.
fn head(bytes: &[u8]) -> Option<(usize, u64)> {
    let line = bytes.iter().position(|byte| *byte == b'\n')? + 1;
    let number = || number(bytes.get(1..line)?);
    Some(match bytes.first()? {
        // Minus one is a null.
        b'$' | b'!' | b'=' => match number().and_then(|len| usize::try_from(len).ok()) {
            Some(len) => (line + len + 2, 0),
            None => (line, 0),
        },
        b'*' | b'~' | b'>' => (line, parts(number(), 1)),
        // An attribute comes before the value that it belongs to.
        b'|' => (line, parts(number(), 2) + 1),
        b'%' => (line, parts(number(), 2)),
        _ => (line, 0),
    })
}

fn parts(number: Option<i64>, each: u64) -> u64 {
    let count = number.and_then(|count| u64::try_from(count).ok());
    count.unwrap_or(0) * each
}

fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.trim_end().parse().ok()
}

/// Whether a request is answered by pushes.
pub(super) fn is_subscription(request: &[u8]) -> bool {
    let mut lines = request.split(|byte| *byte == b'\n');
    let command = lines.nth(2).unwrap_or_default().trim_ascii_end();
    SUBSCRIPTIONS
        .iter()
        .any(|name| name.eq_ignore_ascii_case(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_its_last_part_ends() {
        assert_eq!(value_len(b"+OK\r\n+OK\r\n"), Some(5));
        assert_eq!(value_len(b"$3\r\na\nb\r\n:1\r\n"), Some(9));
        assert_eq!(value_len(b"*2\r\n$1\r\na\r\n*1\r\n:1\r\nrest"), Some(19));
        assert_eq!(value_len(b"%1\r\n+a\r\n#t\r\n"), Some(12));
        assert_eq!(value_len(b"|1\r\n+a\r\n+b\r\n:7\r\n"), Some(16));
    }

    #[test]
    fn a_null_has_no_parts() {
        assert_eq!(value_len(b"$-1\r\n+OK\r\n"), Some(5));
        assert_eq!(value_len(b"*-1\r\n+OK\r\n"), Some(5));
        assert_eq!(value_len(b"_\r\n"), Some(3));
    }

    #[test]
    fn a_value_without_its_end_is_awaited() {
        assert_eq!(value_len(b""), None);
        assert_eq!(value_len(b"$3\r\nab"), None);
        assert_eq!(value_len(b"$3\r\nabc\r"), None);
        assert_eq!(value_len(b"*2\r\n:1\r\n"), None);
    }

    #[test]
    fn a_subscription_is_told_from_other_commands() {
        assert!(is_subscription(b"*2\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n"));
        assert!(!is_subscription(b"*2\r\n$3\r\nGET\r\n$9\r\nsubscribe\r\n"));
    }
}
