//! S10: with `Durability::Power` every acknowledged write was synced before.

use std::path::Path;

use crate::child::watched;

/// The system calls that matter, in order: `sync` or what the child said.
fn events(role: &str, dir: &Path) -> Vec<String> {
    let trace = dir.join("trace");
    let out = trace.to_str().unwrap();
    let args = ["-f", "-qq", "-o", out, "-e", "trace=fsync,fdatasync,write"];
    let output = watched("strace", &args, role, &dir.join("store.db"))
        .output()
        .expect("strace is needed to watch the system calls of a child");
    assert!(output.status.success());
    let lines = std::fs::read_to_string(trace).unwrap();
    lines.lines().filter_map(event).collect()
}

fn event(line: &str) -> Option<String> {
    if line.contains("fsync(") || line.contains("fdatasync(") {
        return Some("sync".to_owned());
    }
    let said = line.split("write(1, \"").nth(1)?;
    Some(said.split("\\n").next()?.to_owned())
}

#[test]
fn every_acknowledged_write_was_synced_before() {
    let dir = tempfile::tempdir().unwrap();

    let events = events("submit one by one", dir.path());

    for number in 0..5 {
        let told = |event: &String| event.ends_with(&format!("acknowledged {number}"));
        let at = events.iter().position(told).unwrap();
        assert_eq!(events.get(at - 1).map(String::as_str), Some("sync"));
    }
}

#[test]
fn writes_that_wait_together_share_a_sync() {
    let dir = tempfile::tempdir().unwrap();

    let events = events("submit together", dir.path());

    let begin = events.iter().position(|event| event.ends_with("begin"));
    let end = events.iter().position(|event| event == "end");
    let syncs = end.unwrap() - begin.unwrap() - 1;
    assert!((1..60).contains(&syncs), "200 writes took {syncs} syncs");
}
