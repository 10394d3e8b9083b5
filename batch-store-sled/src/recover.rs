//! What follows from other rows is checked when a store is opened, and made anew where
//! it disagrees.
//!
//! Batches keep both together; only damage, or a bug of a release before, parts them.
//! Jobs, starts and stages are looked at, not the targets and outcomes of jobs, so that
//! opening takes as long as there are jobs.

use std::collections::BTreeMap;

use batch_core::decide::row::{JobRow, KindRow, OpenRow, StageRow};
use batch_core::store::StoreResult;
use sled::{Batch, IVec, Tree};

use crate::change::{derived_of_job, derived_of_open, derived_of_stage};
use crate::error::{failed, unknown};
use crate::keys::{self, DERIVED, Key};
use crate::rows::Value;

/// Makes every derived key agree with its row; how many did not.
pub(crate) fn recover(tree: &Tree) -> StoreResult<usize> {
    let mut missing = expected(tree)?;
    let mut batch = Batch::default();
    let mut wrong = 0;
    for letter in DERIVED {
        for entry in tree.scan_prefix([*letter]) {
            let (key, value) = entry.map_err(failed)?;
            match missing.remove(key.as_ref()) {
                Some(right) if right == value.as_ref() => {}
                Some(right) => {
                    batch.insert(key, right);
                    wrong += 1;
                }
                None => {
                    batch.remove(key);
                    wrong += 1;
                }
            }
        }
    }
    wrong += missing.len();
    for (key, value) in missing {
        batch.insert(key, value);
    }
    if wrong > 0 {
        tracing::warn!(keys = wrong, "what follows from other rows was made anew");
        tree.apply_batch(batch).map_err(unknown)?;
    }
    Ok(wrong)
}

/// Every derived key and its value.
fn expected(tree: &Tree) -> StoreResult<BTreeMap<Vec<u8>, Vec<u8>>> {
    let mut expected = BTreeMap::new();
    let mut expect = |key: Key, value: Vec<u8>| {
        expected.insert(key.into_bytes(), value);
    };
    each(tree, &keys::jobs(), |job: JobRow| {
        for key in derived_of_job(&job) {
            expect(key, job.seq.encode());
        }
    })?;
    each(tree, &keys::opens(), |open: OpenRow| {
        if let Some(key) = derived_of_open(&open) {
            expect(key, (open.rows, open.index).encode());
        }
    })?;
    each(tree, &keys::stages(), |stage: StageRow| {
        for key in derived_of_stage(&stage) {
            expect(key, stage.id.as_str().to_owned().encode());
        }
    })?;
    each(tree, &keys::kinds(), |kind: KindRow| {
        if kind.is_empty() {
            let name = kind.name.as_str().to_owned();
            expect(keys::empty_kind(&kind.name), name.encode());
        }
    })?;
    Ok(expected)
}

/// Reads every row of a table.
fn each<T: Value>(tree: &Tree, table: &Key, mut act: impl FnMut(T)) -> StoreResult<()> {
    for entry in tree.scan_prefix(table.as_bytes()) {
        let (_, value): (IVec, IVec) = entry.map_err(failed)?;
        act(T::decode(&value)?);
    }
    Ok(())
}
