//! Values: a version, then fields one after the other.
//!
//! Which fields a row has is in `rows.rs`; keys have an encoding of their own, whose
//! order counts, in `keys.rs`.

use std::time::Duration;

use batch_core::store::StoreResult;
use batch_core::time::{self, Timestamp};

use crate::error::damaged;

/// The version of every value. A reader refuses one that it does not know.
const VERSION: u8 = 1;

/// Writes a value.
#[derive(Debug)]
pub(crate) struct Encoder(Vec<u8>);

impl Encoder {
    pub(crate) fn new() -> Self {
        Self(vec![VERSION])
    }

    pub(crate) fn byte(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    pub(crate) fn flag(self, value: bool) -> Self {
        self.byte(u8::from(value))
    }

    pub(crate) fn number(mut self, value: u64) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    pub(crate) fn numbers<const N: usize>(self, values: [u64; N]) -> Self {
        values.into_iter().fold(self, Self::number)
    }

    pub(crate) fn small(self, value: u32) -> Self {
        self.number(u64::from(value))
    }

    pub(crate) fn text(self, value: &str) -> Self {
        let mut own = self.number(value.len() as u64);
        own.0.extend(value.as_bytes());
        own
    }

    pub(crate) fn time(self, value: Timestamp) -> Self {
        self.number(value.as_millis().cast_unsigned())
    }

    pub(crate) fn length(self, value: Duration) -> Self {
        self.number(time::millis(value).cast_unsigned())
    }

    /// A field that may be absent.
    pub(crate) fn maybe<T>(self, value: Option<T>, put: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            None => self.flag(false),
            Some(value) => put(self.flag(true), value),
        }
    }

    pub(crate) fn done(self) -> Vec<u8> {
        self.0
    }
}

/// Reads a value; what does not fit is damage.
#[derive(Debug)]
pub(crate) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> StoreResult<Self> {
        let mut own = Self(bytes);
        match own.byte()? {
            VERSION => Ok(own),
            _ => Err(damaged()),
        }
    }

    pub(crate) fn byte(&mut self) -> StoreResult<u8> {
        let (first, rest) = self.0.split_first().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(crate) fn flag(&mut self) -> StoreResult<bool> {
        Ok(self.byte()? != 0)
    }

    pub(crate) fn number(&mut self) -> StoreResult<u64> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(u64::from_be_bytes(*bytes))
    }

    pub(crate) fn numbers<const N: usize>(&mut self) -> StoreResult<[u64; N]> {
        let mut values = [0; N];
        for value in &mut values {
            *value = self.number()?;
        }
        Ok(values)
    }

    pub(crate) fn small(&mut self) -> StoreResult<u32> {
        u32::try_from(self.number()?).map_err(|_| damaged())
    }

    pub(crate) fn text(&mut self) -> StoreResult<String> {
        let length = usize::try_from(self.number()?).map_err(|_| damaged())?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(damaged)?;
        self.0 = rest;
        String::from_utf8(bytes.to_vec()).map_err(|_| damaged())
    }

    pub(crate) fn time(&mut self) -> StoreResult<Timestamp> {
        Ok(Timestamp::from_millis(self.number()?.cast_signed()))
    }

    pub(crate) fn length(&mut self) -> StoreResult<Duration> {
        Ok(time::from_millis(self.number()?.cast_signed()))
    }

    /// A field that may be absent.
    pub(crate) fn maybe<T>(
        &mut self,
        get: impl FnOnce(&mut Self) -> StoreResult<T>,
    ) -> StoreResult<Option<T>> {
        if self.flag()? {
            get(self).map(Some)
        } else {
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use batch_core::store::error::StoreErrorKind;

    use super::*;

    /// S9
    #[test]
    fn fields_come_back_as_they_were() {
        let bytes = Encoder::new()
            .text("a\0é🦀")
            .time(Timestamp::MIN)
            .maybe(Some(u64::MAX), Encoder::number)
            .maybe(None, Encoder::number)
            .done();

        let mut read = Decoder::new(&bytes).unwrap();

        assert_eq!(read.text().unwrap(), "a\0é🦀");
        assert_eq!(read.time().unwrap(), Timestamp::MIN);
        assert_eq!(read.maybe(Decoder::number).unwrap(), Some(u64::MAX));
        assert_eq!(read.maybe(Decoder::number).unwrap(), None);
    }

    /// S11.2
    #[test]
    fn what_does_not_fit_is_damage() {
        let kind = |bytes: &[u8]| {
            let read = Decoder::new(bytes).and_then(|mut value| value.text());
            read.unwrap_err().kind()
        };
        let long = Encoder::new().number(u64::MAX).done();
        let other_version = [VERSION + 1, 0, 0, 0, 0, 0, 0, 0, 0];

        assert_eq!(kind(&[]), StoreErrorKind::Corrupt);
        assert_eq!(kind(&long), StoreErrorKind::Corrupt);
        assert_eq!(kind(&other_version), StoreErrorKind::Corrupt);
    }
}
