//! `kill -9` in the middle: nothing is lost, and little is done twice.

use std::fs;
use std::io::{BufRead, BufReader};

use rustix::process::Signal;

use crate::world::{World, signal, wait};

#[test]
fn b04_a_killed_run_is_resumed_at_once() {
    let world = World::with_targets(4);
    world.fifo("begun");
    world.fifo("gate");
    let script = r#"echo "$1" >> runs
        if [ "$1" = t1 ] && [ ! -e open ]; then echo begun > begun; read x < gate; fi
        echo "out-$1""#;
    let child = world.script(&[], script).spawn().unwrap();
    assert_eq!(fs::read_to_string(world.path("begun")).unwrap(), "begun\n");
    signal(&child, Signal::KILL);
    wait(child);
    // The orphan ends; the next try does not wait.
    world.write("gate", "x\n");
    world.write("open", "");

    let resumed = world.run(&["--json"], script);

    assert_eq!(resumed.code, Some(0));
    assert_eq!(resumed.json().len(), 5);
    assert_eq!(resumed.summary()["counts"]["done"], 4);
    assert_eq!(world.sorted("runs"), ["t0", "t1", "t1", "t2", "t3"]);
}

/// Kills in one test, unless the environment asks for more.
const KILLS: usize = 20;
/// The most commands that are awaited before a kill.
const AWAITED: usize = 8;

#[test]
fn b04_random_kills_lose_nothing() {
    let asked = std::env::var_os("BATCHQ_TEST_KILLS");
    let kills = asked.map_or(KILLS, |kills| kills.to_str().unwrap().parse().unwrap());
    let targets = kills * AWAITED + 40;
    let world = World::with_targets(targets);
    world.fifo("ticks");
    let mut ticks = BufReader::new(world.hold("ticks"));
    let script = r#"echo "$1" >> runs; echo > ticks; echo "out-$1""#;

    let mut random = u64::from(std::process::id());
    for _ in 0..kills {
        let child = world.script(&[], script).spawn().unwrap();
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let awaited = 1 + usize::try_from(random >> 33).unwrap() % AWAITED;
        for _ in 0..awaited {
            ticks.read_line(&mut String::new()).unwrap();
        }
        signal(&child, Signal::KILL);
        wait(child);
    }
    let ended = world.run(&[], script);

    let expected: String = (0..targets).map(|n| format!("out-t{n}\n")).collect();
    assert_eq!(
        (ended.code, ended.out == expected),
        (Some(0), true),
        "{}",
        ended.err
    );
    let runs = world.read("runs").lines().count();
    assert!(
        (targets..=targets + kills).contains(&runs),
        "{runs} runs of {targets}"
    );
    let jobs = world.batchq(&["list", "--json"]).json();
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0]["counts"]["done"], targets);
}
