//! A server of one test's own, a proxy before it, and stores that go through the proxy.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use batch_core::store::error::StoreErrorKind;
use batch_core::store::{Store, StoreResult};
use batch_store_redis::{Options, RedisStore};
use batch_testkit::proxy::{Act, Chosen, Framing, Proxy};
use batch_testkit::redis_server::{RedisServer, RedisSettings};
use batch_testkit::{Backend, Setup, Site, Stop, async_trait};

/// Every key with what it holds.
pub(crate) type Dump = BTreeMap<Vec<u8>, Vec<u8>>;

pub(crate) struct Place {
    server: Mutex<RedisServer>,
    pub(crate) proxy: Proxy,
    /// Past the proxy.
    admin: redis::Client,
}

impl Place {
    pub(crate) async fn new() -> Self {
        Self::with(RedisSettings::default()).await
    }

    pub(crate) async fn with(settings: RedisSettings) -> Self {
        let server = RedisServer::with(settings).unwrap();
        let proxy = Proxy::to(&server.address(), Framing::Redis).await.unwrap();
        let admin = redis::Client::open(server.url()).unwrap();
        Self {
            server: Mutex::new(server),
            proxy,
            admin,
        }
    }

    pub(crate) fn server(&self) -> MutexGuard<'_, RedisServer> {
        self.server.lock().unwrap()
    }

    /// The address of the proxy.
    pub(crate) fn url(&self) -> String {
        format!("redis://{}/", self.proxy.address())
    }

    /// A store through the proxy, under this prefix.
    pub(crate) async fn store(&self, prefix: &str) -> StoreResult<RedisStore> {
        opened(&self.url(), prefix).await
    }

    /// Says something to the server past the proxy.
    pub(crate) fn say<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        let mut connection = self.admin();
        let (command, rest) = words.split_first().unwrap();
        redis::cmd(command)
            .arg(rest)
            .query(&mut connection)
            .unwrap()
    }

    /// A connection past the proxy.
    pub(crate) fn admin(&self) -> redis::Connection {
        self.admin.get_connection().unwrap()
    }

    /// A number that the server says of its memory.
    pub(crate) fn memory(&self, name: &str) -> u64 {
        let info: redis::InfoDict = self.say(&["INFO", "memory"]);
        info.get(name).unwrap()
    }

    /// Waits until the server has freed what it frees beside its work.
    pub(crate) fn await_freed(&self) {
        while self.memory("lazyfree_pending_objects") > 0 {}
    }

    /// Everything that the server keeps.
    pub(crate) fn dump(&self) -> Dump {
        let mut connection = self.admin();
        let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(&mut connection).unwrap();
        let dumped = keys.into_iter().map(|key| {
            let held = redis::cmd("DUMP").arg(&key).query(&mut connection).unwrap();
            (key, held)
        });
        dumped.collect()
    }

    /// Sends a call into a fault, and then again: what it answers at last.
    ///
    /// Between both, the server has executed it if it was cut after it, and not otherwise.
    pub(crate) async fn twice<T: Debug>(
        &self,
        act: Act,
        send: impl AsyncFn() -> StoreResult<T>,
    ) -> T {
        let was_executed = act == Act::CutAfter;
        let before = self.dump();
        let planned = self.proxy.plan(Chosen::holding("EVALSHA"), act);

        let lost = send().await.unwrap_err();
        planned.happened().await.unwrap();

        assert_eq!(lost.kind(), StoreErrorKind::Unknown, "{lost}");
        assert_eq!(self.dump() != before, was_executed);
        send().await.unwrap()
    }
}

/// A store on this server.
pub(crate) async fn opened(url: &str, prefix: &str) -> StoreResult<RedisStore> {
    RedisStore::open(url, Options::default().with_prefix(prefix)).await
}

/// A store through the place's proxy that waits so many milliseconds for a reply.
pub(crate) async fn impatient(place: &Place, millis: u64) -> RedisStore {
    let options = Options::default()
        .with_prefix("impatient")
        .with_response_timeout(Duration::from_millis(millis));
    RedisStore::open(&place.url(), options).await.unwrap()
}

/// A password that no error may show.
pub(crate) const PASSWORD: &str = "zq7secret";

#[async_trait]
impl Backend for Place {
    fn name(&self) -> &'static str {
        "redis behind a proxy"
    }

    async fn create(&self, site: &Site) -> Setup<Arc<dyn Store>> {
        Ok(Arc::new(self.store(site.namespace()).await?))
    }

    async fn reopen(&self, site: &Site, _how: Stop) -> Setup<Option<Arc<dyn Store>>> {
        self.create(site).await.map(Some)
    }
}
