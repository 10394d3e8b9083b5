//! `--get` against a server of the test's own.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use crate::world::{Ended, World, wait};

/// Serves until the test's process ends.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let mut asked = HashMap::new();
        for stream in listener.incoming() {
            answer(stream.unwrap(), &mut asked);
        }
    });
    address
}

fn answer(mut stream: TcpStream, asked: &mut HashMap<String, u32>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap())
        .lines()
        .map_while(Result::ok);
    let path = lines.next().unwrap_or_default();
    let path = path.split(' ').nth(1).unwrap_or_default().to_owned();
    let headers: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
    let times = asked.entry(path.clone()).or_insert(0);
    *times += 1;
    let (status, extra, body): (_, _, Vec<u8>) = match (path.as_str(), *times) {
        ("/ok", _) => ("200 OK", "ETag: \"e1\"\r\n", b"hello\n".to_vec()),
        ("/echo", _) => ("200 OK", "", headers.join("\n").into_bytes()),
        ("/bytes", _) => ("200 OK", "", vec![0xff, 0x00]),
        ("/busy", 1) => ("429 Too Many Requests", "Retry-After: 0\r\n", Vec::new()),
        ("/busy", 2) => ("503 Service Unavailable", "", Vec::new()),
        ("/busy", _) => ("200 OK", "", b"at last\n".to_vec()),
        ("/big", _) => ("200 OK", "", vec![b'x'; 100_000]),
        ("/moved", _) => ("302 Found", "Location: /ok\r\n", Vec::new()),
        ("/round", _) => ("302 Found", "Location: /round\r\n", Vec::new()),
        _ => ("404 Not Found", "", Vec::new()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{extra}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    // The client may have had enough.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(&body));
}

fn get(paths: &[&str], options: &[&str]) -> (World, Ended) {
    let world = World::new();
    let address = serve();
    world.write(
        "list",
        paths.map_lines(|path| format!("http://user:S3cr3t@{address}{path}\n")),
    );
    let mut args = vec!["run", "--get", "--json", "--retry-wait", "1ms"];
    args.extend(options);
    args.push("list");
    let mut command = world.command(&args);
    let ended = wait(command.env("RUST_LOG", "trace").spawn().unwrap());
    (world, ended)
}

trait MapLines {
    fn map_lines(&self, line: impl Fn(&str) -> String) -> String;
}

impl MapLines for [&str] {
    fn map_lines(&self, line: impl Fn(&str) -> String) -> String {
        self.iter().map(|text| line(text)).collect()
    }
}

#[test]
fn a_page_is_a_result_with_its_headers() {
    let (_, ended) = get(&["/ok", "/bytes", "/moved"], &[]);

    let lines = ended.json();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(lines[0]["result"]["content"], "hello\n");
    assert_eq!(lines[0]["result"]["meta"]["status"], 200);
    assert_eq!(lines[0]["result"]["meta"]["headers"]["etag"], "\"e1\"");
    assert_eq!(lines[1]["result"]["content_base64"], "/wA=");
    assert_eq!(lines[2]["result"]["content"], "hello\n");
    assert!(
        lines[2]["result"]["meta"]["url"]
            .as_str()
            .unwrap()
            .ends_with("/ok")
    );
}

/// R8.5
#[test]
fn the_most_verbose_log_names_no_host() {
    let world = World::new();
    let address = serve();
    world.write("list", format!("http://{address}/ok\n"));

    let run = ["run", "--get", "-vvv", "list"];
    let ended = wait(world.command(&run).spawn().unwrap());

    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "hello\n"));
    assert!(!ended.err.contains(&address.to_string()), "{}", ended.err);
}

#[test]
fn a_busy_server_is_asked_again() {
    let (_, ended) = get(&["/busy"], &[]);

    assert_eq!(ended.code, Some(0));
    assert_eq!(ended.json()[0]["result"]["content"], "at last\n");
    assert_eq!(ended.json()[0]["tries"], 3);
}

#[test]
fn other_answers_fail_with_status_and_hint() {
    let (_, ended) = get(&["/missing", "/round"], &[]);

    let lines = ended.json();
    assert_eq!(ended.code, Some(2));
    assert_eq!(lines[0]["error"], "HTTP status 404 Not Found");
    assert_eq!(lines[0]["hint"], "there is nothing at this URL");
    assert!(
        lines[1]["error"]
            .as_str()
            .unwrap()
            .starts_with("too many redirects")
    );
}

#[test]
fn a_body_over_the_limit_fails_its_target() {
    let (_, ended) = get(&["/big"], &["--max-body", "1K"]);

    assert_eq!(
        ended.json()[0]["error"],
        "the body is larger than 1024 bytes"
    );
    assert_eq!(ended.json()[0]["hint"], "allow more with --max-body");
}

#[test]
fn headers_are_sent_and_kept_out_of_what_is_shown() {
    let (world, ended) = get(&["/echo"], &["--header", "X-Token: S3cr3t"]);

    let shown = world.batchq(&["list", "--json"]).summary()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let shown = world.batchq(&["show", "--json", &shown]);
    let sent = ended.json()[0]["result"]["content"]
        .as_str()
        .unwrap()
        .to_lowercase();
    assert!(sent.contains("x-token: s3cr3t"), "{sent}");
    assert!(
        sent.contains(concat!("user-agent: batchq/", env!("CARGO_PKG_VERSION"))),
        "{sent}"
    );
    assert!(!shown.out.contains("S3cr3t"), "{}", shown.out);
}

#[test]
fn b47_passwords_of_urls_are_not_said() {
    let (world, ended) = get(&["/missing", "/ok"], &[]);
    world.write(
        "list",
        "http://user:S3cr3t@127.0.0.1:1/x\nftp://user:S3cr3t@h/\nhttp://u:S3cr3t@[\n",
    );

    let unreachable = world.batchq(&["run", "--get", "list"]);

    assert_eq!((ended.code, unreachable.code), (Some(1), Some(2)));
    assert!(!ended.err.contains("S3cr3t"), "{}", ended.err);
    assert!(!unreachable.err.contains("S3cr3t"), "{}", unreachable.err);
}

#[test]
fn a_header_that_cannot_be_sent_is_a_usage_error() {
    let world = World::with_targets(1);

    for header in ["no colon", "bad name: x", "x: a\u{7f}b"] {
        let ended = world.batchq(&["run", "--get", "--header", header, "list"]);
        assert_eq!(ended.code, Some(64), "{ended:?}");
    }
}

/// R8.5 however a URL is spelled, and where a header has no colon.
#[test]
fn b47_what_could_be_a_password_is_not_repeated() {
    let world = World::new();
    world.write(
        "list",
        "http:/u:S3cr3t@127.0.0.1:1/a?t=S3cr3t\nhttp://127.0.0.1:1/b#S3cr3t\n",
    );

    let ended = world.batchq(&["run", "--get", "list"]);
    let header = ["--header", "Authorization Bearer S3cr3t"];
    let refused = world.batchq(&["run", "--get", header[0], header[1], "list"]);

    assert_eq!((ended.code, refused.code), (Some(2), Some(64)));
    for text in [&ended.err, &refused.err] {
        assert!(!text.contains("S3cr3t"), "{text}");
    }
    assert!(refused.err.contains("Name: value"), "{}", refused.err);
}
