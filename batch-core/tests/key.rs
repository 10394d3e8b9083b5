//! The idempotency key: golden hashes and pairs that must (not) be equal (R1.3).
//!
//! The golden hashes were computed with another language's SHA-256. If one of
//! them changes, an upgrade would no longer recognise the jobs in a store.

use batch_core::canonical::canonical_options;
use batch_core::key::KeyHasher;

fn key(caller: &str, targets: &[(&str, &str)]) -> String {
    let mut hasher = KeyHasher::new(caller);
    for (url, options) in targets {
        hasher.push(
            url,
            &canonical_options(options).unwrap_or_else(|refusal| panic!("{refusal}")),
        );
    }
    hasher.finish()
}

/// The key of one target of one caller with these options.
fn key_of_options(options: &str) -> String {
    key("ann", &[("https://example.org/", options)])
}

/// R1.3 nobody's empty list.
#[test]
fn golden_empty() {
    let expected = "f370acc9d8b734d907d177ef29f70d4102a6226a969871eef36ce547b2944361";
    assert_eq!(key("", &[]), expected);
}

/// R1.3 two plain targets.
#[test]
fn golden_two_targets() {
    let first = ("https://example.org/a", "");
    let second = (
        "https://example.org/b",
        r#"{ "tags": ["x", "\u00e9"], "depth": 2 }"#,
    );
    let expected = "a45b1513decffdac64a231eb50e3137befe678d6f1a7ecd5adabe79b2db40629";
    assert_eq!(key("ann", &[first, second]), expected);
}

/// R1.3 a NUL in the name, escapes in the url and in the options.
#[test]
fn golden_escapes() {
    let url = "line\nbreak \"quoted\" \\ \0 / 😀";
    let expected = "b342b1553f17f2e148c993816744303da1060bcb542ef070ecf2fa058ebc8ce8";
    assert_eq!(
        key("büro\0\"x\"", &[(url, r#"{"t":"\u001F","n":-0.0}"#)]),
        expected
    );
}

/// R1.3 another spelling of the same options is the same request.
#[test]
fn b07_spelling_does_not_matter() {
    assert_eq!(
        key_of_options(r#"{"a":{"b":1,"c":[{"d":2,"e":3}]},"f":4}"#),
        key_of_options(r#"{"f":4,"a":{"c":[{"e":3,"d":2}],"b":1}}"#),
    );
    assert_eq!(
        key_of_options(r#"{"a":[1,2]}"#),
        key_of_options(" {\n\"a\" :\t[ 1 , 2 ] } ")
    );
    assert_eq!(
        key_of_options(r#"{"a":"é"}"#),
        key_of_options(r#"{"a":"\u00e9"}"#)
    );
    assert_eq!(
        key_of_options(r#"{"a":"/"}"#),
        key_of_options(r#"{"a":"\/"}"#)
    );
    assert_eq!(key_of_options("{}"), key_of_options(""));
}

/// R1.3 other values are another request.
#[test]
fn b07_values_matter() {
    assert_ne!(key_of_options(r#"{"a":1}"#), key_of_options(r#"{"a":"1"}"#));
    assert_ne!(key_of_options(r#"{"a":1}"#), key_of_options(r#"{"a":1.0}"#));
    assert_ne!(
        key_of_options(r#"{"a":1.0}"#),
        key_of_options(r#"{"a":1e0}"#)
    );
    assert_ne!(key_of_options(r#"{"a":0}"#), key_of_options(r#"{"a":-0}"#));
    assert_ne!(key_of_options(r#"{"a":null}"#), key_of_options("{}"));
    assert_ne!(
        key_of_options("{\"a\":\"é\"}"),
        key_of_options("{\"a\":\"e\u{301}\"}")
    );
}

/// R1.3 other targets, or the same in another order, are another request.
#[test]
fn b07_targets_and_their_order_matter() {
    let (a, b) = (("https://example.org/a", ""), ("https://example.org/b", ""));
    assert_ne!(key("ann", &[a, b]), key("ann", &[b, a]));
    assert_ne!(key("ann", &[a]), key("ann", &[a, a]));
    assert_ne!(
        key("ann", &[a]),
        key("ann", &[("https://example.org/A", "")])
    );
}

/// R1.3 caller names are compared as they are.
#[test]
fn b07_callers_stay_apart() {
    let names = [
        "Ann",
        "ann",
        "ann ",
        "Jos\u{e9}",
        "Jose\u{301}",
        "",
        "ann\0",
        "ann\0[",
    ];
    let mut keys = names.map(|name| key(name, &[("https://example.org/", "")]));
    keys.sort();
    assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{keys:?}");
}

/// R1.3 text in the url cannot pass for a second target.
#[test]
fn a_url_is_data() {
    let forged = "a\",\"options\":{}},{\"url\":\"b";
    assert_ne!(
        key("ann", &[(forged, "")]),
        key("ann", &[("a", ""), ("b", "")])
    );
}
