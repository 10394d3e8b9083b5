//! Arguments and replies of scripts: times and lengths as text of equal width, targets as
//! one text, and replies taken apart from their front.
//!
//! Which fields a row has is in `rows.rs`; what a script answers is in its header.

use std::time::Duration;

use batch_core::store::StoreResult;
use batch_core::store::call::NewTarget;
use batch_core::time::{self, Timestamp};
use redis::Value;

use crate::error::damaged;

/// What moves the earliest time to zero.
const EARLIEST: u64 = 1 << 63;

/// A time as 20 digits that sort by it.
pub(crate) fn time_text(time: Timestamp) -> String {
    format!("{:020}", time.as_millis().cast_unsigned() ^ EARLIEST)
}

/// A length of time as 20 digits of milliseconds.
pub(crate) fn length_text(length: Duration) -> String {
    format!("{:020}", time::millis(length))
}

pub(crate) fn time_of(text: &str) -> StoreResult<Timestamp> {
    let moved: u64 = text.parse().map_err(|_| damaged())?;
    Ok(Timestamp::from_millis((moved ^ EARLIEST).cast_signed()))
}

/// A text that may be absent: empty, or a mark and the text.
pub(crate) fn maybe_text(mark: char, text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!("{mark}{text}"))
}

pub(crate) fn maybe_of(text: &str) -> Option<String> {
    let mut letters = text.chars();
    letters.next().map(|_| letters.collect())
}

/// A target as one text: origin, length of the url, both with a colon, url and options.
pub(crate) fn target_text(target: &NewTarget) -> String {
    let origin = target.origin.map_or_else(String::new, |at| at.to_string());
    format!(
        "{origin}:{}:{}{}",
        target.url.len(),
        target.url,
        target.options
    )
}

pub(crate) fn target_of(text: &str) -> StoreResult<NewTarget> {
    let (origin, rest) = text.split_once(':').ok_or_else(damaged)?;
    let (length, rest) = rest.split_once(':').ok_or_else(damaged)?;
    let length = length.parse().map_err(|_| damaged())?;
    let (url, options) = rest.split_at_checked(length).ok_or_else(damaged)?;
    let origin = match origin {
        "" => None,
        at => Some(at.parse().map_err(|_| damaged())?),
    };
    Ok(NewTarget {
        url: url.to_owned(),
        options: options.to_owned(),
        origin,
    })
}

/// A list that a script answered, from its front.
#[derive(Debug)]
pub(crate) struct Fields(std::vec::IntoIter<Value>);

impl Fields {
    pub(crate) fn of(value: Value) -> StoreResult<Self> {
        match value {
            Value::Array(values) => Ok(Self(values.into_iter())),
            // A script that answers with one word.
            word @ (Value::BulkString(_) | Value::SimpleString(_)) => {
                Ok(Self(vec![word].into_iter()))
            }
            _ => Err(damaged()),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    fn value(&mut self) -> StoreResult<Value> {
        self.0.next().ok_or_else(damaged)
    }

    pub(crate) fn list(&mut self) -> StoreResult<Self> {
        match self.value()? {
            Value::Array(values) => Ok(Self(values.into_iter())),
            _ => Err(damaged()),
        }
    }

    pub(crate) fn text(&mut self) -> StoreResult<String> {
        match self.value()? {
            Value::BulkString(bytes) => String::from_utf8(bytes).map_err(|_| damaged()),
            Value::SimpleString(text) => Ok(text),
            Value::Int(number) => Ok(number.to_string()),
            _ => Err(damaged()),
        }
    }

    pub(crate) fn parsed<T: std::str::FromStr>(&mut self) -> StoreResult<T> {
        self.text()?.parse().map_err(|_| damaged())
    }

    pub(crate) fn number(&mut self) -> StoreResult<u64> {
        self.parsed()
    }

    pub(crate) fn flag(&mut self) -> StoreResult<bool> {
        Ok(self.number()? != 0)
    }

    pub(crate) fn time(&mut self) -> StoreResult<Timestamp> {
        time_of(&self.text()?)
    }

    pub(crate) fn maybe_time(&mut self) -> StoreResult<Option<Timestamp>> {
        match self.text()?.as_str() {
            "" => Ok(None),
            text => time_of(text).map(Some),
        }
    }
}

/// The lists of a list.
impl Iterator for Fields {
    type Item = StoreResult<Self>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.is_empty()).then(|| self.list())
    }
}

#[cfg(test)]
mod tests {
    use batch_core::store::error::StoreErrorKind;

    use super::*;

    /// S9
    #[test]
    fn times_sort_by_their_text_and_come_back() {
        let times = [i64::MIN, -1, 0, 1, i64::MAX].map(Timestamp::from_millis);
        let texts = times.map(time_text);

        assert!(texts.is_sorted());
        assert!(texts.iter().all(|text| text.len() == 20));
        assert_eq!(texts.map(|text| time_of(&text).unwrap()), times);
    }

    /// S9
    #[test]
    fn targets_come_back_as_they_were() {
        for (url, options) in [("", "{}"), ("1:2:é\0", r#"{"a":":"}"#), ("🦀:", "")] {
            for origin in [None, Some(u64::MAX)] {
                let target = NewTarget {
                    url: url.to_owned(),
                    options: options.to_owned(),
                    origin,
                };

                assert_eq!(target_of(&target_text(&target)).unwrap(), target);
            }
        }
    }

    /// S11.2
    #[test]
    fn what_does_not_fit_is_damage() {
        for text in ["", ":", "x:1:u", ":9:u", ":1:é"] {
            let kind = target_of(text).unwrap_err().kind();

            assert_eq!(kind, StoreErrorKind::Corrupt, "{text}");
        }
    }

    #[test]
    fn an_empty_text_is_not_an_absent_one() {
        for text in [None, Some(""), Some("é"), Some("!")] {
            let sent = maybe_text('!', text);

            assert_eq!(maybe_of(&sent).as_deref(), text);
        }
    }
}
