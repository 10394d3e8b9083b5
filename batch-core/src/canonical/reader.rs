//! Reads JSON text into a tree, and refuses what has no canonical form.
//!
//! The tree borrows numbers from the text, so that no digit is ever lost.
//! Strings are decoded in [`super::string`].

use std::collections::BTreeMap;

use super::{MAX_NESTING, NotCanonical, Reason};

/// A JSON value whose objects are sorted by key.
///
/// `String` compares by UTF-8 bytes, which is the order of code points.
#[derive(Debug)]
pub(super) enum Value<'a> {
    /// A number or one of `true`, `false`, `null`, exactly as written.
    Verbatim(&'a str),
    /// A string, decoded.
    Text(String),
    /// A list in its own order.
    List(Vec<Value<'a>>),
    /// An object by decoded key.
    Object(BTreeMap<String, Value<'a>>),
}

/// Reads a text that is one object and nothing else.
pub(super) fn read_object(text: &str) -> Result<Value<'_>, NotCanonical> {
    let mut reader = Reader {
        length: text.len(),
        rest: text,
    };
    reader.skip_space();
    let object = match reader.peek() {
        Some('{') => reader.object(1)?,
        Some(_) => return Err(reader.error(Reason::NotAnObject)),
        None => return Err(reader.unexpected()),
    };
    reader.skip_space();
    if reader.rest.is_empty() {
        Ok(object)
    } else {
        Err(reader.error(Reason::TrailingText))
    }
}

/// The text that is still to be read.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    length: usize,
    pub(super) rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Reads any value; `depth` counts the containers it stands in.
    fn value(&mut self, depth: usize) -> Result<Value<'a>, NotCanonical> {
        self.skip_space();
        match self.peek() {
            Some('{') => self.object(depth + 1),
            Some('[') => self.list(depth + 1),
            Some('"') => self.string().map(Value::Text),
            Some('-' | '0'..='9') => self.number(),
            Some('t') => self.word("true"),
            Some('f') => self.word("false"),
            Some('n') => self.word("null"),
            _ => Err(self.unexpected()),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value<'a>, NotCanonical> {
        let mut members = BTreeMap::new();
        self.open(depth)?;
        if self.eat('}') {
            return Ok(Value::Object(members));
        }
        loop {
            let (key, value) = self.member(depth, &members)?;
            members.insert(key, value);
            if !self.another('}')? {
                return Ok(Value::Object(members));
            }
        }
    }

    /// Reads `"key": value` with a key that `members` does not hold yet.
    fn member(
        &mut self,
        depth: usize,
        members: &BTreeMap<String, Value<'a>>,
    ) -> Result<(String, Value<'a>), NotCanonical> {
        self.skip_space();
        let start = self.offset();
        if self.peek() != Some('"') {
            return Err(self.unexpected());
        }
        let key = self.string()?;
        if members.contains_key(&key) {
            return Err(NotCanonical {
                reason: Reason::DuplicateKey,
                offset: start,
            });
        }
        self.skip_space();
        if !self.eat(':') {
            return Err(self.unexpected());
        }
        Ok((key, self.value(depth)?))
    }

    fn list(&mut self, depth: usize) -> Result<Value<'a>, NotCanonical> {
        let mut items = Vec::new();
        self.open(depth)?;
        if self.eat(']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            if !self.another(']')? {
                return Ok(Value::List(items));
            }
        }
    }

    /// Steps into the container that begins here.
    fn open(&mut self, depth: usize) -> Result<(), NotCanonical> {
        if depth > MAX_NESTING {
            return Err(self.error(Reason::TooDeep));
        }
        self.next();
        self.skip_space();
        Ok(())
    }

    /// Reads a comma (true) or the end of the container (false).
    fn another(&mut self, close: char) -> Result<bool, NotCanonical> {
        self.skip_space();
        if self.eat(',') {
            Ok(true)
        } else if self.eat(close) {
            Ok(false)
        } else {
            Err(self.unexpected())
        }
    }

    fn number(&mut self) -> Result<Value<'a>, NotCanonical> {
        let start = self.rest;
        self.eat('-');
        // A leading zero stands alone: the digits of `01` do not belong to it.
        if !self.eat('0') {
            self.digits()?;
        }
        if self.eat('.') {
            self.digits()?;
        }
        if self.eat('e') || self.eat('E') {
            let _signed = self.eat('+') || self.eat('-');
            self.digits()?;
        }
        let (number, _) = start.split_at(start.len() - self.rest.len());
        Ok(Value::Verbatim(number))
    }

    /// Skips one digit or more.
    fn digits(&mut self) -> Result<(), NotCanonical> {
        match self.peek() {
            Some('0'..='9') => {}
            Some(_) => return Err(self.error(Reason::BadNumber)),
            None => return Err(self.unexpected()),
        }
        self.rest = self
            .rest
            .trim_start_matches(|digit: char| digit.is_ascii_digit());
        Ok(())
    }

    fn word(&mut self, word: &'static str) -> Result<Value<'a>, NotCanonical> {
        self.rest = self
            .rest
            .strip_prefix(word)
            .ok_or_else(|| self.unexpected())?;
        Ok(Value::Verbatim(word))
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    /// Skips `wanted` if it comes next, and says whether it did.
    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    pub(super) fn offset(&self) -> usize {
        self.length - self.rest.len()
    }

    pub(super) fn error(&self, reason: Reason) -> NotCanonical {
        NotCanonical {
            reason,
            offset: self.offset(),
        }
    }

    /// The error for a character, or an end, that has no place here.
    pub(super) fn unexpected(&self) -> NotCanonical {
        let ended = self.rest.is_empty();
        self.error(if ended {
            Reason::UnexpectedEnd
        } else {
            Reason::UnexpectedCharacter
        })
    }
}
