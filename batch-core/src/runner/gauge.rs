//! One gauge: a value whose changes are told in their order, with no lock held (R7).
//!
//! What is counted is in `gauges.rs`.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use super::gauges::quietly;
use super::shared::lock;
use crate::hooks::GaugeHook;

/// A value, and the hook that follows it.
pub(super) struct Gauge<T> {
    state: Mutex<State<T>>,
    hook: Option<GaugeHook>,
}

struct State<T> {
    value: T,
    untold: VecDeque<usize>,
    telling: bool,
    closed: bool,
    /// The last size, told or about to be told.
    last: usize,
}

impl<T: Default> Gauge<T> {
    pub(super) fn new(hook: Option<GaugeHook>) -> Self {
        let state = State {
            value: T::default(),
            untold: VecDeque::new(),
            telling: false,
            closed: false,
            last: 0,
        };
        Self {
            state: Mutex::new(state),
            hook,
        }
    }

    /// Changes the value, and tells the size that `change` answers, if any.
    ///
    /// Whoever changes it while another tells leaves the telling to that one: the last
    /// thing told is the last thing that was true.
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

    fn tell(&self, mut state: MutexGuard<'_, State<T>>, size: usize) {
        let Some(hook) = &self.hook else {
            return;
        };
        state.untold.push_back(size);
        if std::mem::replace(&mut state.telling, true) {
            return;
        }
        drop(state);
        while let Some(size) = self.next_untold() {
            quietly(|| hook(size));
        }
    }

    /// Looks at the value, or changes what is not told.
    pub(super) fn with<R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        look(&mut lock(&self.state).value)
    }

    fn next_untold(&self) -> Option<usize> {
        let mut state = lock(&self.state);
        let next = state.untold.pop_front();
        state.telling = next.is_some();
        next
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
}
