//! The signals that stop a run: Ctrl-C, SIGTERM and SIGHUP.
//!
//! One that the parent has set to be ignored, as `nohup` does, stays ignored.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for signals that ask to stop.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hangup: Option<Signal>,
}

impl Signals {
    /// Begins to listen; from now on these signals do not end the process.
    pub(crate) fn listen() -> io::Result<Self> {
        let ignored = ignored();
        let listen = |kind: SignalKind| {
            let bit = u32::try_from(kind.as_raw_value() - 1).unwrap_or(0);
            if ignored >> bit & 1 == 1 {
                Ok(None)
            } else {
                signal(kind).map(Some)
            }
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    /// Resolves at the next signal. Safe to drop.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            () = one(&mut self.interrupt) => {}
            () = one(&mut self.terminate) => {}
            () = one(&mut self.hangup) => {}
        }
    }
}

async fn one(signal: &mut Option<Signal>) {
    if let Some(signal) = signal
        && signal.recv().await.is_some()
    {
        return;
    }
    std::future::pending::<()>().await;
}

/// The mask of ignored signals, where the system shows it.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    mask(&status).unwrap_or(0)
}

fn mask(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_is_read_in_hex() {
        assert_eq!(mask("Name:\tx\nSigIgn:\t0000000000001001\n"), Some(0x1001));
        assert_eq!(mask("Name:\tx\n"), None);
    }
}
