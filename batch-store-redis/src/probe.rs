//! What the server is, found out before anything is written (S10, S11).
//!
//! Everything is asked for in a few small calls, each within the timeouts of the options.

use batch_core::store::StoreResult;
use batch_core::store::capability::Durability;
use batch_core::store::error::{StoreError, StoreErrorKind};
use redis::io::tcp::TcpSettings;
use redis::{ConnectionInfo, IntoConnectionInfo, Value};

use crate::codec::Fields;
use crate::connection::Connection;
use crate::error::error;
use crate::keys;
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
    check_permissions(connection, &address).await?;
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

/// What the scripts call and a user may be refused: a name, and how many arguments it takes.
const COMMANDS: &str = "del/1 get/1 hdel/2 hexists/2 hget/2 hgetall/1 hincrby/3 hmget/2 \
    hset/3 incr/1 set/2 time/0 unlink/1 zadd/3 zrange/3 zrangebylex/3 zrangebyscore/3 zrem/2";

/// Asks the server, inside a script, which of the commands the user may not run.
const MISSING: &str = "#!lua flags=no-writes
for command, count in string.gmatch(ARGV[1], '(%a+)/(%d)') do
  local arguments = {}
  for at = 1, tonumber(count) do
    arguments[at] = KEYS[1] .. 'x'
  end
  if not redis.acl_check_cmd(command, unpack(arguments)) then
    return command
  end
end
local channel = KEYS[1] .. 'wake'
if not redis.acl_check_cmd('publish', channel, '') then
  return 'publish'
end
if not redis.acl_check_cmd('subscribe', channel) then
  return 'subscribe'
end
return redis.acl_check_cmd('evalsha', '', '0') and '' or 'evalsha'";

/// Whatever the scripts call must be allowed, and so must be keeping them on the server.
async fn check_permissions(connection: &Connection, address: &str) -> StoreResult<()> {
    let mut asking = redis::cmd("EVAL");
    asking.arg(MISSING).arg(1).arg(connection.prefix().as_str());
    asking.arg(COMMANDS);
    let missing = Fields::of(connection.ask(&asking).await?)?.text()?;
    if !missing.is_empty() {
        let reason = format!(
            "{address}: the user lacks the permission to run {missing} on keys and the channel of \
             the prefix; grant what docs/backends.md lists"
        );
        return Err(error(StoreErrorKind::Unavailable, reason));
    }
    connection.load(&SCRIPTS.all()).await
}

/// A store that is there must be ours and of a schema that this release knows.
async fn check_schema(connection: &Connection, address: &str) -> StoreResult<()> {
    let key = connection.prefix().schema();
    match connection.ask(redis::cmd("GET").arg(&key)).await {
        Ok(Value::Nil) => {
            check_types(connection, address).await?;
            make_schema(connection, &key).await
        }
        Ok(known) => check_version(&Fields::of(known)?.text()?, address),
        Err(cause) if cause.kind() == StoreErrorKind::Corrupt => Err(foreign(address)),
        Err(cause) => Err(cause),
    }
}

/// Without a schema the keys are nobody's, or of a store whose server forgot a part.
async fn check_types(connection: &Connection, address: &str) -> StoreResult<()> {
    for (name, own) in keys::shared() {
        let key = format!("{}{name}", connection.prefix().as_str());
        let found = Fields::of(connection.ask(redis::cmd("TYPE").arg(key)).await?)?.text()?;
        if found != "none" && found != own {
            return Err(foreign(address));
        }
    }
    Ok(())
}

fn check_version(text: &str, address: &str) -> StoreResult<()> {
    let schema = text.strip_prefix("batch-store-redis ");
    let major = schema.and_then(|schema| schema.split_once('.'));
    match major.and_then(|(major, _)| major.parse::<u32>().ok()) {
        None => Err(foreign(address)),
        Some(major) if major > SCHEMA.0 => {
            let reason = format!(
                "the store on {address} is of version {major}, which is newer; open it with that"
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

/// Two that open a new store at once write the same.
async fn make_schema(connection: &Connection, key: &str) -> StoreResult<()> {
    let mut set = redis::cmd("SET");
    set.arg(key)
        .arg(format!("batch-store-redis {}.{}", SCHEMA.0, SCHEMA.1))
        .arg("NX");
    connection.ask(&set).await.map(drop)
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

/// An address as the driver takes it: small writes are not held back.
pub(crate) fn address_of(url: &str) -> StoreResult<ConnectionInfo> {
    let info = url.into_connection_info().map_err(|_| bad_address())?;
    Ok(info.set_tcp_settings(TcpSettings::default().set_nodelay(true)))
}

/// An address that cannot be one; it may hold a password, and is not repeated.
pub(crate) fn bad_address() -> StoreError {
    let reason = "the address is not redis://HOST:PORT/DB or rediss://HOST:PORT/DB";
    error(StoreErrorKind::Invalid, reason)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The names between `redis.call('` and the next quote.
    fn called(text: &str) -> impl Iterator<Item = String> {
        let calls = text.split("redis.call('").skip(1);
        calls.filter_map(|call| call.split('\'').next().map(str::to_lowercase))
    }

    /// S11.1
    #[test]
    fn what_the_scripts_call_is_what_a_user_must_be_allowed() {
        let all = SCRIPTS.all();
        let used: BTreeSet<_> = all
            .iter()
            .flat_map(|script| called(script.text()))
            .collect();

        let listed = COMMANDS.split_whitespace();
        let listed = listed.filter_map(|command| command.split_once('/'));
        let listed: BTreeSet<_> = listed.map(|(name, _)| name.to_owned()).collect();

        assert_eq!(used, listed);
    }
}
