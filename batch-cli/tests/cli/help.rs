//! The help texts, word for word.

use crate::world::World;

fn help(args: &[&str]) -> String {
    let ended = World::new().bare(args).output().unwrap();
    assert!(ended.status.success());
    String::from_utf8(ended.stdout).unwrap()
}

#[test]
fn help_of_the_program() {
    insta::assert_snapshot!(help(&["--help"]));
}

#[test]
fn help_of_run() {
    insta::assert_snapshot!(help(&["run", "--help"]));
}

#[test]
fn help_of_list() {
    insta::assert_snapshot!(help(&["list", "--help"]));
}

#[test]
fn help_of_show() {
    insta::assert_snapshot!(help(&["show", "--help"]));
}

#[test]
fn help_of_results() {
    insta::assert_snapshot!(help(&["results", "--help"]));
}

#[test]
fn help_of_cancel() {
    insta::assert_snapshot!(help(&["cancel", "--help"]));
}

#[test]
fn b47_help_does_not_show_the_store() {
    let world = World::new();
    let mut command = world.bare(&["run", "--help"]);
    command.env("BATCHQ_STORE", "redis://user:S3cr3t@host/0");

    let ended = command.output().unwrap();

    assert!(!String::from_utf8(ended.stdout).unwrap().contains("S3cr3t"));
}
