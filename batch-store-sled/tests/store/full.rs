//! A disk that takes no more: what was acknowledged stays, and nothing panics (B40).
//!
//! The limit on the size of a file stands for the disk: anybody may set it.

use std::process::{Command, Stdio};

use batch_core::store::error::StoreErrorKind;
use batch_store_sled::{Options, SledStore};
use batch_testkit::calls;

use crate::child::child;

/// Blocks of 512 bytes that a file of the child may have.
const LIMIT: &str = "trap '' XFSZ; ulimit -f 8192; exec \"$@\"";

/// S1.1, S10.1, S12.2, B40
#[tokio::test]
async fn b40_a_full_disk_loses_nothing_that_was_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let inner = child("fill", &path);
    let mut limited = Command::new("sh");
    limited.args(["-c", LIMIT, "sh"]).arg(inner.get_program());
    limited.args(inner.get_args());
    for (name, value) in inner.get_envs() {
        limited.env(name, value.unwrap());
    }

    let ended = limited.stdin(Stdio::null()).output().unwrap();

    let told = String::from_utf8(ended.stdout).unwrap();
    let said = |word| told.lines().filter_map(move |line| line.split_once(word));
    let refusals: Vec<_> = said("refused ").map(|(_, kind)| kind).collect();
    let known = [StoreErrorKind::Unknown, StoreErrorKind::Full].map(StoreErrorKind::as_str);
    assert!(!refusals.is_empty(), "the disk was never full");
    assert!(refusals.iter().all(|kind| known.contains(kind)), "{told}");
    let store = SledStore::open(&path, Options::default()).await.unwrap();
    for (_, id) in said("kept ") {
        let job = calls::job(&store, id).await.unwrap();
        assert_eq!(job.counts.pending, 100, "{id}");
    }
    let (found, kept) = (calls::stats(&store).await.live, said("kept ").count());
    assert!((kept..=kept + refusals.len()).contains(&usize::try_from(found).unwrap()));
}
