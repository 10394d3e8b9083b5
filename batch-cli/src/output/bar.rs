//! The progress bar, for a terminal only: how far, how fast, how long still.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TEMPLATE: &str = "{bar:30} {pos}/{len} {msg}{per_sec}, {eta} left";
/// How often the time left is drawn anew.
const TICK: Duration = Duration::from_millis(500);

/// A bar on standard error.
#[derive(Debug, Clone)]
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar of `total` targets, of which `done` need no time any more.
    pub(crate) fn new(total: u64, done: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_position(done);
        bar.reset_eta();
        bar.enable_steady_tick(TICK);
        Self(bar)
    }

    pub(crate) fn advance(&self, done: u64, failed: u64) {
        if failed > 0 {
            self.0.set_message(format!("{failed} failed, "));
        }
        self.0.set_position(done);
    }

    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }

    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
