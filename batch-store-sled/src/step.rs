//! One step: what it changed so far, laid over the tree, and written as one batch.
//!
//! Reads of a step see what it changed before (S1); the tree sees all of it at once or
//! nothing. What is read and changed is in `lookup.rs` and `change.rs`.

use std::collections::BTreeMap;
use std::ops::Bound;

use batch_core::store::StoreResult;
use sled::{Batch, IVec, Tree};

use crate::error::failed;
use crate::keys::Key;
use crate::rows::Value;

/// A step over a tree. Without changes it is a view.
pub(crate) struct Step<'a> {
    tree: &'a Tree,
    /// New values; `None` for keys that are gone.
    changed: BTreeMap<Vec<u8>, Option<IVec>>,
    /// Look-ups, and keys that scans went over.
    #[cfg(test)]
    pub(crate) looked: std::cell::Cell<usize>,
}

impl<'a> Step<'a> {
    pub(crate) fn new(tree: &'a Tree) -> Self {
        Self {
            tree,
            changed: BTreeMap::new(),
            #[cfg(test)]
            looked: std::cell::Cell::default(),
        }
    }

    /// The value of a key.
    pub(crate) fn get<T: Value>(&self, key: &Key) -> StoreResult<Option<T>> {
        let value = self.raw(key)?;
        value.as_deref().map(T::decode).transpose()
    }

    pub(crate) fn raw(&self, key: &Key) -> StoreResult<Option<IVec>> {
        self.count(1);
        match self.changed.get(key.as_bytes()) {
            Some(value) => Ok(value.clone()),
            None => self.tree.get(key.as_bytes()).map_err(failed),
        }
    }

    pub(crate) fn put(&mut self, key: Key, value: &impl Value) {
        self.changed
            .insert(key.into_bytes(), Some(value.encode().into()));
    }

    pub(crate) fn remove(&mut self, key: Key) {
        self.changed.insert(key.into_bytes(), None);
    }

    /// The first keys of a range behind a key of it, with their values, in order.
    pub(crate) fn scan(
        &self,
        range: &Key,
        after: Option<&Key>,
        max: usize,
    ) -> StoreResult<Vec<(IVec, IVec)>> {
        let from = match after {
            Some(key) => Bound::Excluded(key.as_bytes()),
            None => Bound::Included(range.as_bytes()),
        };
        let within = |key: &[u8]| key.starts_with(range.as_bytes());
        let mut kept = self.tree.range::<&[u8], _>((from, Bound::Unbounded));
        let mut own = self
            .changed
            .range::<[u8], _>((from, Bound::Unbounded))
            .take_while(|(key, _)| within(key))
            .peekable();
        let mut next = kept.next().transpose().map_err(failed)?;
        let mut found = Vec::new();
        while found.len() < max {
            let ahead = next.as_ref().filter(|(key, _)| within(key));
            let own_first = match (own.peek(), ahead) {
                (None, None) => break,
                (Some((own, _)), Some((kept, _))) => own.as_slice() <= kept.as_ref(),
                (own, _) => own.is_some(),
            };
            if own_first && let Some((key, value)) = own.next() {
                if ahead.is_some_and(|(kept, _)| kept.as_ref() == key.as_slice()) {
                    next = kept.next().transpose().map_err(failed)?;
                }
                found.extend(value.clone().map(|value| (key.as_slice().into(), value)));
            } else {
                found.extend(next.take());
                next = kept.next().transpose().map_err(failed)?;
            }
            self.count(1);
        }
        Ok(found)
    }

    /// The first values of a range.
    pub(crate) fn values<T: Value>(&self, range: &Key, max: usize) -> StoreResult<Vec<T>> {
        let found = self.scan(range, None, max)?;
        found.iter().map(|(_, value)| T::decode(value)).collect()
    }

    /// Whether a range has a key.
    pub(crate) fn has(&self, range: &Key) -> StoreResult<bool> {
        Ok(!self.scan(range, None, 1)?.is_empty())
    }

    /// All changes in one batch; `None` when there are none.
    pub(crate) fn into_batch(self) -> Option<Batch> {
        let mut batch = Batch::default();
        let changed = !self.changed.is_empty();
        for (key, value) in self.changed {
            match value {
                Some(value) => batch.insert(key, value),
                None => batch.remove(key),
            }
        }
        changed.then_some(batch)
    }

    #[cfg(test)]
    fn count(&self, keys: usize) {
        self.looked.set(self.looked.get() + keys);
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "tests count")]
    fn count(&self, _keys: usize) {}
}

#[cfg(test)]
mod tests;
