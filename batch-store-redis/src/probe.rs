//! What the server is, found out before anything is written (S10, S11).
//!
//! Everything is asked for in a few small calls, each within the timeouts of the options.

use batch_core::store::StoreResult;
use batch_core::store::capability::Durability;
use batch_core::store::error::{StoreError, StoreErrorKind};
use redis::Value;

use crate::codec::Fields;
use crate::connection::Connection;
use crate::error::error;
use crate::scripts::SCRIPTS;

/// The oldest server whose scripts know the flags that ours carry.
const OLDEST: u32 = 7;

/// The schema of this release; a store of a greater major one is refused.
const SCHEMA: (u32, u32) = (1, 0);

/// What a server said of itself.
struct Info(String);

impl Info {
    fn get(&self, name: &str) -> Option<&str> {
        let mut lines = self.0.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
    }
}

/// A server that accepts connections and answers nothing.
pub(crate) fn silent(connection: &Connection) -> StoreError {
    let reason = format!("{} is silent; is it a Redis server?", connection.address());
    error(StoreErrorKind::Unavailable, reason)
}

/// Judges the server and the data under the prefix, and makes a store where there is none.
pub(crate) async fn probe(connection: &Connection) -> StoreResult<()> {
    let info = info(connection).await?;
    let address = connection.address();
    check_server(&info, &address)?;
    check_commands(connection, &address).await?;
    check_schema(connection, &address).await
}

async fn info(connection: &Connection) -> StoreResult<Info> {
    let mut command = redis::cmd("INFO");
    for section in ["server", "memory", "persistence", "replication", "cluster"] {
        command.arg(section);
    }
    let mut reply = Fields::of(connection.ask(&command).await?)?;
    Ok(Info(reply.text()?))
}

fn check_server(info: &Info, address: &str) -> StoreResult<()> {
    let version = info.get("redis_version").unwrap_or_default();
    let major = version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok());
    if major.is_none_or(|major: u32| major < OLDEST) {
        let reason = format!("{address} is version {version}; the store needs 7.0 or later");
        return Err(error(StoreErrorKind::Unsupported, reason));
    }
    if info.get("cluster_enabled") == Some("1") {
        let reason = format!("{address} is part of a cluster; the store needs one server");
        return Err(error(StoreErrorKind::Unsupported, reason));
    }
    if info.get("role") == Some("slave") {
        let reason = format!("{address} is a replica; give the address of its primary");
        return Err(error(StoreErrorKind::Unavailable, reason));
    }
    let policy = info.get("maxmemory_policy").unwrap_or_default();
    if policy.starts_with("allkeys") {
        let reason = format!(
            "{address} has maxmemory-policy {policy}, which may drop single keys of a job; \
             set it to noeviction"
        );
        return Err(error(StoreErrorKind::Unsupported, reason));
    }
    Ok(())
}

/// The commands of the scripts, of which a user may lack some.
const COMMANDS: &str = "del exists get hdel hexists hget hgetall hincrby hmget hset incr set \
    unlink zadd zrange zrangebylex zrangebyscore zrem";

/// Answers which command the user may not run; the arguments of each are allowed ones.
const CHECK: &str = "#!lua flags=no-writes\n\
    local key, channel = KEYS[1] .. 'x', ARGV[2]\n\
    for command in string.gmatch(ARGV[1], '%S+') do\n\
      if not redis.acl_check_cmd(command, key, key, key) then return command end\n\
    end\n\
    for _, command in ipairs({ 'publish', 'subscribe' }) do\n\
      if not redis.acl_check_cmd(command, channel) then return command end\n\
    end\n\
    if not redis.acl_check_cmd('evalsha', '', '0') then return 'evalsha' end\n\
    if not redis.acl_check_cmd('time') then return 'time' end\n\
    return ''";

/// Asks the server, inside a script, which commands the user may run there.
async fn check_commands(connection: &Connection, address: &str) -> StoreResult<()> {
    let prefix = connection.prefix();
    let mut command = redis::cmd("EVAL");
    command
        .arg(CHECK)
        .arg(1)
        .arg(prefix.as_str())
        .arg(COMMANDS)
        .arg(prefix.wake());
    let missing = Fields::of(connection.ask(&command).await?)?.text()?;
    if missing.is_empty() {
        return Ok(());
    }
    let reason = format!(
        "{address}: the user may not run {missing} on the keys and the channel of the prefix"
    );
    Err(error(StoreErrorKind::Unavailable, reason))
}

/// A store that is there must be ours and of a schema that this release knows.
async fn check_schema(connection: &Connection, address: &str) -> StoreResult<()> {
    let mut get = redis::cmd("GET");
    get.arg(connection.prefix().schema());
    let known = match connection.ask(&get).await {
        Ok(Value::Nil) => make_schema(connection).await,
        known => known,
    };
    match known {
        Ok(known) => check_version(&Fields::of(known)?.text()?, address),
        Err(cause) if cause.kind() == StoreErrorKind::Corrupt => Err(foreign(address)),
        Err(cause) => Err(cause),
    }
}

fn check_version(text: &str, address: &str) -> StoreResult<()> {
    let schema = text.strip_prefix("batch-store-redis ");
    let major = schema.and_then(|schema| schema.split_once('.'));
    match major.and_then(|(major, _)| major.parse::<u32>().ok()) {
        None => Err(foreign(address)),
        Some(major) if major > SCHEMA.0 => {
            let reason = format!(
                "the store on {address} is of the newer version {major}; open it with that"
            );
            Err(error(StoreErrorKind::Incompatible, reason))
        }
        Some(_) => Ok(()),
    }
}

fn foreign(address: &str) -> StoreError {
    let reason = format!("the prefix on {address} is another program's; choose another prefix");
    error(StoreErrorKind::Incompatible, reason)
}

/// Two that open a new store at once write the same; the schema that is then there.
async fn make_schema(connection: &Connection) -> StoreResult<Value> {
    let ours = format!("batch-store-redis {}.{}", SCHEMA.0, SCHEMA.1);
    let make = SCRIPTS.open.by_text(connection.prefix().as_str(), &[ours]);
    connection.ask(&make).await
}

/// What an acknowledged write survives, by the server's own settings (S10).
///
/// A server that shows no settings is believed to keep what it says it keeps.
pub(crate) async fn durability(connection: &Connection) -> StoreResult<Durability> {
    if info(connection).await?.get("aof_enabled") != Some("1") {
        return Ok(Durability::Process);
    }
    let mut command = redis::cmd("CONFIG");
    command.arg("GET").arg("appendfsync");
    let setting = match connection.ask(&command).await {
        Ok(value) => {
            let mut fields = Fields::of(value)?;
            let _name = fields.text()?;
            fields.text()?
        }
        Err(_) => String::new(),
    };
    Ok(match setting.as_str() {
        "always" => Durability::Power,
        _ => Durability::Kill,
    })
}

/// Store time now (S15).
pub(crate) async fn time(connection: &Connection) -> StoreResult<batch_core::time::Timestamp> {
    let mut fields = Fields::of(connection.ask(&redis::cmd("TIME")).await?)?;
    crate::server_time::server_time(&mut fields)
}

/// An address that cannot be one.
pub(crate) fn bad_address() -> StoreError {
    let reason = "the address is not redis://HOST:PORT/DB or rediss://HOST:PORT/DB";
    error(StoreErrorKind::Invalid, reason)
}
