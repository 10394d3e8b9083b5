//! A server of one test's own, stores on it, and a look behind their backs.

use std::collections::BTreeMap;

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::call::Submit;
use batch_store_redis::{Options, RedisStore};
use batch_testkit::calls;
use batch_testkit::redis_server::RedisServer;

/// Every key under a prefix with what it holds.
pub(crate) type Dump = BTreeMap<Vec<u8>, Vec<u8>>;

pub(crate) struct Place {
    server: RedisServer,
    admin: redis::Client,
}

impl Place {
    pub(crate) fn new() -> Self {
        let server = RedisServer::start().unwrap();
        let admin = redis::Client::open(server.url()).unwrap();
        Self { server, admin }
    }

    /// The store under this prefix.
    pub(crate) async fn store(&self, prefix: &str) -> RedisStore {
        let options = Options::default().with_prefix(prefix);
        RedisStore::open(&self.server.url(), options).await.unwrap()
    }

    /// The store `p` with a session `s`.
    pub(crate) async fn entered(&self) -> RedisStore {
        let store = self.store("p").await;
        let session = SessionId::from("s");
        store.enter(calls::enter(&session)).await.unwrap();
        store
    }

    pub(crate) fn server(&self) -> &RedisServer {
        &self.server
    }

    /// Says something to the server.
    pub(crate) fn say<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        let mut connection = self.admin.get_connection().unwrap();
        let (command, rest) = words.split_first().unwrap();
        let mut command = redis::cmd(command);
        command.arg(rest).query(&mut connection).unwrap()
    }

    /// The names of all keys that match.
    pub(crate) fn keys(&self, pattern: &str) -> Vec<String> {
        let mut keys: Vec<String> = self.say(&["KEYS", pattern]);
        keys.sort();
        keys
    }

    /// Everything under a prefix.
    pub(crate) fn dump(&self, prefix: &str) -> Dump {
        let mut connection = self.admin.get_connection().unwrap();
        let pattern = format!("{{{prefix}}}:*");
        let mut asking = redis::cmd("KEYS");
        let keys: Vec<Vec<u8>> = asking.arg(pattern).query(&mut connection).unwrap();
        let held = |key: &Vec<u8>| {
            let mut dump = redis::cmd("DUMP");
            dump.arg(key)
                .query(&mut redis::Client::get_connection(&self.admin).unwrap())
        };
        let dumped = keys.into_iter().map(|key| {
            let value = held(&key).unwrap();
            (key, value)
        });
        dumped.collect()
    }
}

/// A job of so many targets.
pub(crate) fn job(id: &str, targets: usize) -> Submit {
    calls::submit(id, vec![calls::target("u"); targets])
}
