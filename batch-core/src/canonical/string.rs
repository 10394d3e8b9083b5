//! Decodes the strings of JSON: escapes and surrogate pairs.
//!
//! The opposite direction is in [`super::writer`].

use super::reader::Reader;
use super::{NotCanonical, Reason};

impl Reader<'_> {
    /// Reads the string that begins here and decodes it.
    pub(super) fn string(&mut self) -> Result<String, NotCanonical> {
        let mut decoded = String::new();
        self.eat('"');
        loop {
            decoded.push_str(self.plain());
            match self.peek() {
                Some('"') => break,
                Some('\\') => decoded.push(self.escape_sequence()?),
                Some(_) => return Err(self.error(Reason::ControlCharacter)),
                None => return Err(self.unexpected()),
            }
        }
        self.eat('"');
        Ok(decoded)
    }

    /// Skips the characters that stand for themselves.
    fn plain(&mut self) -> &str {
        let special = |byte: u8| matches!(byte, b'"' | b'\\' | ..0x20);
        let length = self
            .rest
            .bytes()
            .position(special)
            .unwrap_or(self.rest.len());
        let (plain, rest) = self.rest.split_at(length);
        self.rest = rest;
        plain
    }

    fn escape_sequence(&mut self) -> Result<char, NotCanonical> {
        let start = self.offset();
        self.eat('\\');
        match self.next() {
            Some(same @ ('"' | '\\' | '/')) => Ok(same),
            Some('b') => Ok('\u{8}'),
            Some('f') => Ok('\u{c}'),
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some('u') => self.code_point(start),
            Some(_) => Err(NotCanonical {
                reason: Reason::BadEscape,
                offset: start,
            }),
            None => Err(self.unexpected()),
        }
    }

    /// Reads the digits after `\u`, and the second half of a pair.
    fn code_point(&mut self, start: usize) -> Result<char, NotCanonical> {
        let unit = self.code_unit(start)?;
        if let Some(whole) = char::from_u32(u32::from(unit)) {
            return Ok(whole);
        }
        let lone = NotCanonical {
            reason: Reason::LoneSurrogate,
            offset: start,
        };
        self.rest = self.rest.strip_prefix("\\u").ok_or(lone)?;
        let second = self.code_unit(start)?;
        let mut pair = char::decode_utf16([unit, second]);
        pair.next().and_then(Result::ok).ok_or(lone)
    }

    fn code_unit(&mut self, start: usize) -> Result<u16, NotCanonical> {
        let bad = NotCanonical {
            reason: Reason::BadEscape,
            offset: start,
        };
        let (digits, rest) = self.rest.split_at_checked(4).ok_or(bad)?;
        // `from_str_radix` would take a sign.
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(bad);
        }
        self.rest = rest;
        u16::from_str_radix(digits, 16).map_err(|_| bad)
    }
}
