//! The same run on stores other than the default one.

use std::io::{BufRead, BufReader};

use batch_testkit::redis_server::RedisServer;
use rustix::process::Signal;

use crate::world::{Ended, World, signal, wait};

/// Kills a run at its third target, gives the same command again, and reads what is kept.
fn killed_and_resumed(world: &World, store: &str) -> Ended {
    world.fifo("ticks");
    let mut ticks = BufReader::new(world.hold("ticks"));
    let script = r#"echo "$1" >> runs; echo > ticks; echo "out-$1""#;
    let run = || {
        let mut command = world.script(&[], script);
        command.env("BATCHQ_STORE", store);
        command.spawn().unwrap()
    };
    let killed = run();
    for _target in 0..3 {
        ticks.read_line(&mut String::new()).unwrap();
    }
    signal(&killed, Signal::KILL);
    wait(killed);

    let ended = wait(run());

    let expected: String = (0..40).map(|n| format!("out-t{n}\n")).collect();
    assert_eq!(
        (ended.code, &ended.out),
        (Some(0), &expected),
        "{}",
        ended.err
    );
    let runs = world.read("runs").lines().count();
    assert!((40..=41).contains(&runs), "{runs} runs of 40 targets");
    let mut list = world.command(&["list", "--json"]);
    wait(list.env("BATCHQ_STORE", store).spawn().unwrap())
}

/// B04, S10.1
#[test]
fn b04_a_killed_run_on_sled_is_resumed() {
    let world = World::with_targets(40);

    let listed = killed_and_resumed(&world, "sled:store");

    assert_eq!(listed.json().len(), 1);
    assert_eq!(listed.json()[0]["counts"]["done"], 40);
}

/// B04, S10.1
#[test]
fn b04_a_killed_run_on_redis_is_resumed() {
    let world = World::with_targets(40);
    let server = RedisServer::start().unwrap();

    let listed = killed_and_resumed(&world, &format!("{}?prefix=cli", server.url()));

    assert_eq!(listed.json().len(), 1);
    assert_eq!(listed.json()[0]["counts"]["done"], 40);
}

/// S11.1, B47, R8.5
#[test]
fn b47_a_server_that_is_not_there_is_told_without_its_password() {
    let world = World::with_targets(1);
    let mut run = world.script(&[], "true");

    let refused = run.env("BATCHQ_STORE", "redis://u:S3cr3t@127.0.0.1:1/");
    let refused = wait(refused.spawn().unwrap());

    assert_eq!((refused.code, refused.out.as_str()), (Some(69), ""));
    assert!(
        refused.err.contains("127.0.0.1:1") && refused.err.contains("cannot be reached"),
        "{}",
        refused.err
    );
    assert!(!refused.err.contains("S3cr3t"), "{}", refused.err);
}

/// S11.1, B41
#[test]
fn b41_a_sled_store_in_use_is_refused_with_69() {
    let world = World::with_targets(1);
    for fifo in ["ticks", "gate"] {
        world.fifo(fifo);
    }
    let mut ticks = BufReader::new(world.hold("ticks"));
    let _gate = world.hold("gate");
    let mut run = world.script(&[], "echo > ticks; read line < gate");
    let first = run.env("BATCHQ_STORE", "sled:store").spawn().unwrap();
    ticks.read_line(&mut String::new()).unwrap();

    let refusals = [
        &["list"][..],
        &["show", "a-job"],
        &["results", "a-job"],
        &["cancel", "a-job"],
    ]
    .map(|words| {
        let mut beside = world.command(words);
        wait(beside.env("BATCHQ_STORE", "sled:store").spawn().unwrap())
    });

    for refused in refusals {
        assert_eq!((refused.code, refused.out.as_str()), (Some(69), ""));
        assert!(
            refused.err.contains("already in use by another process"),
            "{}",
            refused.err
        );
    }
    signal(&first, Signal::KILL);
    wait(first);
}
