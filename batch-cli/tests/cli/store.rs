//! Stores that cannot be used, and the default one.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::world::{World, wait};

#[test]
fn b41_unusable_stores_are_refused_with_69() {
    let world = World::with_targets(1);
    world.write(
        "text.db",
        "not a database, but long enough to be read as one. ".repeat(50),
    );
    fs::create_dir(world.path("folder.db")).unwrap();
    let before = fs::read(world.path("text.db")).unwrap();

    for store in [
        "sqlite:text.db",
        "sqlite:folder.db",
        "sqlite:no/such/place.db",
    ] {
        let ended = world.batchq(&["run", "--store", store, "list", "--", "true"]);
        assert_eq!((ended.code, ended.out.as_str()), (Some(69), ""), "{store}");
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
        assert!(ended.err.starts_with("batchq: "), "{}", ended.err);
    }
    assert_eq!(fs::read(world.path("text.db")).unwrap(), before);
    assert!(!world.path("no").exists());
}

#[test]
fn b41_a_database_of_another_program_is_left_alone() {
    let world = World::with_targets(1);
    let foreign = include_bytes!("foreign.db");
    world.write("foreign.db", foreign);

    let ended = world.batchq(&["run", "--store", "sqlite:foreign.db", "list", "--", "true"]);

    assert_eq!(ended.code, Some(69));
    assert!(
        ended.err.contains("not a store of this program"),
        "{}",
        ended.err
    );
    assert_eq!(fs::read(world.path("foreign.db")).unwrap(), foreign);
}

#[test]
fn a_read_of_a_store_that_is_not_there_makes_nothing() {
    let world = World::new();

    for args in [
        &["list"][..],
        &["show", "x"],
        &["results", "x"],
        &["cancel", "x"],
    ] {
        let ended = world.batchq(args);
        assert_eq!(ended.code, Some(69), "{args:?}");
        assert!(
            ended.err.contains("no store at sqlite:store.db"),
            "{}",
            ended.err
        );
    }
    assert_eq!(fs::read_dir(world.path("")).unwrap().count(), 0);
}

#[test]
fn a_wrong_address_is_answered_with_the_known_ones() {
    let world = World::with_targets(1);

    for store in [
        "redis+cluster://u:S3cr3t@h/0",
        "foo://u:S3cr3t@h",
        "x.db",
        "",
        "sqlite:a?key=S3cr3t",
    ] {
        let mut command = world.bare(&["run", "list", "--", "true"]);
        let ended = wait(command.env("BATCHQ_STORE", store).spawn().unwrap());
        assert_eq!(ended.code, Some(64), "{ended:?}");
        assert!(ended.err.contains("known are"), "{ended:?}");
        assert!(!ended.err.contains("S3cr3t"), "{ended:?}");
    }
}

#[test]
fn the_default_store_is_in_the_users_state_directory() {
    let world = World::with_targets(1);
    let mut command = world.bare(&["run", "list", "--", "echo"]);

    let empty = wait(world.bare(&["list"]).spawn().unwrap());
    let ended = wait(
        command
            .env("XDG_STATE_HOME", world.path("state"))
            .spawn()
            .unwrap(),
    );

    assert_eq!((empty.code, empty.out.as_str()), (Some(0), ""));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let store = world.path("state/batchq/batchq.db");
    assert!(
        ended
            .err
            .contains(&format!("store sqlite:{}", store.display())),
        "{}",
        ended.err
    );
    let mode = fs::metadata(store.parent().unwrap())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_store_in_memory_serves_one_run() {
    let world = World::with_targets(2);

    for store in ["memory:", "sqlite::memory:"] {
        let ended = world.batchq(&["run", "--store", store, "list", "--", "echo"]);
        assert_eq!(
            (ended.code, ended.out.as_str()),
            (Some(0), "t0\nt1\n"),
            "{store}"
        );
    }
}

#[test]
fn what_only_looks_makes_no_store_of_an_empty_place() {
    let world = World::with_targets(1);
    world.write("store.db", "");
    fs::create_dir(world.path("folder")).unwrap();

    for store in ["sqlite:store.db", "sled:folder"] {
        let listed = world.batchq(&["list", "--store", store]);
        let planned = world.batchq(&["run", "--dry-run", "--store", store, "list", "--", "true"]);
        assert_eq!((listed.code, planned.code), (Some(69), Some(0)), "{store}");
        assert!(planned.out.starts_with("new"), "{}", planned.out);
    }
    assert_eq!(world.read("store.db"), "");
    assert_eq!(fs::read_dir(world.path("folder")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(world.path("")).unwrap().count(), 3);
}
