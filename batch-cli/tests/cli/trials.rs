//! Trials from public bug reports that concern the command as a whole.
//!
//! Others stand where their subject is: kills in `kill.rs`, stores in `store.rs`,
//! lists and settings in `input.rs`.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;

use crate::world::{Ended, World, hear, signal, wait, wait_heard};

const COUNTED: &str = r#"echo "$1" >> runs; echo "out-$1""#;

fn job_of(ended: &Ended) -> String {
    ended.summary()["job"].as_str().unwrap().to_owned()
}

fn show(world: &World, id: &str) -> Value {
    world.batchq(&["show", "--json", id]).summary()
}

#[test]
fn b08_identical_runs_at_once_make_one_job() {
    let world = World::with_targets(12);
    let children: Vec<_> = (0..4)
        .map(|_| world.script(&[], COUNTED).spawn().unwrap())
        .collect();

    let ended: Vec<_> = children.into_iter().map(wait).collect();

    let expected: String = (0..12).map(|n| format!("out-t{n}\n")).collect();
    for one in &ended {
        assert_eq!((one.code, &one.out), (Some(0), &expected), "{}", one.err);
    }
    assert_eq!(world.read("runs").lines().count(), 12);
    assert_eq!(world.batchq(&["list", "--json"]).json().len(), 1);
}

#[test]
fn b13_a_cancel_is_seen_at_once_and_stays() {
    let world = World::with_targets(4);
    world.fifo("begun");
    world.fifo("gate");
    let script = r#"if [ "$1" = t1 ]; then echo begun > begun; read x < gate; fi; echo "out-$1""#;
    let child = world.script(&["--json"], script).spawn().unwrap();
    assert_eq!(fs::read_to_string(world.path("begun")).unwrap(), "begun\n");
    let id = world.batchq(&["list", "--json"]).summary()["id"].clone();
    let id = id.as_str().unwrap();

    let cancel = world.batchq(&["cancel", id]);
    let at_once = show(&world, id);
    world.write("gate", "x\n");
    let ended = wait(child);
    let after = show(&world, id);

    assert_eq!((cancel.code, ended.code), (Some(0), Some(3)));
    assert_eq!(at_once["status"], "cancelled");
    assert_eq!(at_once["counts"]["running"], 1);
    assert_eq!(after["status"], "cancelled");
    assert_eq!(after["finished_at"], at_once["finished_at"]);
    assert_eq!(
        (&after["counts"]["done"], &after["counts"]["pending"]),
        (&2.into(), &2.into())
    );
    let results = world.batchq(&["results", "--json", id]).json();
    assert_eq!(results[1]["result"]["content"], "out-t1\n");
    assert_eq!(results[2]["status"], "pending");
}

#[test]
fn b14_every_ending_stays_what_it_is() {
    for (script, status) in [
        ("exit 0", "done"),
        ("exit 1", "failed"),
        ("test $1 = t0", "partial"),
    ] {
        let world = World::with_targets(2);
        let id = job_of(&world.run(&["--json"], script));
        let before = show(&world, &id);

        for _ in 0..2 {
            let ended = world.batchq(&["cancel", "--json", &id]);
            assert_eq!(ended.code, Some(1), "{ended:?}");
            assert!(
                ended.err.contains(&format!("it is already {status}")),
                "{ended:?}"
            );
            assert_eq!(ended.summary()["cancelled"], false);
        }

        assert_eq!(before["status"], status);
        assert_eq!(show(&world, &id), before);
    }
}

#[test]
fn b26_a_run_that_only_waits_to_try_again_stops_at_once() {
    let world = World::with_targets(1);
    world.fifo("begun");
    let script = "echo begun > begun; exit 75";
    let options = ["--json", "--retry-wait", "1h", "--retry-for", "9h"];
    let mut child = world.script(&options, script).spawn().unwrap();
    assert_eq!(fs::read_to_string(world.path("begun")).unwrap(), "begun\n");

    signal(&child, Signal::TERM);
    let err = hear(&mut child, "stopping");
    let ended = wait_heard(child, err);

    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert_eq!(ended.summary()["counts"]["pending"], 1);
}

#[test]
fn b26_a_command_that_ignores_signals_does_not_outlive_the_second() {
    let world = World::with_targets(2);
    world.fifo("begun");
    world.fifo("gate");
    let script = "trap '' INT TERM HUP; echo begun > begun; read x < gate";
    let mut child = world.script(&["--json"], script).spawn().unwrap();
    assert_eq!(fs::read_to_string(world.path("begun")).unwrap(), "begun\n");

    signal(&child, Signal::TERM);
    let err = hear(&mut child, "stopping");
    signal(&child, Signal::TERM);
    let ended = wait_heard(child, err);

    assert_eq!(ended.code, Some(130), "{ended:?}");
    // On a busy machine the start may not have been given back yet.
    let counts = ended.summary()["counts"].clone();
    let left = counts["pending"].as_u64().unwrap() + counts["running"].as_u64().unwrap();
    assert_eq!((left, &counts["failed"]), (2, &0.into()), "{counts}");
}

#[test]
fn b29_jobs_are_listed_in_the_order_of_their_submits() {
    let world = World::with_targets(1);
    let callers = ["9", "10", "11", "100", "b", "a", "B", "255", "256"];

    let made = callers.map(|caller| job_of(&world.run(&["--json", "--caller", caller], "exit 0")));

    let listed = world.batchq(&["list", "--json"]).json();
    let ids: Vec<_> = listed
        .iter()
        .map(|job| job["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, made);
}

#[test]
fn b35_numbers_in_options_reach_the_command_digit_for_digit() {
    let world = World::new();
    let options = concat!(
        r#"{"__proto__":1,"a":130775545883395173,"b":9007199254740993,"c":18446744073709551615,"#,
        r#""d":-9223372036854775808,"e":1e400,"f":0.1,"g":-0.0,"h":[],"i":{},"j":null,"#,
        r#""k":[null],"l":"1e5"}"#
    );
    world.write("list", format!("{{\"url\":\"u\",\"options\":{options}}}\n"));

    let ended = world.run(&[], r#"printf %s "$BATCHQ_OPTIONS""#);

    assert_eq!((ended.code, ended.out.as_str()), (Some(0), options));
}

#[test]
fn b41_a_store_of_a_newer_schema_is_left_alone() {
    let world = World::with_targets(1);
    world.run(&[], "exit 0");
    // Where SQLite keeps the number that a program gives its schema.
    let mut bytes = fs::read(world.path("store.db")).unwrap();
    bytes[60..64].copy_from_slice(&2_000_u32.to_be_bytes());
    world.write("store.db", &bytes);

    for args in [&["run", "list", "--", "true"][..], &["list"]] {
        let ended = world.batchq(args);
        assert_eq!(ended.code, Some(69), "{ended:?}");
        assert!(ended.err.contains("schema 2.0"), "{ended:?}");
    }

    assert_eq!(fs::read(world.path("store.db")).unwrap(), bytes);
}

#[test]
fn b46_callers_are_never_syntax() {
    let world = World::with_targets(1);
    let callers = [
        "a",
        "a:b",
        "*",
        "?",
        "[ab]",
        "a*",
        "{x}",
        "%",
        "_",
        "'; DROP TABLE job;--",
        "\"",
        "\\",
        "../x",
        "a/b",
        "\n",
        "__total__",
        "",
        " ",
    ];
    let made: Vec<_> = callers
        .iter()
        .map(|caller| job_of(&world.run(&["--json", "--caller", caller], "exit 0")))
        .collect();

    for (caller, id) in callers.iter().zip(&made) {
        let listed = world.batchq(&["list", "--json", "--caller", caller]).json();
        assert_eq!(listed.len(), 1, "{caller:?}");
        assert_eq!(
            (&listed[0]["id"], &listed[0]["caller"]),
            (&id.as_str().into(), &(*caller).into())
        );
    }
}

#[test]
fn b50_reading_leaves_the_file_as_it_was() {
    let world = World::with_targets(3);
    let id = job_of(&world.run(&["--json"], "test $1 != t1"));
    let before = fs::read(world.path("store.db")).unwrap();

    for args in [
        &["list"][..],
        &["list", "--json", "--status", "done"],
        &["show", &id],
        &["results", "--json", &id],
        &["show", "nobody"],
        &["run", "--dry-run", "list", "--", "true"],
    ] {
        world.batchq(args);
    }

    assert_eq!(fs::read(world.path("store.db")).unwrap(), before);
}
