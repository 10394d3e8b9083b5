//! Other processes: this very test binary, told by its environment what to do.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::processes;

const ROLE: &str = "BATCH_REDIS_TEST_ROLE";
const URL: &str = "BATCH_REDIS_TEST_URL";

/// A child that is told things and says things, a line each; dropped, it is killed.
pub(crate) struct Talk {
    child: Child,
    said: Receiver<String>,
}

/// A child that says nothing for so long never will: far longer than any of them needs.
const PATIENCE: Duration = Duration::from_mins(1);

impl Talk {
    /// A child that plays `role` on the store at `url`; it ends with its standard input.
    pub(crate) fn with(role: &str, url: &str) -> Self {
        Self::spawn(Command::new(std::env::current_exe().unwrap()), role, url)
    }

    /// The same under a clock that is so far off, as in `+10m`.
    pub(crate) fn with_clock(off: &str, role: &str, url: &str) -> Self {
        let mut command = Command::new("faketime");
        // The host's clock is wrong; time still passes as it does.
        command
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .args(["-f", off])
            .arg(std::env::current_exe().unwrap());
        Self::spawn(command, role, url)
    }

    fn spawn(mut command: Command, role: &str, url: &str) -> Self {
        let mut child = command
            .args(["--exact", "child::entry", "--nocapture", "--test-threads=1"])
            .env(ROLE, role)
            .env(URL, url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("faketime is needed (apt-get install faketime)");
        let output = BufReader::new(child.stdout.take().unwrap());
        let (says, said) = channel();
        // It ends with the child's output.
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // A parent that no longer listens has all that it wanted.
                let _ = says.send(line);
            }
        });
        Self { child, said }
    }

    pub(crate) fn tell(&mut self, line: &str) {
        let to = self.child.stdin.as_mut().unwrap();
        to.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// What follows `word` in the next line that has it.
    pub(crate) fn hear(&self, word: &str) -> String {
        let mut line = String::new();
        while !line.contains(word) {
            line = self
                .said
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|error| panic!("nobody says {word:?}: {error}"));
        }
        line.split(word).nth(1).unwrap().trim().to_owned()
    }

    pub(crate) fn hear_number(&self, word: &str) -> u64 {
        self.hear(word).parse().unwrap()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-s", name, &id]).status();
        assert!(status.unwrap().success());
    }

    /// Ends it by `kill -9`.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Lets it end.
    pub(crate) fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

/// A test that fails leaves no child behind.
impl Drop for Talk {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a child begins; in the parent, which has no role, there is nothing to do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entry() {
    let (Some(role), Some(url)) = (std::env::var_os(ROLE), std::env::var_os(URL)) else {
        return;
    };
    let url = url.into_string().unwrap();
    match role.to_str().unwrap() {
        "run" => processes::run(&url).await,
        "idle" => processes::idle(&url).await,
        "hold" => processes::hold(&url).await,
        other => panic!("no such role: {other}"),
    }
}

pub(crate) fn say(line: &str) {
    // One write call a line, past the capture of the test harness.
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// Waits for a line of the parent, off the async threads; `None` when there will be no other.
pub(crate) async fn told() -> Option<String> {
    tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line).unwrap();
        (read > 0).then(|| line.trim().to_owned())
    })
    .await
    .unwrap()
}
