//! The sled store keeps the contract, judged by the testkit.

use std::sync::Arc;

use batch_core::store::Store;
use batch_store_sled::{Options, SledStore};
use batch_testkit::{Backend, Setup, Site, Stop, async_trait};

struct Sled;

impl Sled {
    async fn open(site: &Site) -> Setup<Arc<dyn Store>> {
        let path = site.dir().join("store");
        Ok(Arc::new(SledStore::open(path, Options::default()).await?))
    }
}

#[async_trait]
impl Backend for Sled {
    fn name(&self) -> &'static str {
        "sled"
    }

    async fn create(&self, site: &Site) -> Setup<Arc<dyn Store>> {
        Self::open(site).await
    }

    async fn reopen(&self, site: &Site, _how: Stop) -> Setup<Option<Arc<dyn Store>>> {
        Self::open(site).await.map(Some)
    }
}

batch_testkit::conformance!(Sled);
