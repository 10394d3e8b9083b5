//! What is wrong with a command line or a list is said before anything is stored.

use crate::world::{Ended, World, wait};

fn refused(ended: &Ended, code: i32, said: &str) {
    assert_eq!(ended.code, Some(code), "{ended:?}");
    assert!(ended.err.contains(said), "{ended:?}");
    assert!(!ended.err.contains("panicked"), "{ended:?}");
    assert_eq!(ended.out, "");
}

fn with_list(bytes: &[u8]) -> (World, Ended) {
    let world = World::new();
    world.write("list", bytes);
    let ended = world.run(&[], "echo $1 >> runs");
    assert_eq!(world.read("runs"), "");
    (world, ended)
}

#[test]
fn b34_a_line_that_is_no_text_is_named() {
    let (world, ended) = with_list(b"a\n\nb\n\xc3\x28\n");

    refused(&ended, 65, "line 4 of the list: not UTF-8");
    assert!(!world.path("store.db").exists());
}

#[test]
fn b34_bytes_and_escapes_that_are_no_text_store_nothing() {
    for line in [
        &b"\xed\xa0\x80"[..],
        b"\xff\xfe",
        b"a\x80",
        br#"{"url":"\ud800"}"#,
        br#"{"url":"\udc00\ud800"}"#,
        br#"{"url":"u","options":{"a":"\ud800"}}"#,
        br#"{"url":"u","options":{"\udc00":1}}"#,
    ] {
        let (world, ended) = with_list(&[b"a\n", line, b"\nb\n"].concat());
        refused(&ended, 65, "line 2 of the list");
        assert!(!world.path("store.db").exists());
    }
}

#[test]
fn b34_a_line_of_bad_json_is_named() {
    refused(&with_list(b"a\n{\"url\":\n").1, 65, "line 2 of the list");
    refused(
        &with_list(b"{\"url\":\"a\",\"other\":1}\n").1,
        65,
        "line 1 of the list",
    );
    refused(
        &with_list(b"{\"url\":\"a\",\"options\":[]}\n").1,
        65,
        "not an object",
    );
    refused(
        &with_list(b"{\"url\":\"a\",\"options\":{\"x\":1,\"x\":1}}").1,
        65,
        "duplicate key",
    );
}

#[test]
fn an_empty_list_is_refused() {
    refused(&with_list(b"").1, 65, "the list is empty");
    refused(
        &with_list(b"\xef\xbb\xbf\r\n \n").1,
        65,
        "the list is empty",
    );
}

#[test]
fn a_list_that_cannot_be_read_is_refused() {
    let world = World::new();

    refused(
        &world.batchq(&["run", "nowhere", "--", "true"]),
        65,
        "cannot read nowhere",
    );
    refused(&world.batchq(&["run", ".", "--", "true"]), 65, "directory");
}

#[test]
fn a_missing_command_is_found_before_anything_is_stored() {
    let world = World::with_targets(1);

    let ended = world.batchq(&["run", "list", "--", "no-such-command-here"]);

    refused(&ended, 64, "no-such-command-here: command not found");
    assert!(!world.path("store.db").exists());
}

#[test]
fn usage_errors_exit_with_64() {
    let world = World::with_targets(1);

    for args in [
        &["run", "list"][..],
        &["run", "list", "--get", "--", "true"],
        &["run", "list", "--max-body", "1", "--", "true"],
        &["run", "--fresh", "--retry-failed", "list", "--", "true"],
        &["run", "list", "--"],
        &["list", "--status", "odd"],
        &["nonsense"],
        &[],
    ] {
        assert_eq!(world.batchq(args).code, Some(64), "{args:?}");
    }
}

#[test]
fn b49_settings_out_of_range_exit_with_64() {
    let world = World::with_targets(1);

    for (name, values) in [
        (
            "-j",
            &[
                "0",
                "-1",
                "1.5",
                "NaN",
                "",
                " 5 ",
                "1025",
                "99999999999999999999",
            ][..],
        ),
        (
            "--timeout",
            &["0", "-1", "1.5s", "NaN", "", " 5 ", "99999999999999999999d"],
        ),
        ("--retry-wait", &["0", "1e3"]),
        ("--retry-for", &["0", "5x"]),
        ("--halt", &["fail", "fail=0", "fail=101%", "soon", ""]),
        ("--max-bytes", &["0", "-1", "1.5M", "18446744073709551616"]),
    ] {
        for value in values {
            let option = format!("{name}={value}");
            let ended = world.batchq(&["run", &option, "list", "--", "true"]);
            assert_eq!(ended.code, Some(64), "{option}: {ended:?}");
        }
    }
    assert!(!world.path("store.db").exists());
}

#[test]
fn b49_http_settings_out_of_range_are_named() {
    let world = World::with_targets(1);

    for (name, values) in [
        ("--max-redirects", &["-1", "101", "1.5", "", "NaN"][..]),
        ("--max-body", &["0", "-1", "5x", ""]),
        ("--connect-timeout", &["0", "-1s", "1.5s", "4000d"]),
        ("--header", &["", "no colon", "a b: c", "a: b\nc: d"]),
    ] {
        for value in values {
            let option = format!("{name}={value}");
            let ended = world.batchq(&["run", "--get", &option, "list"]);
            refused(&ended, 64, name);
        }
    }
    assert!(!world.path("store.db").exists());
}

#[test]
fn a_list_may_come_through_a_pipe() {
    let world = World::new();
    world.write("piped", "a\nb\n");
    let mut command = world.command(&["run", "-", "--", "echo"]);
    command.stdin(std::fs::File::open(world.path("piped")).unwrap());

    let ended = wait(command.spawn().unwrap());

    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "a\nb\n"));
}

#[test]
fn b34_unusual_targets_come_through_unchanged() {
    let world = World::new();
    let long = "x".repeat(100_000);
    let targets = [
        "a b",
        "{}",
        "-n",
        "é\u{202e}\u{2028}",
        "$(x)",
        "'",
        "{x}",
        "user:pw@h",
        &long,
    ];
    world.write(
        "list",
        targets
            .map(|t| format!("{}\n", serde_json::json!({"url": t})))
            .concat(),
    );

    let ended = world.batchq(&["run", "--json", "list", "--", "printf", "%s", "{}"]);

    let lines = ended.json();
    for (target, line) in targets.iter().zip(&lines) {
        assert_eq!(line["url"], *target);
        assert_eq!(line["result"]["content"], *target);
    }
    assert_eq!(lines.len(), targets.len() + 1);
}

#[test]
fn a_target_that_no_argument_can_be_fails_with_a_text() {
    let world = World::new();
    let huge = "x".repeat(1 << 20);
    world.write("list", format!("a\n{{\"url\":\"b\\u0000c\"}}\n{huge}\n"));

    let ended = world.batchq(&["run", "--json", "list", "--", "echo"]);

    let lines = ended.json();
    assert_eq!(ended.code, Some(1));
    assert!(
        lines[1]["error"].as_str().unwrap().contains("NUL"),
        "{}",
        lines[1]
    );
    assert!(lines[2]["error"].as_str().unwrap().contains("too long"));
}

#[test]
fn b46_ids_are_never_syntax() {
    let world = World::with_targets(1);
    world.run(&[], "echo");
    let dump = world.batchq(&["list", "--json"]).out;

    for id in [
        "*",
        "%",
        "_",
        "'; DROP TABLE jobs;--",
        "../x",
        "{x}",
        "\n",
        "",
        " ",
    ] {
        for command in ["show", "results", "cancel"] {
            let ended = world.batchq(&[command, "--", id]);
            refused(&ended, 65, "no job of this id");
        }
    }
    assert_eq!(world.batchq(&["list", "--json"]).out, dump);
}
