//! Ctrl-C, a second one, and a second terminal.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::process::Signal;

use crate::world::{World, hear, signal, wait, wait_heard};

/// `t1` tells that it has begun, and waits at the gate.
const GATED: &str = r#"echo "$1" >> runs
    if [ "$1" = t1 ] && [ ! -e open ]; then echo begun > begun; read x < gate; fi
    echo "out-$1""#;

fn gated(targets: usize) -> World {
    let world = World::with_targets(targets);
    world.fifo("begun");
    world.fifo("gate");
    world
}

fn await_begun(world: &World) {
    assert_eq!(fs::read_to_string(world.path("begun")).unwrap(), "begun\n");
}

#[test]
fn a_signal_lets_what_is_in_flight_finish_and_the_rest_resume() {
    for kind in [Signal::INT, Signal::TERM, Signal::HUP] {
        let world = gated(4);
        let mut child = world.script(&[], GATED).spawn().unwrap();
        await_begun(&world);
        signal(&child, kind);
        let err = hear(&mut child, "stopping");
        world.write("gate", "x\n");

        let stopped = wait_heard(child, err);
        let resumed = world.run(&[], GATED);

        assert_eq!(
            (stopped.code, stopped.out.as_str()),
            (Some(130), "out-t0\nout-t1\n")
        );
        assert!(
            stopped.err.contains("give the same command again"),
            "{}",
            stopped.err
        );
        assert_eq!(resumed.code, Some(0));
        assert_eq!(resumed.out, "out-t0\nout-t1\nout-t2\nout-t3\n");
        assert!(resumed.err.contains("going on with job"), "{}", resumed.err);
        assert_eq!(world.sorted("runs"), ["t0", "t1", "t2", "t3"]);
    }
}

#[test]
fn a_second_signal_kills_what_is_in_flight() {
    let world = gated(3);
    let mut child = world.script(&["--json"], GATED).spawn().unwrap();
    await_begun(&world);
    signal(&child, Signal::INT);
    let err = hear(&mut child, "stopping");
    signal(&child, Signal::INT);

    let stopped = wait_heard(child, err);
    world.write("open", "");
    let resumed = world.run(&["--json"], GATED);

    assert_eq!(stopped.code, Some(130));
    let counts = &stopped.summary()["counts"];
    assert_eq!((&counts["done"], &counts["failed"]), (&1.into(), &0.into()));
    assert_eq!(resumed.code, Some(0));
    assert_eq!(resumed.summary()["reused"], true);
    assert_eq!(world.sorted("runs"), ["t0", "t1", "t1", "t2"]);
}

#[test]
fn b26_an_ignored_signal_stays_ignored() {
    let world = gated(2);
    let batchq = env!("CARGO_BIN_EXE_batchq");
    let mut command = Command::new("sh");
    let script = format!("trap '' HUP; exec {batchq} run list -- sh -c '{GATED}' sh");
    command.args(["-c", &script]).current_dir(world.path(""));
    command.env("BATCHQ_STORE", "sqlite:store.db");
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    await_begun(&world);

    signal(&child, Signal::HUP);
    world.write("gate", "x\n");

    assert_eq!(wait(child).out, "out-t0\nout-t1\n");
}

#[test]
fn a_cancelled_job_says_so_and_goes_on_when_asked_again() {
    let world = gated(3);
    let child = world.script(&["--json"], GATED).spawn().unwrap();
    await_begun(&world);
    let id = world.batchq(&["list", "--json"]).summary()["id"]
        .as_str()
        .unwrap()
        .to_owned();

    let cancel = world.batchq(&["cancel", &id]);
    world.write("gate", "x\n");
    let cancelled = wait(child);
    let resumed = world.run(&["--json"], GATED);

    assert_eq!(
        (cancel.code, cancelled.code, resumed.code),
        (Some(0), Some(3), Some(0))
    );
    assert_eq!(cancelled.summary()["status"], "cancelled");
    assert_eq!(cancelled.summary()["counts"]["pending"], 1);
    assert_eq!(resumed.summary()["job"], id.as_str());
    assert_eq!(world.sorted("runs"), ["t0", "t1", "t2"]);
}

#[test]
fn a_second_terminal_helps_with_the_same_job() {
    let world = World::with_targets(6);
    world.fifo("begun");
    world.fifo("gate-t0");
    world.fifo("gate-t1");
    let script = r#"echo "$PPID" >> runs
        case $1 in t0|t1) echo begun > begun; read x < "gate-$1";; esac
        echo "out-$1""#;
    // The first holds t0 and t1 and takes nothing more; the second does the rest.
    let mut first = world.script(&["-j", "2"], script).spawn().unwrap();
    world.hold("begun").read_exact(&mut [0; 12]).unwrap();
    signal(&first, Signal::INT);
    let first_err = hear(&mut first, "stopping");
    let mut second = world.script(&["-j", "2"], script).spawn().unwrap();
    let second_id = second.id().to_string();
    let second_err = hear(&mut second, "going on with job");
    world.write("gate-t1", "x\n");
    world.write("gate-t0", "x\n");

    let second = wait_heard(second, second_err);
    let first = wait_heard(first, first_err);

    assert_eq!(second.code, Some(0));
    assert_eq!(
        second.out,
        "out-t0\nout-t1\nout-t2\nout-t3\nout-t4\nout-t5\n"
    );
    assert!(matches!(first.code, Some(0 | 130)), "{first:?}");
    assert_eq!(world.count("runs", &second_id), 4);
    assert_eq!(world.read("runs").lines().count(), 6);
}

#[test]
fn a_live_job_keeps_its_settings_and_says_so() {
    let world = gated(3);
    let first = world.script(&[], GATED).spawn().unwrap();
    await_begun(&world);

    let mut second = world
        .script(&["-j", "3", "--halt", "fail=1"], GATED)
        .spawn()
        .unwrap();
    let err = hear(&mut second, "keeps its --halt never");
    world.write("gate", "x\n");

    assert_eq!(wait_heard(second, err).code, Some(0));
    assert_eq!(wait(first).code, Some(0));
}
