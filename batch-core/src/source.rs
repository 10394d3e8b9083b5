//! Where the targets of a submit come from: a list that can be read twice (R1.10).
//!
//! A runner never holds a long list whole: it reads it once for digest and
//! count, and once to bring it into the store chunk by chunk.

use async_trait::async_trait;

use crate::caller::BoxError;
use crate::store::call::NewTarget;

/// A list of targets that can be read from its beginning more than once.
#[async_trait]
pub trait Source: Send + Sync + 'static {
    /// Begins to read at the first target.
    ///
    /// Every reading must give the same targets; one that differs fails the submit.
    async fn open(&self) -> Result<Box<dyn SourceReader + '_>, BoxError>;
}

/// One reading of a [`Source`].
#[async_trait]
pub trait SourceReader: Send {
    /// The next targets in order, a batch of bounded size; empty at the end.
    async fn next(&mut self) -> Result<Vec<NewTarget>, BoxError>;
}

/// How many targets of a list in memory are read at a time.
const BATCH: usize = 256;

#[async_trait]
impl Source for Vec<NewTarget> {
    async fn open(&self) -> Result<Box<dyn SourceReader + '_>, BoxError> {
        Ok(Box::new(ListReader {
            rest: self.chunks(BATCH),
        }))
    }
}

struct ListReader<'a> {
    rest: std::slice::Chunks<'a, NewTarget>,
}

#[async_trait]
impl SourceReader for ListReader<'_> {
    async fn next(&mut self) -> Result<Vec<NewTarget>, BoxError> {
        Ok(self.rest.next().map(<[_]>::to_vec).unwrap_or_default())
    }
}
