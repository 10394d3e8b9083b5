//! One gauge: a value whose changes are told in their order, with no lock held (R7).
//!
//! What is counted is in `gauges.rs`.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use super::gauges::quietly;
use super::shared::lock;
use crate::hooks::GaugeHook;

/// Changes that may wait to be told before whoever changes waits too.
const BACKLOG: usize = 64;

/// A value, and the hook that follows it.
pub(super) struct Gauge<T> {
    state: Mutex<State<T>>,
    /// The teller left, or told something.
    moved: Condvar,
    hook: Option<GaugeHook>,
}

#[derive(Default)]
struct State<T> {
    value: T,
    untold: VecDeque<usize>,
    /// Changes so far, and those that were told.
    changes: u64,
    told: u64,
    /// Who calls the hook now.
    teller: Option<ThreadId>,
    /// Who waits to do so.
    waiting: usize,
    closed: bool,
    /// The last size, told or about to be told.
    last: usize,
}

impl<T: Default> Gauge<T> {
    pub(super) fn new(hook: Option<GaugeHook>) -> Self {
        Self {
            state: Mutex::default(),
            moved: Condvar::new(),
            hook,
        }
    }

    /// Changes the value, and tells the size that `change` answers, if any.
    ///
    /// Whoever changes it while another tells leaves the telling to that one, unless much
    /// is untold: the last thing told is the last thing that was true, and a slow hook
    /// holds up each in turn.
    pub(super) fn change(&self, change: impl FnOnce(&mut T) -> Option<usize>) {
        let mut state = lock(&self.state);
        if state.closed {
            return;
        }
        if let Some(size) = change(&mut state.value) {
            state.last = size;
            self.tell(state, size);
        }
    }

    /// Tells 0, unless that was the last thing told, and nothing after it.
    pub(super) fn close(&self) {
        let mut state = lock(&self.state);
        state.value = T::default();
        if !std::mem::replace(&mut state.closed, true) && state.last > 0 {
            self.tell(state, 0);
        }
    }

    fn tell<'a>(&'a self, mut state: MutexGuard<'a, State<T>>, size: usize) {
        let Some(hook) = &self.hook else {
            return;
        };
        state.untold.push_back(size);
        state.changes += 1;
        let (own, this) = (state.changes, thread::current().id());
        while let Some(teller) = state.teller {
            // A hook that changes what it follows cannot wait for itself.
            if teller == this || state.untold.len() <= BACKLOG {
                return;
            }
            state.waiting += 1;
            let waited = self.moved.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
        state.teller = Some(this);
        // Who has told its own change leaves the rest to whoever waits.
        while state.told < own || state.waiting == 0 {
            let Some(size) = state.untold.pop_front() else {
                break;
            };
            state.told += 1;
            drop(state);
            quietly(|| hook(size));
            self.moved.notify_all();
            state = lock(&self.state);
        }
        state.teller = None;
        drop(state);
        self.moved.notify_all();
    }

    /// Looks at the value, or changes what is not told.
    pub(super) fn with<R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        look(&mut lock(&self.state).value)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock};
    use std::thread;

    use super::*;

    fn count(gauge: &Gauge<usize>, change: isize) {
        gauge.change(|value| {
            *value = value.saturating_add_signed(change);
            Some(*value)
        });
    }

    /// R7.1, R7.2
    #[test]
    fn a_change_during_a_hook_is_told_after_it() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let own: Arc<OnceLock<Arc<Gauge<usize>>>> = Arc::default();
        let (writes, again) = (heard.clone(), own.clone());
        let hook: GaugeHook = Arc::new(move |size| {
            if size == 1 {
                let gauge = again.get().unwrap().clone();
                thread::spawn(move || count(&gauge, -1)).join().unwrap();
            }
            writes.lock().unwrap().push(size);
        });
        let gauge = own.get_or_init(|| Arc::new(Gauge::new(Some(hook))));

        count(gauge, 1);

        assert_eq!(*heard.lock().unwrap(), [1, 0]);
    }

    /// R7.3
    #[test]
    fn a_hook_that_panics_is_called_again() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let writes = heard.clone();
        let hook: GaugeHook = Arc::new(move |size| {
            writes
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .push(size);
            assert_ne!(size, 1, "a hook that panics");
        });
        let gauge = Gauge::new(Some(hook));

        count(&gauge, 1);
        count(&gauge, 1);

        let heard = heard
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        assert_eq!(*heard, [1, 2]);
    }

    /// R7.3
    #[test]
    fn a_slow_hook_holds_up_each_changer_in_turn() {
        let (freed, wait) = std::sync::mpsc::channel::<()>();
        let wait = Mutex::new(wait);
        let hook: GaugeHook = Arc::new(move |_| {
            let _ = wait.lock().unwrap().recv();
        });
        let gauge = Arc::new(Gauge::new(Some(hook)));
        let changing = |changes| {
            let gauge = gauge.clone();
            thread::spawn(move || (0..changes).for_each(|_| count(&gauge, 1)))
        };

        let one = changing(1);
        while gauge.state.lock().unwrap().teller.is_none() {
            thread::yield_now();
        }
        let many = changing(BACKLOG + 1_000);
        while gauge.state.lock().unwrap().waiting == 0 {
            thread::yield_now();
        }
        freed.send(()).unwrap();
        one.join().unwrap();
        let untold = gauge.state.lock().unwrap().untold.len();
        drop(freed);
        many.join().unwrap();

        assert!(untold <= BACKLOG + 1, "{untold}");
        assert_eq!(lock(&gauge.state).untold.len(), 0);
    }
}
