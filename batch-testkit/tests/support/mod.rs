//! The memory store as a backend.

use std::sync::Arc;

use async_trait::async_trait;
use batch_core::memory::MemoryStore;
use batch_core::store::Store;
use batch_testkit::{Backend, Setup, Site, Stop};

/// Makes memory stores.
#[derive(Debug)]
pub(crate) struct Memory;

#[async_trait]
impl Backend for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    async fn create(&self, _site: &Site) -> Setup<Arc<dyn Store>> {
        Ok(Arc::new(MemoryStore::new()))
    }

    async fn reopen(&self, _site: &Site, _how: Stop) -> Setup<Option<Arc<dyn Store>>> {
        Ok(None)
    }
}
