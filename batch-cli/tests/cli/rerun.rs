//! Running failed targets, or all of them, again.

use crate::world::World;

/// Fails for targets named in the file `bad`.
const PICKY: &str = r#"echo "$1" >> runs; grep -qx "$1" bad && exit 1; echo "$BATCHQ_INDEX-$1""#;

#[test]
fn failed_targets_run_again_and_the_results_are_one() {
    let world = World::with_targets(4);
    world.write("bad", "t1\nt3\n");
    let first = world.run(&["--json"], PICKY);
    world.write("bad", "t3\n");

    let second = world.run(&["--retry-failed"], PICKY);
    let third = world.run(&[], PICKY);
    let json = world.run(&["--json"], PICKY);

    assert_eq!(
        (first.code, second.code, third.code),
        (Some(1), Some(1), Some(1))
    );
    assert_eq!(second.out, "0-t0\n1-t1\n2-t2\n");
    assert_eq!(third.out, second.out);
    assert!(third.err.contains("nothing is run"), "{}", third.err);
    assert_eq!(json.summary()["job"], first.summary()["job"]);
    assert_eq!(json.summary()["counts"]["done"], 3);
    assert_eq!(json.json().len(), 5);
    assert_eq!(world.sorted("runs"), ["t0", "t1", "t1", "t2", "t3", "t3"]);
}

#[test]
fn results_and_show_follow_the_reruns() {
    let world = World::with_targets(2);
    world.write("bad", "t1\n");
    let first = world.run(&["--json"], PICKY);
    world.write("bad", "");
    world.run(&["--retry-failed", "--json"], PICKY);
    let id = first.summary()["job"].as_str().unwrap().to_owned();

    let results = world.batchq(&["results", &id]);
    let shown = world.batchq(&["show", "--json", &id]).summary();
    let rerun = shown["newest_rerun"].as_str().unwrap();
    let of_rerun = world.batchq(&["results", "--json", rerun]);

    assert_eq!(
        (results.code, results.out.as_str()),
        (Some(0), "0-t0\n1-t1\n")
    );
    assert_eq!(shown["status"], "partial");
    assert_eq!(of_rerun.json().len(), 1);
    assert_eq!(of_rerun.json()[0]["index"], 1);
    assert_eq!(world.run(&[], PICKY).code, Some(0));
}

#[test]
fn failed_targets_before_a_halt_are_not_forgotten() {
    let world = World::with_targets(4);
    world.write("bad", "t0\nt3\n");
    let halted = world.run(&["--halt", "fail=1"], PICKY);
    let resumed = world.run(&[], PICKY);
    world.write("bad", "");
    let between = world
        .run(&["--dry-run", "--json", "--retry-failed"], PICKY)
        .summary();

    let mended = world.run(&["--retry-failed"], PICKY);

    assert_eq!(
        (halted.code, resumed.code, mended.code),
        (Some(2), Some(1), Some(0))
    );
    assert_eq!(
        (&between["action"], &between["counts"]["failed"]),
        (&"rerun".into(), &2.into())
    );
    assert_eq!(mended.out, "0-t0\n1-t1\n2-t2\n3-t3\n");
    assert_eq!(world.sorted("runs"), ["t0", "t0", "t1", "t2", "t3", "t3"]);
}

#[test]
fn with_nothing_failed_nothing_runs_again() {
    let world = World::with_targets(2);
    world.write("bad", "");
    world.run(&[], PICKY);

    let ended = world.run(&["--retry-failed"], PICKY);

    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "0-t0\n1-t1\n"));
    assert_eq!(world.sorted("runs"), ["t0", "t1"]);
}

#[test]
fn fresh_runs_everything_anew() {
    let world = World::with_targets(2);
    world.write("bad", "");
    let first = world.run(&["--json"], PICKY).summary();

    let fresh = world.run(&["--json", "--fresh"], PICKY).summary();
    let again = world.run(&["--json"], PICKY).summary();

    assert_ne!(fresh["job"], first["job"]);
    assert_eq!(
        (&fresh["reused"], &again["reused"]),
        (&false.into(), &true.into())
    );
    assert_eq!(again["job"], fresh["job"]);
    assert_eq!(world.sorted("runs"), ["t0", "t0", "t1", "t1"]);
}

/// S7
#[test]
fn a_rerun_and_its_job_are_kept_whole_beyond_the_budget() {
    let world = World::with_targets(40);
    world.write("bad", "t1\n");
    world.run(&["--max-bytes", "1"], PICKY);
    world.write("bad", "");

    let again = world.run(&["--max-bytes", "1", "--retry-failed"], PICKY);
    let next = world.run(&["--max-bytes", "1", "--dry-run", "--json"], PICKY);
    let printed = world.run(&["--max-bytes", "1"], PICKY);
    let anew = world.run(&["--max-bytes", "1", "--fresh"], PICKY);
    let jobs = world.batchq(&["list", "--json"]).json();

    let expected: String = (0..40).map(|n| format!("{n}-t{n}\n")).collect();
    for run in [&again, &printed, &anew] {
        assert_eq!((run.code, &run.out), (Some(0), &expected), "{}", run.err);
    }
    assert_eq!(next.summary()["action"], "complete");
    let evicted: Vec<_> = jobs.iter().map(|job| job["evicted"] == true).collect();
    assert_eq!(evicted, [true, true, false]);
}

/// R1.3, R6.4
#[test]
fn every_use_of_a_run_moves_the_lease_of_all_its_jobs() {
    let world = World::with_targets(2);
    world.write("bad", "t1\n");
    let leases = || -> Vec<f64> {
        let jobs = world.batchq(&["list", "--json"]).json();
        jobs.iter()
            .filter_map(|job| job["lease"].as_f64())
            .collect()
    };
    world.run(&[], PICKY);
    let made = leases();
    world.write("bad", "");

    world.run(&["--retry-failed"], PICKY);
    let run_again = leases();
    world.run(&[], PICKY);
    let printed = leases();

    assert!(made[0] < run_again[0], "{made:?} {run_again:?}");
    assert!(run_again[0] < printed[0], "{run_again:?} {printed:?}");
    assert!(run_again[1] < printed[1], "{run_again:?} {printed:?}");
}
