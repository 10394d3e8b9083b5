//! With which settings a private server starts.
//!
//! Only what the tests vary has a name here; any other setting is given as Redis spells it.

use std::ffi::OsString;
use std::path::Path;

/// When the append-only file is synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fsync {
    /// Before a write is acknowledged.
    Always,
    /// Once a second.
    EverySecond,
    /// When the system likes to.
    Never,
}

impl Fsync {
    fn word(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::EverySecond => "everysec",
            Self::Never => "no",
        }
    }
}

/// Settings of a private server; by default it keeps nothing on disk.
#[derive(Debug, Clone, Default)]
pub struct RedisSettings {
    pairs: Vec<(String, Vec<String>)>,
    password: Option<String>,
}

impl RedisSettings {
    /// Any setting, as in `redis.conf`.
    #[must_use]
    pub fn set(self, name: &str, value: &str) -> Self {
        self.set_words(name, &[value])
    }

    /// A setting of several words, such as `user`.
    #[must_use]
    pub fn set_words(mut self, name: &str, words: &[&str]) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.pairs.push((name.to_owned(), words));
        self
    }

    /// An append-only file: data outlives the process.
    #[must_use]
    pub fn append_only(self, fsync: Fsync) -> Self {
        self.set("appendonly", "yes")
            .set("appendfsync", fsync.word())
    }

    /// The memory that data may take, in bytes, and that nothing is evicted for it.
    #[must_use]
    pub fn max_memory(self, bytes: u64) -> Self {
        self.set("maxmemory", &bytes.to_string())
            .set("maxmemory-policy", "noeviction")
    }

    /// A password for the default user.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self.set("requirepass", password)
    }

    /// A user with ACL `rules`, such as `["on", ">secret", "~*", "+@all"]`.
    #[must_use]
    pub fn user(self, name: &str, rules: &[&str]) -> Self {
        let mut words = vec![name];
        words.extend_from_slice(rules);
        self.set_words("user", &words)
    }

    pub(super) fn password_of_default(&self) -> Option<&str> {
        self.password.as_deref()
    }

    /// The command line; what was set last holds.
    pub(super) fn arguments(&self, port: u16, folder: &Path) -> Vec<OsString> {
        let folder = folder.as_os_str();
        let mut socket = folder.to_owned();
        socket.push("/redis.sock");
        let mut arguments: Vec<OsString> = vec![
            "--port".into(),
            port.to_string().into(),
            "--bind".into(),
            "127.0.0.1".into(),
            "--unixsocket".into(),
            socket,
            "--dir".into(),
            folder.to_owned(),
        ];
        // No folder of the system, no daemon: the log comes to the pipe, the process stays ours.
        let fixed = [
            ("daemonize", "no"),
            ("logfile", ""),
            ("loglevel", "notice"),
            ("save", ""),
            ("appendonly", "no"),
        ];
        for (name, value) in fixed {
            arguments.push(format!("--{name}").into());
            arguments.push(value.into());
        }
        for (name, words) in &self.pairs {
            arguments.push(format!("--{name}").into());
            arguments.extend(words.iter().map(OsString::from));
        }
        arguments
    }
}
