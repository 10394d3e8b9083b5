//! Private Redis servers: a real `redis-server` on a free loopback port, in a folder of its own.
//!
//! A test starts one, may stop, kill, freeze and restart it, and drops it. The kit
//! speaks no Redis here: whoever wants to ask the server something brings a client.
//! A machine without the program gets an error that says what to install, never a skip.

mod process;
mod settings;

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::backend::Setup;
pub use process::Died;
use process::Process;
pub use settings::{Fsync, RedisSettings};

/// Ports below those that the kernel gives to outgoing connections: none of them can
/// take a server's port between its end and its restart.
const PORTS: std::ops::Range<u16> = 12_000..32_000;

/// How many ports are tried before the start counts as failed.
const TRIES: usize = 50;

/// A running server; it ends when this is dropped, and when the test's process dies.
#[derive(Debug)]
pub struct RedisServer {
    folder: TempDir,
    settings: RedisSettings,
    port: u16,
    process: Option<Process>,
}

impl RedisServer {
    /// Starts one that keeps nothing on disk.
    pub fn start() -> Setup<Self> {
        Self::with(RedisSettings::default())
    }

    /// Starts one with `settings`, and waits until it accepts connections.
    pub fn with(settings: RedisSettings) -> Setup<Self> {
        let folder = tempfile::Builder::new().prefix("batch-redis-").tempdir()?;
        let mut server = Self {
            folder,
            settings,
            port: 0,
            process: None,
        };
        let mut last = None;
        for _ in 0..TRIES {
            server.port = free_port()?;
            match server.run() {
                // Somebody was faster: another port then.
                Err(error) if is_taken(error.as_ref()) => last = Some(error),
                outcome => return outcome.map(|()| server),
            }
        }
        Err(last.unwrap_or_else(|| "no port was tried".into()))
    }

    /// Its address, as in `127.0.0.1:12345`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Its port, the same after every restart.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its address as a client writes it, with the password of the settings.
    pub fn url(&self) -> String {
        match self.settings.password_of_default() {
            Some(password) => format!("redis://:{password}@{}/", self.address()),
            None => format!("redis://{}/", self.address()),
        }
    }

    /// The socket beside its files.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("redis.sock")
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its process id; `None` while it is stopped.
    pub fn id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// Ends it as an operator does: what its settings keep is on disk afterwards.
    pub fn stop(&mut self) -> Setup<()> {
        self.process.take().map_or(Ok(()), Process::terminate)
    }

    /// Ends it by `kill -9`.
    pub fn kill(&mut self) {
        drop(self.process.take());
    }

    /// Starts it again after [`Self::stop`] or [`Self::kill`], on its port and in its folder,
    /// and waits until it accepts connections.
    pub fn restart(&mut self) -> Setup<()> {
        self.kill();
        self.run()
    }

    /// Starts it again and waits only for a line of its log with `text`: a server that
    /// still loads its data listens, and answers that it is loading.
    pub fn restart_until(&mut self, text: &str) -> Setup<()> {
        self.kill();
        self.launch()?;
        self.await_log(text)
    }

    /// Waits for a line of its log with `text`, counted from its last start.
    pub fn await_log(&mut self, text: &str) -> Setup<()> {
        let process = self.process.as_mut().ok_or("the server is stopped")?;
        process.await_log(text)
    }

    /// Freezes it with SIGSTOP: connections stay open, nothing is answered.
    #[cfg(unix)]
    pub fn freeze(&self) -> Setup<()> {
        let process = self.process.as_ref().ok_or("the server is stopped")?;
        process.freeze()
    }

    /// Lets a frozen one go on with SIGCONT.
    #[cfg(unix)]
    pub fn thaw(&self) -> Setup<()> {
        let process = self.process.as_ref().ok_or("the server is stopped")?;
        process.thaw()
    }

    fn run(&mut self) -> Setup<()> {
        self.launch()?;
        let outcome = self.await_log("Ready to accept connections");
        if outcome.is_err() {
            self.kill();
        }
        outcome
    }

    fn launch(&mut self) -> Setup<()> {
        let arguments = self.settings.arguments(self.port, self.folder.path());
        self.process = Some(Process::spawn(&arguments)?);
        Ok(())
    }
}

/// Whether a server ended because its port belongs to somebody else.
fn is_taken(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    let died = error.downcast_ref::<Died>();
    died.is_some_and(|died| died.log.contains("Address already in use"))
}

/// A port that the kernel says is free; a moment later it may not be.
fn free_port() -> Setup<u16> {
    for _ in 0..TRIES {
        let port = rand::random_range(PORTS);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err("no free port was found on the loopback".into())
}

#[cfg(test)]
mod tests;
