//! The Redis store keeps the contract, judged by the testkit.
//!
//! One server serves all cases of this process, each under a prefix of its own.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use batch_core::store::Store;
use batch_store_redis::{Options, RedisStore};
use batch_testkit::redis_server::{Fsync, RedisServer, RedisSettings};
use batch_testkit::{Backend, Setup, Site, Stop, async_trait};

static SERVER: LazyLock<Mutex<Option<RedisServer>>> = LazyLock::new(Mutex::default);

struct Redis;

impl Redis {
    /// The server that a case began on: a child process finds it noted at the site.
    fn url(site: &Site) -> Setup<String> {
        let note = site.dir().join("redis-url");
        if note.exists() {
            return Ok(std::fs::read_to_string(note)?);
        }
        let mut server = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
        if server.is_none() {
            let settings = RedisSettings::default().append_only(Fsync::EverySecond);
            *server = Some(RedisServer::with(settings)?);
        }
        let url = server.as_ref().map(RedisServer::url).unwrap_or_default();
        std::fs::write(note, &url)?;
        Ok(url)
    }

    async fn open(site: &Site) -> Setup<Arc<dyn Store>> {
        let options = Options::default().with_prefix(site.namespace());
        let store = RedisStore::open(&Self::url(site)?, options).await?;
        Ok(Arc::new(store))
    }
}

#[async_trait]
impl Backend for Redis {
    fn name(&self) -> &'static str {
        "redis"
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

batch_testkit::conformance!(Redis);
