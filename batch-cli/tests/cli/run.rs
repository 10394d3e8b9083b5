//! Runs from beginning to end: results, exit codes, and what a second run does.

use crate::world::World;

const COUNTED: &str = r#"echo "$1" >> runs; echo "out-$1""#;

#[test]
fn results_are_printed_in_order_whatever_runs_at_once() {
    let world = World::with_targets(40);
    let expected: String = (0..40).map(|n| format!("out-t{n}\n")).collect();

    let ended = world.run(&["-j", "8"], COUNTED);

    assert_eq!((ended.code, ended.out), (Some(0), expected));
    assert!(ended.err.contains("40 done, 0 failed"), "{}", ended.err);
}

#[test]
fn a_second_run_prints_what_is_stored_and_runs_nothing() {
    let world = World::with_targets(3);
    let first = world.run(&[], COUNTED);

    let second = world.run(&[], COUNTED);

    assert_eq!((second.code, &second.out), (Some(0), &first.out));
    assert!(second.err.starts_with("batchq: job "), "{}", second.err);
    assert!(
        second
            .err
            .lines()
            .next()
            .unwrap()
            .contains("is done since 2"),
        "{}",
        second.err
    );
    assert_eq!(world.sorted("runs"), ["t0", "t1", "t2"]);
}

#[test]
fn bytes_survive() {
    let world = World::with_targets(1);

    let raw = world.script(&[], r"printf '\377\000\n'").output().unwrap();
    let json = world.run(&["--json"], r"printf '\377\000\n'");

    assert_eq!(raw.stdout, b"\xff\x00\n");
    assert_eq!(json.json()[0]["result"]["content_base64"], "/wAK");
}

#[test]
fn exit_codes_tell_how_it_went() {
    let world = World::with_targets(2);

    assert_eq!(world.run(&[], "exit 0").code, Some(0));
    assert_eq!(world.run(&[], "test $1 = t0").code, Some(1));
    assert_eq!(world.run(&[], "exit 3").code, Some(2));
}

#[test]
fn a_failure_tells_its_status_and_the_end_of_what_was_said() {
    let world = World::with_targets(1);

    let text = world.run(&[], "seq 10000 >&2; echo why >&2; exit 3");
    let json = world.run(&["--json"], "seq 10000 >&2; echo why >&2; exit 3");
    let killed = world.run(&["--json"], "kill -9 $$");

    assert!(
        text.err
            .contains("target 0 failed: t0: exit status 3: why\n"),
        "{}",
        text.err
    );
    let error = json.json()[0]["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("exit status 3: ") && error.ends_with("\nwhy"));
    assert!(error.len() < 5_000);
    assert_eq!(killed.json()[0]["error"], "killed by signal 9");
}

#[test]
fn json_lines_have_their_fields() {
    let world = World::new();
    world.write("list", "{\"url\":\"a\",\"options\":{\"n\":1.0}}\nb\n");

    let ended = world.run(&["--json"], r#"test $1 = a && printf %s "$BATCHQ_OPTIONS""#);

    let lines = ended.json();
    let id = lines[2]["job"].as_str().unwrap();
    assert_eq!((ended.code, id.len()), (Some(1), 32));
    assert_eq!(lines[0]["job"], id);
    assert_eq!(
        (&lines[0]["index"], &lines[1]["index"]),
        (&0.into(), &1.into())
    );
    assert_eq!(
        (&lines[0]["url"], &lines[1]["url"]),
        (&"a".into(), &"b".into())
    );
    assert_eq!(lines[0]["result"]["content"], r#"{"n":1.0}"#);
    assert_eq!(
        (&lines[0]["status"], &lines[1]["status"]),
        (&"done".into(), &"failed".into())
    );
    assert_eq!(
        (&lines[1]["error"], &lines[1]["tries"]),
        (&"exit status 1".into(), &1.into())
    );
    assert!(lines[1]["elapsed_ms"].is_u64());
    assert_eq!(
        lines[2],
        serde_json::json!({
            "job": id, "status": "partial", "reused": false, "targets_total": 2, "targets_done": 2,
            "counts": {"pending": 0, "running": 0, "done": 1, "failed": 1},
        })
    );
}

#[test]
fn the_command_is_told_which_try_it_is() {
    let world = World::with_targets(2);
    let script = r#"echo "$BATCHQ_JOB:$BATCHQ_INDEX" "$BATCHQ_TOKEN" "$BATCHQ_TRY" "$BATCHQ_FENCE"
        test "$BATCHQ_TRY" = 2 || exit 75"#;

    let ended = world.run(&["--json", "--retry-wait", "1ms"], script);

    let lines = ended.json();
    let id = lines[2]["job"].as_str().unwrap();
    assert_eq!(
        lines[1]["result"]["content"],
        format!("{id}:1 {id}:1 2 2\n")
    );
    assert_eq!(lines[1]["tries"], 2);
}

#[test]
fn a_target_that_stays_busy_fails_in_the_end() {
    let world = World::with_targets(1);

    let options = ["--json", "--retry-wait", "1ms", "--retry-for", "20ms"];
    let ended = world.run(&options, "echo full >&2; exit 75");

    assert_eq!(ended.code, Some(2));
    assert_eq!(ended.json()[0]["error"], "exit status 75: full");
}

#[test]
fn a_try_that_takes_too_long_is_killed_with_its_group() {
    let world = World::with_targets(1);
    world.fifo("held");

    // The grandchild holds the fifo open until it is killed.
    let ended = world.run(
        &["--json", "--timeout", "200ms"],
        "exec 3<>held; sleep 1000 & wait",
    );

    assert_eq!(ended.json()[0]["error"], "timed out");
    assert_eq!(ended.code, Some(2));
}

#[test]
fn the_joblog_has_the_columns_of_parallel() {
    let world = World::with_targets(3);

    let ended = world.run(
        &["--joblog", "log"],
        "printf abc; test $1 = t1 && kill $$; exit 0",
    );

    let log = world.read("log");
    let lines: Vec<Vec<_>> = log.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(ended.code, Some(1));
    assert_eq!(
        lines[0].join(" "),
        "Seq Host Starttime JobRuntime Send Receive Exitval Signal Command"
    );
    assert_eq!(lines.len(), 4);
    let columns = |line: &[&str]| line[4..8].join(" ");
    assert_eq!((lines[1][0], lines[3][0]), ("1", "3"));
    assert_eq!(
        (columns(&lines[1]), columns(&lines[2])),
        ("0 3 0 0".into(), "0 3 0 15".into())
    );
    assert!(
        lines[1][8].starts_with("sh -c 'printf abc;"),
        "{}",
        lines[1][8]
    );
    assert!(lines[1][2].parse::<f64>().unwrap() > 1e9);
}

#[test]
fn a_try_that_is_given_up_is_logged_as_killed() {
    let world = World::with_targets(1);

    world.run(
        &["--joblog", "log", "--timeout", "100ms"],
        "exec sleep 1000",
    );

    let log = world.read("log");
    let columns: Vec<_> = log.lines().nth(1).unwrap().split('\t').collect();
    assert_eq!((columns[0], columns[7]), ("1", "9"));
}

#[test]
fn a_job_halts_after_failures_and_goes_on_when_asked_again() {
    let world = World::with_targets(5);
    let script = r#"echo "$1" >> runs; test -e mended || test "$1" = t0"#;

    let halted = world.run(&["--json", "--halt", "fail=2"], script);
    world.write("mended", "");
    let resumed = world.run(&["--json"], script);

    assert_eq!(halted.code, Some(1));
    assert_eq!(halted.summary()["counts"]["pending"], 2);
    assert_eq!((resumed.code, resumed.json().len()), (Some(1), 6));
    assert_eq!(resumed.summary()["job"], halted.summary()["job"]);
    assert_eq!(resumed.summary()["counts"]["done"], 3);
    assert_eq!(world.sorted("runs"), ["t0", "t1", "t2", "t3", "t4"]);
}

#[test]
fn a_dry_run_does_nothing() {
    let world = World::with_targets(2);

    let before = world.run(&["--dry-run", "--joblog", "log"], COUNTED);
    assert!(!world.path("store.db").exists() && !world.path("log").exists());
    world.run(&[], COUNTED);
    let list = world.batchq(&["list", "--json"]).out;
    let after = world.run(&["--dry-run", "--json"], COUNTED);

    assert!(before.out.starts_with("new: 2 targets"), "{}", before.out);
    let told = after.summary();
    assert_eq!(
        (&told["action"], &told["counts"]["done"]),
        (&"complete".into(), &2.into())
    );
    assert_eq!(world.batchq(&["list", "--json"]).out, list);
    assert_eq!(world.sorted("runs"), ["t0", "t1"]);
}

#[test]
fn quiet_says_nothing_but_data() {
    let world = World::with_targets(2);

    let ended = world.run(&["--quiet"], "test $1 = t0 && echo a");

    assert_eq!(
        (ended.code, ended.out.as_str(), ended.err.as_str()),
        (Some(1), "a\n", "")
    );
}

/// R3.2 what the system lacks is no fault of the target.
#[test]
fn targets_wait_for_open_files() {
    let world = World::with_targets(60);
    let batchq = env!("CARGO_BIN_EXE_batchq");
    let few =
        format!("ulimit -n 40; exec {batchq} run --retry-wait 1ms -j 60 list -- sh -c 'sleep 0.1'");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &few]).current_dir(world.path(""));
    shell.env("BATCHQ_STORE", "memory:");

    let ended = shell.output().unwrap();

    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(0), "{said}");
}
