//! Canonical options: golden texts and refusals (R1.2).
//!
//! Properties over generated JSON are in `canonical_properties.rs`.

use batch_core::canonical::{MAX_NESTING, NotCanonical, Reason, canonical_options};

fn canonical(text: &str) -> String {
    canonical_options(text).unwrap_or_else(|refusal| format!("refused: {refusal}"))
}

fn refusal(text: &str) -> (Reason, usize) {
    match canonical_options(text) {
        Err(NotCanonical { reason, offset }) => (reason, offset),
        Ok(canonical) => panic!("{text:?} became {canonical:?}"),
    }
}

/// `{"k":[[…]]}` with this many levels open at the deepest place.
fn nested(levels: usize) -> String {
    let lists = levels - 1;
    format!("{{\"k\":{}{}}}", "[".repeat(lists), "]".repeat(lists))
}

/// R1.2 absent options and an empty object are one text.
#[test]
fn absent_options_are_an_empty_object() {
    assert_eq!(canonical(""), "{}");
    assert_eq!(canonical("{}"), "{}");
    assert_eq!(canonical(" {\r\n\t} "), "{}");
}

/// R1.2 keys are sorted by code point at every depth.
#[test]
fn keys_are_sorted_by_code_point_at_every_depth() {
    let mixed = r#"{"b":{"z":1,"a":[{"y":0,"x":0}]},"a":0,"B":0,"":0,"é":0,"aa":0}"#;
    let sorted = r#"{"":0,"B":0,"a":0,"aa":0,"b":{"a":[{"x":0,"y":0}],"z":1},"é":0}"#;
    assert_eq!(canonical(mixed), sorted);
    // UTF-16 would put the emoji, a surrogate pair, before U+FF5E.
    assert_eq!(canonical(r#"{"😀":1,"～":2}"#), r#"{"～":2,"😀":1}"#);
}

/// R1.2 an escaped key is sorted by what it says, not by how it is written.
#[test]
fn keys_are_decoded_before_they_are_sorted() {
    assert_eq!(canonical(r#"{"c":1,"\u0061":2}"#), r#"{"a":2,"c":1}"#);
}

/// R1.2 lists keep their order.
#[test]
fn lists_keep_their_order() {
    assert_eq!(
        canonical(r#"{"l":[ 3 , 1 , [] , {} , 2 ]}"#),
        r#"{"l":[3,1,[],{},2]}"#
    );
}

/// R1.2 numbers are kept digit for digit.
#[test]
fn b35_numbers_keep_every_digit() {
    let numbers = concat!(
        r#"{"a":130775545883395173,"b":9007199254740993,"c":18446744073709551615,"#,
        r#""d":-9223372036854775808,"e":1e400,"f":0.1,"g":-0.0,"h":[],"i":{},"j":null,"#,
        r#""k":[null],"l":"1e5","m":1,"n":1.0,"o":1e0,"p":1E+0,"q":-0,"r":0,"s":1.50}"#,
    );
    assert_eq!(canonical(numbers), numbers);
}

/// R1.2 a string is escaped only where JSON leaves no choice.
#[test]
fn strings_are_escaped_minimally() {
    let spelt_out = r#"{"s":"\u0022\u005c\/\u0008\u0009\u000A\u000c\u000d\u001F\u007f\u00e9"}"#;
    let minimal = "{\"s\":\"\\\"\\\\/\\b\\t\\n\\f\\r\\u001f\u{7f}é\"}";
    assert_eq!(canonical(spelt_out), minimal);
    assert_eq!(canonical(r#"{"s":"\ud83D\uDE00"}"#), r#"{"s":"😀"}"#);
}

/// R1.2 unusual characters come through as they are.
#[test]
fn b34_unusual_characters_are_kept() {
    assert_eq!(
        canonical(r#"{"\u0000":"\u0000"}"#),
        r#"{"\u0000":"\u0000"}"#
    );
    assert_eq!(
        canonical("{\"s\":\"\u{202e}\u{2028}\u{feff}\"}")
            .chars()
            .count(),
        11
    );
    assert_eq!(
        canonical("{\"s\":\"👩\u{200d}💻\"}"),
        "{\"s\":\"👩\u{200d}💻\"}"
    );
    assert_eq!(
        canonical(r#"{"__proto__":{"{}":""}}"#),
        r#"{"__proto__":{"{}":""}}"#
    );
    assert_ne!(
        canonical("{\"s\":\"é\"}"),
        canonical("{\"s\":\"e\u{301}\"}")
    );
}

/// R1.2 half a surrogate pair is refused, wherever it stands.
#[test]
fn b34_lone_surrogates_are_refused() {
    assert_eq!(refusal(r#"{"s":"\ud800"}"#), (Reason::LoneSurrogate, 6));
    assert_eq!(refusal(r#"{"s":"\udc00"}"#), (Reason::LoneSurrogate, 6));
    assert_eq!(
        refusal(r#"{"s":"\udc00\ud800"}"#),
        (Reason::LoneSurrogate, 6)
    );
    assert_eq!(
        refusal(r#"{"s":"a\ud800\ud800"}"#),
        (Reason::LoneSurrogate, 7)
    );
    assert_eq!(refusal(r#"{"\ud800":1}"#), (Reason::LoneSurrogate, 2));
}

/// R1.2 a byte order mark is no white space.
#[test]
fn b34_a_byte_order_mark_is_refused() {
    assert_eq!(refusal("\u{feff}{}"), (Reason::NotAnObject, 0));
}

/// R1.2 a key is duplicate if both spellings decode to it.
#[test]
fn duplicate_keys_are_refused() {
    assert_eq!(refusal(r#"{"a":1,"a":1}"#), (Reason::DuplicateKey, 7));
    assert_eq!(refusal(r#"{"a":1, "\u0061":2}"#), (Reason::DuplicateKey, 8));
    assert_eq!(
        refusal(r#"{"o":[{"é":1,"\u00e9":2}]}"#),
        (Reason::DuplicateKey, 14)
    );
    assert_eq!(canonical(r#"{"a":{"a":1}}"#), r#"{"a":{"a":1}}"#);
}

/// R1.2 nesting ends at the limit, and hostile nesting ends nothing else.
#[test]
fn nesting_is_limited() {
    assert_eq!(canonical(&nested(MAX_NESTING)), nested(MAX_NESTING));
    assert_eq!(
        refusal(&nested(MAX_NESTING + 1)),
        (Reason::TooDeep, 4 + MAX_NESTING)
    );
    assert_eq!(
        refusal(&nested(1_000_000)),
        (Reason::TooDeep, 4 + MAX_NESTING)
    );
    assert_eq!(refusal(&"{\"k\":".repeat(1_000_000)).0, Reason::TooDeep);
}

/// R1.2 only an object is accepted.
#[test]
fn anything_but_an_object_is_refused() {
    assert_eq!(refusal("[]"), (Reason::NotAnObject, 0));
    assert_eq!(refusal(" null"), (Reason::NotAnObject, 1));
    assert_eq!(refusal("\"{}\""), (Reason::NotAnObject, 0));
    assert_eq!(refusal("1"), (Reason::NotAnObject, 0));
    assert_eq!(refusal("  "), (Reason::UnexpectedEnd, 2));
}

/// R1.2 one object is all there is.
#[test]
fn trailing_text_is_refused() {
    assert_eq!(refusal("{} {}"), (Reason::TrailingText, 3));
    assert_eq!(refusal("{}\0"), (Reason::TrailingText, 2));
}

/// R1.2 the number grammar is JSON's.
#[test]
fn malformed_numbers_are_refused() {
    assert_eq!(refusal(r#"{"n":01}"#), (Reason::UnexpectedCharacter, 6));
    assert_eq!(refusal(r#"{"n":-01}"#), (Reason::UnexpectedCharacter, 7));
    assert_eq!(refusal(r#"{"n":-}"#), (Reason::BadNumber, 6));
    assert_eq!(refusal(r#"{"n":1.}"#), (Reason::BadNumber, 7));
    assert_eq!(refusal(r#"{"n":1.e1}"#), (Reason::BadNumber, 7));
    assert_eq!(refusal(r#"{"n":1e}"#), (Reason::BadNumber, 7));
    assert_eq!(refusal(r#"{"n":1e+-1}"#), (Reason::BadNumber, 8));
    assert_eq!(refusal(r#"{"n":+1}"#), (Reason::UnexpectedCharacter, 5));
    assert_eq!(refusal(r#"{"n":.5}"#), (Reason::UnexpectedCharacter, 5));
    assert_eq!(refusal(r#"{"n":NaN}"#), (Reason::UnexpectedCharacter, 5));
    assert_eq!(
        refusal("{\"n\":\u{0661}}"),
        (Reason::UnexpectedCharacter, 5)
    );
}

/// R1.2 the string grammar is JSON's.
#[test]
fn malformed_strings_are_refused() {
    assert_eq!(refusal(r#"{"s":"\x"}"#), (Reason::BadEscape, 6));
    assert_eq!(refusal(r#"{"s":"\u+123"}"#), (Reason::BadEscape, 6));
    assert_eq!(refusal(r#"{"s":"\u12é"}"#), (Reason::BadEscape, 6));
    assert_eq!(refusal(r#"{"s":"\u1"#), (Reason::BadEscape, 6));
    assert_eq!(refusal("{\"s\":\"a\nb\"}"), (Reason::ControlCharacter, 7));
    assert_eq!(refusal("{\"s\":\"a\0\"}"), (Reason::ControlCharacter, 7));
    assert_eq!(refusal(r#"{"s":"a"#), (Reason::UnexpectedEnd, 7));
    assert_eq!(refusal(r#"{"s":"\"#), (Reason::UnexpectedEnd, 7));
}

/// R1.2 the structure is JSON's: no comments, no trailing or missing commas.
#[test]
fn malformed_structure_is_refused() {
    assert_eq!(refusal("{"), (Reason::UnexpectedEnd, 1));
    assert_eq!(refusal(r#"{"a":[1,"#), (Reason::UnexpectedEnd, 8));
    assert_eq!(refusal(r#"{"a":1,}"#), (Reason::UnexpectedCharacter, 7));
    assert_eq!(refusal(r#"{"a":[1,]}"#), (Reason::UnexpectedCharacter, 8));
    assert_eq!(refusal(r#"{"a" 1}"#), (Reason::UnexpectedCharacter, 5));
    assert_eq!(
        refusal(r#"{"a":1 "b":2}"#),
        (Reason::UnexpectedCharacter, 7)
    );
    assert_eq!(refusal("{a:1}"), (Reason::UnexpectedCharacter, 1));
    assert_eq!(refusal("{/**/}"), (Reason::UnexpectedCharacter, 1));
    assert_eq!(refusal(r#"{"a":[1}}"#), (Reason::UnexpectedCharacter, 7));
    assert_eq!(refusal(r#"{"a":nul}"#), (Reason::UnexpectedCharacter, 5));
    assert_eq!(refusal(r#"{"a":True}"#), (Reason::UnexpectedCharacter, 5));
    assert_eq!(refusal("{\u{a0}}"), (Reason::UnexpectedCharacter, 1));
}

/// R1.2 a refusal tells where and what to do, and nothing of the options.
#[test]
fn a_refusal_says_where_and_never_quotes() {
    let duplicate = canonical(r#"{"secret":1,"secret":2}"#);
    let expected = "refused: options at byte 12: duplicate key in one object; keep one of the two";
    assert_eq!(duplicate, expected);
}
