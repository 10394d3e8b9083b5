//! Keys sort as their fields do, and none is taken for another (S9).

use super::*;

fn text(text: &str) -> Key {
    Key::of(b'x').text(text)
}

/// S4.1, S9
#[test]
fn numbers_and_times_sort_by_their_size() {
    let numbers = [0, 9, 10, 255, 256, u64::MAX].map(|number| Key::of(b'x').number(number));
    let times = [i64::MIN, -1, 0, 1, 256, i64::MAX];
    let times = times.map(|time| Key::of(b'x').time(Timestamp::from_millis(time)));

    assert!(numbers.is_sorted());
    assert!(times.is_sorted());
}

/// S9
#[test]
fn texts_sort_as_texts_and_stay_apart() {
    let texts = [
        "", "\0", "\0\0", "\0\u{1}", "\u{1}", "a", "a\0", "a\0b", "ab", "b", "é", "🦀",
    ];
    let keys = texts.map(text);

    assert!(keys.is_sorted());
    let inside = |one: &Key, other: &Key| one != other && one.0.starts_with(&other.0);
    assert!(
        !keys
            .iter()
            .any(|one| keys.iter().any(|other| inside(one, other)))
    );
}

/// S9
#[test]
fn two_texts_are_not_one() {
    let split = |one: &str, other: &str| Key::of(b'x').text(one).text(other);

    assert_ne!(split("a", "bc"), split("ab", "c"));
    assert_ne!(split("a\0", "b"), split("a", "\0b"));
    assert_ne!(
        ready(&Kind::new(""), None),
        ready(&Kind::new(""), Some(&SessionId::from("")))
    );
}

/// S9
#[test]
fn a_key_gives_its_fields_back() {
    for name in ["", "\0", "a\0b", "\0\u{ff}", "é🦀"] {
        assert_eq!(first_text(text(name).as_bytes()).as_deref(), Some(name));
    }
    assert_eq!(last_number(job(7).as_bytes()), Some(7));
    assert_eq!(first_text(b"x"), None);
}
