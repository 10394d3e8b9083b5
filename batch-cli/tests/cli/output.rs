//! Standard output that goes away, and what is never said.

use std::io::{BufRead, BufReader, Read};

use crate::world::{World, wait};

#[test]
fn a_reader_that_goes_away_ends_results_quietly() {
    let world = World::with_targets(8);
    let run = world.run(&["--json"], "seq 50000");
    let id = run.summary()["job"].as_str().unwrap().to_owned();
    let mut child = world.command(&["results", &id]).spawn().unwrap();

    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let ended = wait(child);

    assert_eq!(line, "1\n");
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
}

#[test]
fn a_reader_that_goes_away_stops_a_run_quietly() {
    let world = World::with_targets(50);
    let mut child = world.script(&["--quiet"], "seq 50000").spawn().unwrap();

    let mut byte = [0];
    child.stdout.take().unwrap().read_exact(&mut byte).unwrap();
    let ended = wait(child);

    assert_eq!((ended.code, ended.err.as_str()), (Some(130), ""));
    assert_eq!(world.run(&["--quiet"], "seq 50000").code, Some(0));
}

#[test]
fn b47_passwords_in_targets_are_not_said() {
    let world = World::new();
    world.write("list", "http://user:S3cr3t@h/x?key=S3cr3t\n");

    let ended = world.run(&["-v"], "echo \"cannot reach $1\" >&2; exit 1");

    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("http://…@h/x"), "{}", ended.err);
    assert!(!ended.err.contains("user:"), "{}", ended.err);
}

#[test]
fn control_characters_of_targets_do_not_reach_the_terminal() {
    let world = World::new();
    world.write("list", "a\x1b[2Jb\n");

    let ended = world.run(&[], "printf 'x\\033[2J' >&2; exit 1");

    assert_eq!(ended.code, Some(2));
    assert!(!ended.err.contains('\x1b'), "{:?}", ended.err);
}

#[test]
fn an_output_over_the_limit_fails_its_target() {
    let world = World::with_targets(1);

    let ended = world.run(&["--json"], "head -c 70000000 /dev/zero");

    assert_eq!(ended.json()[0]["error"], "result too large");
}
