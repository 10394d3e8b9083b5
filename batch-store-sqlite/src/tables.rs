//! One connection inside a transaction, as the decisions see it.
//!
//! Reads of the decisions are in `lookup.rs`, changes in `change.rs`.

use batch_core::store::StoreResult;
use rusqlite::{Connection, OptionalExtension, Params, Result, Row};

use crate::error::failed;

/// The tables of the store, as one transaction sees them.
pub(crate) struct Tables<'c> {
    conn: &'c Connection,
}

impl<'c> Tables<'c> {
    pub(crate) fn new(conn: &'c Connection) -> Self {
        Self { conn }
    }

    /// The row that a statement finds.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> StoreResult<Option<T>> {
        let found = self
            .conn
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row(params, read).optional());
        found.map_err(|error| failed(self.conn, error))
    }

    /// All rows that a statement finds; its text bounds them.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> StoreResult<Vec<T>> {
        let found = self
            .conn
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_map(params, read)?.collect());
        found.map_err(|error| failed(self.conn, error))
    }

    /// Reads rows one by one, as long as `keep` wants another.
    pub(crate) fn each(
        &self,
        sql: &str,
        params: impl Params,
        mut keep: impl FnMut(&Row<'_>) -> Result<bool>,
    ) -> StoreResult<()> {
        let read = || {
            let mut statement = self.conn.prepare_cached(sql)?;
            let mut rows = statement.query(params)?;
            while let Some(row) = rows.next()? {
                if !keep(row)? {
                    break;
                }
            }
            Ok(())
        };
        read().map_err(|error| failed(self.conn, error))
    }

    /// Runs a statement without rows; how many it changed.
    pub(crate) fn run(&self, sql: &str, params: impl Params) -> StoreResult<usize> {
        let changed = self
            .conn
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params));
        changed.map_err(|error| failed(self.conn, error))
    }
}

/// Runs a statement without rows or parameters: those that begin and end transactions.
pub(crate) fn execute(conn: &Connection, sql: &str) -> Result<()> {
    conn.prepare_cached(sql)?.execute([]).map(drop)
}
