//! Canonical options: properties over generated JSON (R1.2).
//!
//! Every case is a tree that is written twice, each time with another order of
//! members, other white space and other escapes. `serde_json` is the second
//! opinion on what is valid and what it means.

use batch_core::canonical::{Reason, canonical_options};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

/// A JSON value whose objects still know the order of their members.
#[derive(Debug, Clone)]
enum Json {
    Verbatim(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// How to write a tree: one byte decides one choice, again and again.
#[derive(Debug, Clone)]
struct Spelling(Vec<u8>);

impl Spelling {
    fn choose(&mut self, of: usize) -> usize {
        self.0.rotate_left(1);
        self.0.first().map_or(0, |&choice| usize::from(choice)) % of
    }

    fn space(&mut self) -> &'static str {
        match self.choose(5) {
            0 => " ",
            1 => "\n",
            2 => "\t \r",
            _ => "",
        }
    }

    fn write(&mut self, json: &Json) -> String {
        let value = match json {
            Json::Verbatim(text) => text.clone(),
            Json::Text(text) => self.quote(text),
            Json::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.write(item)).collect();
                format!("[{}{}]", self.space(), items.join(","))
            }
            Json::Object(members) => {
                let mut members: Vec<_> = members.iter().map(|pair| self.member(pair)).collect();
                let turns = self.choose(members.len().max(1));
                members.rotate_left(turns);
                format!("{{{}{}}}", self.space(), members.join(","))
            }
        };
        format!("{}{value}{}", self.space(), self.space())
    }

    fn member(&mut self, (key, value): &(String, Json)) -> String {
        format!(
            "{}{}{}:{}",
            self.space(),
            self.quote(key),
            self.space(),
            self.write(value)
        )
    }

    fn quote(&mut self, text: &str) -> String {
        let inner: String = text
            .chars()
            .map(|character| self.spell(character))
            .collect();
        format!("\"{inner}\"")
    }

    fn spell(&mut self, character: char) -> String {
        let must_escape = matches!(character, '"' | '\\' | '\0'..='\u{1f}');
        match self.choose(4) {
            0 if character == '/' => "\\/".to_owned(),
            0 => escape_units(character),
            _ if must_escape => format!("\\u{:04x}", u32::from(character)),
            _ => character.to_string(),
        }
    }
}

fn escape_units(character: char) -> String {
    let units = character.encode_utf16(&mut [0; 2]).to_vec();
    let escapes: Vec<String> = units.iter().map(|unit| format!("\\u{unit:04X}")).collect();
    escapes.concat()
}

fn spelling() -> impl Strategy<Value = Spelling> {
    vec(any::<u8>(), 1..40).prop_map(Spelling)
}

fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => prop::char::range('a', 'c'),
        1 => prop::sample::select(vec!['"', '\\', '/', '\0', '\n', '\u{1f}', '\u{2028}', 'é', '😀']),
        1 => any::<char>(),
    ];
    vec(character, 0..5).prop_map(String::from_iter)
}

fn number() -> impl Strategy<Value = String> + Clone {
    "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9])?"
}

fn object_of(json: impl Strategy<Value = Json>) -> impl Strategy<Value = Json> {
    prop::collection::btree_map(text(), json, 0..5)
        .prop_map(|members| Json::Object(members.into_iter().collect()))
}

fn object() -> impl Strategy<Value = Json> {
    let word = prop::sample::select(vec!["true", "false", "null"]).prop_map(str::to_owned);
    let leaf = prop_oneof![
        word.prop_map(Json::Verbatim),
        number().prop_map(Json::Verbatim),
        text().prop_map(Json::Text),
    ];
    let any_json = leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::List),
            object_of(inner)
        ]
    });
    object_of(any_json)
}

fn is_an_object(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object())
}

/// Whether the second opinion gave up on a valid number that no float can hold.
fn is_out_of_range(text: &str) -> bool {
    let answer = serde_json::from_str::<Value>(text);
    answer.is_err_and(|error| error.to_string().contains("out of range"))
}

/// The text with one character taken out and another put in at some place.
fn damage(text: &str, at: usize, removed: usize, inserted: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let at = at % (characters.len() + 1);
    let before = characters.iter().take(at);
    let after = characters.iter().skip(at + removed);
    before
        .copied()
        .chain(inserted.chars())
        .chain(after.copied())
        .collect()
}

proptest! {
    /// R1.2 the canonical text of a canonical text is that text.
    #[test]
    fn canonical_text_stays_as_it_is(json in object(), mut spelling in spelling()) {
        let once = canonical_options(&spelling.write(&json)).unwrap();
        let twice = canonical_options(&once).unwrap();
        prop_assert_eq!(once, twice);
    }

    /// R1.2 order of members, white space and escapes leave no trace.
    #[test]
    fn b07_every_spelling_has_one_text(
        json in object(),
        mut one in spelling(),
        mut other in spelling(),
    ) {
        let one = canonical_options(&one.write(&json)).unwrap();
        let other = canonical_options(&other.write(&json)).unwrap();
        prop_assert_eq!(one, other);
    }

    /// R1.2 the canonical text means what the given text meant.
    #[test]
    fn canonical_text_keeps_the_value(json in object(), mut spelling in spelling()) {
        let given = spelling.write(&json);
        let canonical = canonical_options(&given).unwrap();
        let meant: Value = serde_json::from_str(&given).unwrap();
        prop_assert_eq!(meant, serde_json::from_str::<Value>(&canonical).unwrap());
    }

    /// R1.2 what is accepted is exactly what JSON calls an object, duplicates aside.
    #[test]
    fn damaged_text_is_judged_as_json_judges_it(
        json in object(),
        mut spelling in spelling(),
        at in any::<usize>(),
        removed in 0_usize..3,
        inserted in "[\"\\\\{}\\[\\],:a0.eE+\\- \\n\\x00u/]{0,2}",
    ) {
        let damaged = damage(&spelling.write(&json), at, removed, &inserted);
        let answer = canonical_options(&damaged);
        let repeated = answer.as_ref().is_err_and(|refusal| refusal.reason == Reason::DuplicateKey);
        prop_assume!(!repeated && !damaged.is_empty() && !is_out_of_range(&damaged));
        prop_assert_eq!(answer.is_ok(), is_an_object(&damaged), "{}", damaged);
    }

    /// R1.2 no text at all makes the reader panic, and offsets stay inside it.
    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        let offset = canonical_options(&text).map_or_else(|refusal| refusal.offset, |_| 0);
        prop_assert!(offset <= text.len());
    }
}
