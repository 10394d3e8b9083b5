//! The SQLite store keeps the contract, judged by the testkit.

use std::sync::Arc;

use batch_core::store::Store;
use batch_store_sqlite::{Options, SqliteStore};
use batch_testkit::{Backend, Setup, Site, Stop, async_trait};

struct Sqlite;

impl Sqlite {
    async fn open(site: &Site) -> Setup<Arc<dyn Store>> {
        let path = site.dir().join("store.db");
        Ok(Arc::new(SqliteStore::open(path, Options::default()).await?))
    }
}

#[async_trait]
impl Backend for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    async fn create(&self, site: &Site) -> Setup<Arc<dyn Store>> {
        Self::open(site).await
    }

    async fn reopen(&self, site: &Site, _how: Stop) -> Setup<Option<Arc<dyn Store>>> {
        Self::open(site).await.map(Some)
    }

    async fn second(&self, site: &Site) -> Setup<Option<Arc<dyn Store>>> {
        Self::open(site).await.map(Some)
    }
}

batch_testkit::conformance!(Sqlite);
