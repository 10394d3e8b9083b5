//! What a step sees, beside what the tree holds (S1).

use super::*;
use crate::keys::{dust, dusts};

fn tree() -> Tree {
    let db = sled::Config::new().temporary(true).open().unwrap();
    let tree = db.open_tree("t").unwrap();
    for number in [1, 3, 5] {
        tree.insert(dust(number).as_bytes(), number.encode())
            .unwrap();
    }
    tree
}

fn numbers(step: &Step<'_>, after: Option<u64>, max: usize) -> Vec<u64> {
    let after = after.map(dust);
    let found = step.scan(&dusts(), after.as_ref(), max).unwrap();
    let values = found.iter().map(|(_, value)| u64::decode(value).unwrap());
    values.collect()
}

/// S1.1
#[test]
fn a_step_sees_its_own_changes_in_order() {
    let tree = tree();
    let mut step = Step::new(&tree);

    step.put(dust(2), &2_u64);
    step.put(dust(3), &30_u64);
    step.remove(dust(5));
    step.put(dust(9), &9_u64);

    assert_eq!(numbers(&step, None, 10), [1, 2, 30, 9]);
    assert_eq!(numbers(&step, Some(2), 1), [30]);
    assert_eq!(numbers(&step, Some(4), 10), [9]);
    assert_eq!(step.get::<u64>(&dust(5)).unwrap(), None);
    assert_eq!(step.get::<u64>(&dust(3)).unwrap(), Some(30));
}

/// S1.1
#[test]
fn the_tree_sees_nothing_before_the_batch_and_then_everything() {
    let tree = tree();
    let mut step = Step::new(&tree);
    step.put(dust(2), &2_u64);
    step.remove(dust(1));

    assert_eq!(numbers(&Step::new(&tree), None, 10), [1, 3, 5]);
    tree.apply_batch(step.into_batch().unwrap()).unwrap();

    assert_eq!(numbers(&Step::new(&tree), None, 10), [2, 3, 5]);
    assert!(Step::new(&tree).into_batch().is_none());
}
