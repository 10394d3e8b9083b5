//! Reads the columns of a row from left to right, in the order of `sql.rs`.

use std::time::Duration;

use batch_core::time::{self, Timestamp};
use rusqlite::types::FromSql;
use rusqlite::{Error, Result, Row};

/// The columns of a row, read from left to right.
pub(crate) struct Columns<'r> {
    row: &'r Row<'r>,
    next: usize,
}

impl<'r> Columns<'r> {
    pub(crate) fn of(row: &'r Row<'r>) -> Self {
        Self { row, next: 0 }
    }

    pub(crate) fn get<T: FromSql>(&mut self) -> Result<T> {
        let value = self.row.get(self.next);
        self.next += 1;
        value
    }

    pub(crate) fn text(&mut self) -> Result<String> {
        self.get()
    }

    pub(crate) fn count(&mut self) -> Result<u64> {
        Ok(self.get::<i64>()?.cast_unsigned())
    }

    pub(crate) fn flag(&mut self) -> Result<bool> {
        Ok(self.get::<i64>()? != 0)
    }

    pub(crate) fn time(&mut self) -> Result<Timestamp> {
        self.get().map(Timestamp::from_millis)
    }

    pub(crate) fn maybe_time(&mut self) -> Result<Option<Timestamp>> {
        Ok(self.get::<Option<i64>>()?.map(Timestamp::from_millis))
    }

    pub(crate) fn length(&mut self) -> Result<Duration> {
        self.get().map(time::from_millis)
    }

    pub(crate) fn maybe_length(&mut self) -> Result<Option<Duration>> {
        Ok(self.get::<Option<i64>>()?.map(time::from_millis))
    }

    /// A number without a meaning is damage.
    pub(crate) fn meaning<T>(&mut self, of: impl FnOnce(i64) -> Option<T>) -> Result<T> {
        let column = self.next;
        let value: i64 = self.get()?;
        of(value).ok_or(Error::IntegralValueOutOfRange(column, value))
    }
}
