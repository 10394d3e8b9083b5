//! The one trait that a store's author implements: how to make and reopen a store.

use std::sync::Arc;

use async_trait::async_trait;
use batch_core::store::Store;

use crate::site::Site;

/// Why a store could not be made: the kit's trouble, not a broken rule.
pub type Setup<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How a store went away before it is reopened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It was closed.
    Close,
    /// Its handles were dropped.
    Drop,
    /// Its process was killed.
    Kill,
}

/// Makes stores of one sort for the suites.
#[async_trait]
pub trait Backend: Send + Sync + 'static {
    /// The store's name in reports.
    fn name(&self) -> &str;

    /// A fresh, empty store inside `site.dir()` or `site.namespace()`.
    async fn create(&self, site: &Site) -> Setup<Arc<dyn Store>>;

    /// The same data again, after `how`; `None` when the store cannot outlive its handle.
    async fn reopen(&self, site: &Site, how: Stop) -> Setup<Option<Arc<dyn Store>>>;

    /// A second, independent handle on the same data; `None` when it is not offered.
    async fn second(&self, _site: &Site) -> Setup<Option<Arc<dyn Store>>> {
        Ok(None)
    }
}
