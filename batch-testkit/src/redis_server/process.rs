//! One run of a server's process: its log, its signals, and that it never outlives the test.
//!
//! A shell waits for the end of a pipe that only the test's process holds, and then
//! kills the server: so a test that is killed, or aborts, leaves none behind.

use std::ffi::OsString;
use std::fmt;
use std::io::{BufRead as _, BufReader, ErrorKind, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::backend::Setup;

const PROGRAM: &str = "redis-server";

/// A server that says nothing for so long is stuck.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the watching shell does; `$1` is the server's process.
const WATCH: &str = "read -r _; kill -KILL \"$1\"";

/// A server's process; it is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    server: Child,
    watch: Child,
    log: Receiver<String>,
    heard: Vec<String>,
}

/// The server ended by itself.
#[derive(Debug)]
pub struct Died {
    /// What its log said.
    pub log: String,
}

impl fmt::Display for Died {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{PROGRAM} ended by itself; its log:\n{}", self.log)
    }
}

impl std::error::Error for Died {}

impl Process {
    pub(super) fn spawn(arguments: &[OsString]) -> Setup<Self> {
        let mut server = Command::new(PROGRAM)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| cannot_start(&error))?;
        let output = server.stdout.take().ok_or("a server without an output")?;
        let errors = server.stderr.take().ok_or("a server without an output")?;
        let watch = match watch(server.id()) {
            Ok(watch) => watch,
            Err(error) => {
                end(&mut server);
                return Err(format!("nobody could watch over {PROGRAM}: {error}").into());
            }
        };
        let (sender, log) = channel();
        let other = sender.clone();
        // They end with the outputs; a server that nobody listens to would block on its log.
        std::thread::spawn(move || pass_on(output, &sender));
        std::thread::spawn(move || pass_on(errors, &other));
        let heard = Vec::new();
        Ok(Self {
            server,
            watch,
            log,
            heard,
        })
    }

    pub(super) fn id(&self) -> u32 {
        self.server.id()
    }

    /// Waits until a line of the log has `text`.
    pub(super) fn await_log(&mut self, text: &str) -> Setup<()> {
        while !self.heard.iter().any(|line| line.contains(text)) {
            match self.log.recv_timeout(PATIENCE) {
                Ok(line) => self.heard.push(line),
                Err(RecvTimeoutError::Disconnected) => {
                    let log = self.heard.join("\n");
                    return Err(Box::new(Died { log }));
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("{PROGRAM} did not say {text:?}").into());
                }
            }
        }
        Ok(())
    }

    /// Asks it to end, and waits for that.
    pub(super) fn terminate(mut self) -> Setup<()> {
        signal(self.id(), "TERM")?;
        // A frozen one hears nothing.
        signal(self.id(), "CONT")?;
        self.server.wait()?;
        Ok(())
    }

    #[cfg(unix)]
    pub(super) fn freeze(&self) -> Setup<()> {
        signal(self.id(), "STOP")
    }

    #[cfg(unix)]
    pub(super) fn thaw(&self) -> Setup<()> {
        signal(self.id(), "CONT")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // First the watch: its number for the server is only good while the server is not reaped.
        end(&mut self.watch);
        end(&mut self.server);
    }
}

fn cannot_start(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!(
            "`{PROGRAM}` is missing; tests of the Redis store start servers of their own: \
             install it (apt-get install redis-server)"
        ),
        _ => format!("cannot start {PROGRAM}: {error}"),
    }
}

fn watch(server: u32) -> std::io::Result<Child> {
    Command::new("sh")
        .args(["-c", WATCH, "sh", &server.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn end(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}

fn pass_on(output: impl Read, to: &Sender<String>) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        // Whoever no longer listens leaves the rest unread, not unread in the pipe.
        let _ = to.send(line);
    }
}

fn signal(process: u32, name: &str) -> Setup<()> {
    let status = Command::new("kill")
        .args(["-s", name, &process.to_string()])
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("kill -s {name} ended with {status}").into())
    }
}
