//! From a store's URL to a store: the only place that names backends.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use batch_core::memory::MemoryStore;
use batch_core::store::Store;
use batch_store_redis::RedisStore;
use batch_store_sled::SledStore;
use batch_store_sqlite::{Durability, Options, SqliteStore};

use crate::exit::{Exit, Failure};

const KNOWN: &str = "memory:, sqlite:PATH, sqlite:///PATH, sqlite::memory:, sled:DIRECTORY, \
    redis://HOST and rediss://HOST";
const KNOWN_OPTIONS: &str = "durability=power and durability=kill";
const KNOWN_OF_REDIS: &str = "prefix=NAME";
/// Backends that have a name here and no code yet.
const LATER: [&str; 2] = ["redis+sentinel", "redis+cluster"];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Backend {
    Memory,
    SqliteMemory,
    Sqlite {
        path: PathBuf,
        durability: Durability,
    },
    Sled {
        path: PathBuf,
    },
    Redis {
        /// With user and password, if it has them.
        url: String,
        prefix: String,
    },
}

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    backend: Backend,
    /// Whether nobody named it.
    is_default: bool,
}

impl Address {
    /// Reads a URL; without one it is the default in the user's state directory.
    pub(crate) fn of(url: Option<&str>) -> Result<Self, Failure> {
        let backend = match url {
            Some(url) => parse(url).map_err(Failure::usage)?,
            None => Backend::Sqlite {
                path: default_path()?,
                durability: Durability::default(),
            },
        };
        Ok(Self {
            backend,
            is_default: url.is_none(),
        })
    }

    /// The address as it may be shown.
    pub(crate) fn shown(&self) -> String {
        match &self.backend {
            Backend::Memory => "memory:".to_owned(),
            Backend::SqliteMemory => "sqlite::memory:".to_owned(),
            Backend::Sqlite { path, .. } => format!("sqlite:{}", path.display()),
            Backend::Sled { path } => format!("sled:{}", path.display()),
            Backend::Redis { url, prefix } => format!("{}?prefix={prefix}", without_user(url)),
        }
    }

    /// Opens the store, and makes it if there is none.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        if let (true, Backend::Sqlite { path, .. }) = (self.is_default, &self.backend) {
            make_parent(path)?;
        }
        Ok(match &self.backend {
            Backend::Memory => Arc::new(MemoryStore::new()),
            Backend::SqliteMemory => Arc::new(SqliteStore::open_in_memory().await?),
            Backend::Sqlite { path, durability } => {
                let options = Options::default().with_durability(*durability);
                Arc::new(SqliteStore::open(path, options).await?)
            }
            Backend::Sled { path } => {
                let options = batch_store_sled::Options::default();
                Arc::new(SledStore::open(path, options).await?)
            }
            Backend::Redis { url, prefix } => {
                let options = batch_store_redis::Options::default().with_prefix(prefix);
                Arc::new(RedisStore::open(url, options).await?)
            }
        })
    }

    /// Opens a store that is there; makes nothing. `None` when the default is not there.
    pub(crate) async fn open_existing(&self) -> Result<Option<Arc<dyn Store>>, Failure> {
        if self.is_there() {
            return self.open().await.map(Some);
        }
        if self.is_default {
            return Ok(None);
        }
        let message = format!("no store at {}: run something first", self.shown());
        Err(Failure::new(Exit::Unavailable, message))
    }

    /// Whether opening makes no file. What cannot be looked at may be there.
    pub(crate) fn is_there(&self) -> bool {
        match &self.backend {
            Backend::Sqlite { path, .. } => match fs::metadata(path) {
                Ok(found) => !found.is_file() || found.len() > 0,
                Err(error) => error.kind() != io::ErrorKind::NotFound,
            },
            Backend::Sled { path } => match fs::read_dir(path) {
                Ok(mut files) => files.next().is_some(),
                Err(error) => error.kind() != io::ErrorKind::NotFound,
            },
            Backend::Memory | Backend::SqliteMemory | Backend::Redis { .. } => true,
        }
    }
}

/// Reads a URL. No message repeats what could be a password.
fn parse(url: &str) -> Result<Backend, String> {
    let (scheme, rest) = url
        .split_once(':')
        .ok_or_else(|| format!("the store has no scheme; known are {KNOWN}"))?;
    let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
    match scheme {
        "memory" if place.is_empty() => without_options(Backend::Memory, options),
        "memory" => Err("memory: takes no path".to_owned()),
        "sqlite" if place == ":memory:" => without_options(Backend::SqliteMemory, options),
        "sqlite" => Ok(Backend::Sqlite {
            path: local_path(place, "sqlite")?,
            durability: durability(options)?,
        }),
        "sled" => {
            let path = local_path(place, "sled")?;
            without_options(Backend::Sled { path }, options)
        }
        "redis" | "rediss" => Ok(Backend::Redis {
            url: format!("{scheme}:{}", server(place)?),
            prefix: prefix(options)?,
        }),
        later if LATER.contains(&later) => Err(format!(
            "{later} stores are not built in yet; known are {KNOWN}"
        )),
        unknown
            if unknown
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'+') =>
        {
            Err(format!("unknown store scheme {unknown}; known are {KNOWN}"))
        }
        _ => Err(format!("the store has no scheme; known are {KNOWN}")),
    }
}

fn local_path(place: &str, scheme: &str) -> Result<PathBuf, String> {
    let path = place.strip_prefix("//").unwrap_or(place);
    if path.is_empty() || (path.len() < place.len() && !path.starts_with('/')) {
        return Err(format!(
            "give the path as {scheme}:PATH or {scheme}:///PATH"
        ));
    }
    Ok(PathBuf::from(path))
}

fn durability(options: &str) -> Result<Durability, String> {
    let mut durability = Durability::default();
    for option in options.split('&').filter(|option| !option.is_empty()) {
        durability = match option.split_once('=').unwrap_or((option, "")) {
            ("durability", "power") => Durability::Power,
            ("durability", "kill") => Durability::Kill,
            ("durability", _) => return Err(format!("known are {KNOWN_OPTIONS}")),
            _ => return Err(unknown_option(KNOWN_OPTIONS)),
        };
    }
    Ok(durability)
}

fn unknown_option(known: &str) -> String {
    format!("unknown store option; known are {known}")
}

/// Where a server is: `//`, perhaps a user, a host, perhaps a port and a database.
fn server(place: &str) -> Result<&str, String> {
    let host = place.strip_prefix("//").map(after_user);
    match host {
        Some(host) if !host.is_empty() && !host.starts_with(['/', ':']) => Ok(place),
        _ => Err("give the server as redis://HOST, redis://USER:PASSWORD@HOST:PORT/DB".to_owned()),
    }
}

fn after_user(place: &str) -> &str {
    place.rsplit_once('@').map_or(place, |(_, host)| host)
}

fn without_user(url: &str) -> String {
    match url.split_once("//") {
        Some((scheme, place)) => format!("{scheme}//{}", after_user(place)),
        None => url.to_owned(),
    }
}

fn prefix(options: &str) -> Result<String, String> {
    let mut prefix = "batchq".to_owned();
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let Some(name) = option.strip_prefix("prefix=") else {
            let hint = "write a ? of a password as %3F";
            return Err(format!("{}; {hint}", unknown_option(KNOWN_OF_REDIS)));
        };
        name.clone_into(&mut prefix);
    }
    Ok(prefix)
}

fn without_options(backend: Backend, options: &str) -> Result<Backend, String> {
    if options.is_empty() {
        Ok(backend)
    } else {
        Err("this store takes no options".to_owned())
    }
}

fn default_path() -> Result<PathBuf, Failure> {
    state_directory()
        .map(|state| state.join("batchq").join("batchq.db"))
        .ok_or_else(|| {
            Failure::usage("no home directory for the default store: give --store or BATCHQ_STORE")
        })
}

fn state_directory() -> Option<PathBuf> {
    let absolute = |name| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    if cfg!(target_os = "macos") {
        return Some(absolute("HOME")?.join("Library/Application Support"));
    }
    absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))
}

/// The default's directory is the user's own.
fn make_parent(path: &Path) -> Result<(), Failure> {
    let Some(parent) = path.parent() else {
        return Ok(());
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(parent)
        .map_err(|error| {
            Failure::new(
                Exit::Unavailable,
                format!("cannot make {}: {error}", parent.display()),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sqlite(path: &str, durability: Durability) -> Backend {
        Backend::Sqlite {
            path: path.into(),
            durability,
        }
    }

    #[test]
    fn urls_name_a_backend_and_its_options() {
        assert_eq!(parse("memory:"), Ok(Backend::Memory));
        assert_eq!(parse("sqlite::memory:"), Ok(Backend::SqliteMemory));
        assert_eq!(
            parse("sqlite:a b.db"),
            Ok(sqlite("a b.db", Durability::Power))
        );
        assert_eq!(
            parse("sqlite:///a/b?durability=kill"),
            Ok(sqlite("/a/b", Durability::Kill))
        );
        assert_eq!(
            parse("sqlite:/a?durability=power"),
            Ok(sqlite("/a", Durability::Power))
        );
        assert_eq!(
            parse("sled:///a/b"),
            Ok(Backend::Sled {
                path: "/a/b".into()
            })
        );
    }

    #[test]
    fn what_is_unknown_is_answered_with_what_is_known() {
        for url in ["foo:x", "x.db", "", ":", "redis+cluster://h", "/a:b"] {
            assert!(parse(url).unwrap_err().contains(KNOWN), "{url}");
        }
        for url in ["sqlite:a?x=1", "sqlite:a?durability=9"] {
            assert!(parse(url).unwrap_err().contains(KNOWN_OPTIONS), "{url}");
        }
        for url in [
            "sqlite:",
            "sqlite://host/a",
            "memory:x",
            "memory:?a=1",
            "sqlite::memory:?a",
            "sled:",
            "sled:d?x=1",
            "redis:",
            "redis://",
            "redis://u:p@",
            "redis://:6379",
            "redis://h?x=1",
        ] {
            assert!(parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_server_has_a_prefix_and_shows_no_password() {
        let url = "redis://u:S3cr3t@p@h:1/2?prefix=a";

        let backend = parse(url).unwrap();
        let shown = Address {
            backend,
            is_default: false,
        }
        .shown();

        assert_eq!(shown, "redis://h:1/2?prefix=a");
        assert_eq!(
            parse("rediss://h"),
            Ok(Backend::Redis {
                url: "rediss://h".to_owned(),
                prefix: "batchq".to_owned()
            })
        );
    }

    #[test]
    fn b47_a_refused_url_is_not_repeated() {
        for url in [
            "redis+cluster://u:S3cr3t@h/0",
            "redis://u:S3cr3t@",
            "redis://u:S3cr3t@h?x=1",
            "foo://u:S3cr3t@h",
            "u@S3cr3t:x",
            "sqlite:a?k=S3cr3t",
            "sqlite:a?S3cr3t",
            "redis://u:pa?S3cr3t@h",
        ] {
            assert!(!parse(url).unwrap_err().contains("S3cr3t"), "{url}");
        }
    }
}
