//! Which runs are the same job, and what is told of jobs.

use crate::world::World;

fn job_of(world: &World, args: &[&str]) -> String {
    let ended = world.batchq(args);
    ended.summary()["job"].as_str().unwrap().to_owned()
}

#[test]
fn b46_caller_list_and_command_make_the_job() {
    let world = World::with_targets(2);
    world.write(
        "spelled",
        "\u{feff}t0\r\n\r\n{\"options\":{},\"url\":\"t1\"}",
    );
    world.write("other", "t0\nt2\n");

    let base = job_of(&world, &["run", "--json", "list", "--", "echo"]);

    assert_eq!(
        job_of(&world, &["run", "--json", "spelled", "--", "echo"]),
        base
    );
    assert_eq!(
        job_of(&world, &["run", "--json", "-j", "4", "list", "--", "echo"]),
        base
    );
    for other in [
        &["run", "--json", "other", "--", "echo"][..],
        &["run", "--json", "list", "--", "echo", "-n"],
        &["run", "--json", "--caller", "ann ", "list", "--", "echo"],
        &["run", "--json", "--caller", "", "list", "--", "echo"],
    ] {
        assert_ne!(job_of(&world, other), base, "{other:?}");
    }
}

#[test]
fn show_tells_the_command() {
    let world = World::with_targets(2);
    let id = job_of(&world, &["run", "--json", "list", "--", "echo", "a b"]);

    let shown = world.batchq(&["show", "--json", &id]).summary();
    let text = world.batchq(&["show", &id]);

    assert_eq!(shown["command"], serde_json::json!(["echo", "a b"]));
    assert_eq!(
        (&shown["caller"], &shown["class"]),
        (&"ann".into(), &"".into())
    );
    assert_eq!(
        (&shown["targets_total"], &shown["targets_done"]),
        (&2.into(), &2.into())
    );
    assert!(shown["created_at"].as_f64().unwrap() > 1e9);
    assert!(shown["newest_rerun"].is_null() && shown["error"].is_null());
    assert!(text.out.contains("command    echo a b\n"), "{}", text.out);
}

#[test]
fn list_filters_and_leaves_the_command_out() {
    let world = World::with_targets(1);
    let done = job_of(
        &world,
        &["run", "--json", "--caller", "a*", "list", "--", "true"],
    );
    let failed = job_of(
        &world,
        &["run", "--json", "--caller", "a", "list", "--", "false"],
    );

    let ids = |args: &[&str]| -> Vec<String> {
        let ended = world.batchq(args);
        ended
            .json()
            .iter()
            .map(|job| job["id"].as_str().unwrap().to_owned())
            .collect()
    };

    assert_eq!(ids(&["list", "--json"]), [done.clone(), failed.clone()]);
    assert_eq!(ids(&["list", "--json", "--caller", "a*"]), [done]);
    assert_eq!(ids(&["list", "--json", "--status", "failed"]), [failed]);
    assert!(!world.batchq(&["list", "--json"]).out.contains("command"));
    assert_eq!(world.batchq(&["list"]).out.lines().count(), 3);
}

#[test]
fn b14_what_has_ended_is_not_cancelled() {
    let world = World::with_targets(1);
    let id = job_of(&world, &["run", "--json", "list", "--", "true"]);

    let ended = world.batchq(&["cancel", "--json", &id]);

    assert_eq!(ended.code, Some(1));
    assert!(
        ended.err.contains("is not cancelled: it is already done"),
        "{}",
        ended.err
    );
    assert_eq!(ended.summary()["cancelled"], false);
    assert_eq!(
        world.batchq(&["show", "--json", &id]).summary()["status"],
        "done"
    );
}
