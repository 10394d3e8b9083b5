//! The promises of a private server, shown on real ones.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use super::*;

const ROLE: &str = "BATCH_TESTKIT_REDIS_ROLE";

/// What a server answers to a line.
fn asked(server: &RedisServer, line: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    answer.trim_end().to_owned()
}

/// Blocks until the server's end closes its connections.
fn await_the_end(mut stream: TcpStream) {
    let mut rest = Vec::new();
    // Killed or closed: both end the reading.
    let _ = stream.read_to_end(&mut rest);
}

#[test]
fn a_started_server_answers() {
    let server = RedisServer::start().unwrap();

    assert_eq!(asked(&server, "PING"), "+PONG");
    assert_eq!(asked(&server, "CONFIG GET save"), "*2");
    assert!(server.socket().exists());
}

#[test]
fn a_dropped_server_is_gone() {
    let server = RedisServer::start().unwrap();
    let address = server.address();
    let folder = server.folder().to_owned();

    drop(server);

    assert!(TcpStream::connect(address).is_err());
    assert!(!folder.exists());
}

#[test]
fn two_servers_never_share_a_port() {
    let first = RedisServer::start().unwrap();
    let second = RedisServer::start().unwrap();

    assert_ne!(first.port(), second.port());
}

#[test]
fn a_taken_port_is_told_from_other_failures() {
    let first = RedisServer::start().unwrap();
    let mut second = RedisServer::start().unwrap();

    second.port = first.port();
    let taken = second.restart().unwrap_err();
    second.settings = second.settings.set("no-such-setting", "1");
    let wrong = second.restart().unwrap_err();

    assert!(is_taken(taken.as_ref()), "{taken}");
    assert!(!is_taken(wrong.as_ref()), "{wrong}");
    assert!(wrong.to_string().contains("no-such-setting"), "{wrong}");
}

#[test]
fn a_killed_server_without_a_file_forgets() {
    let mut server = RedisServer::start().unwrap();
    let port = server.port();

    assert_eq!(asked(&server, "SET key kept"), "+OK");
    server.kill();
    server.restart().unwrap();

    assert_eq!(server.port(), port);
    assert_eq!(asked(&server, "EXISTS key"), ":0");
}

#[test]
fn a_killed_server_with_a_file_remembers() {
    let settings = RedisSettings::default().append_only(Fsync::Always);
    let mut server = RedisServer::with(settings).unwrap();

    assert_eq!(asked(&server, "SET key kept"), "+OK");
    server.kill();
    server.restart().unwrap();

    assert_eq!(asked(&server, "EXISTS key"), ":1");
}

#[test]
fn a_stopped_server_may_be_started_again() {
    let settings = RedisSettings::default().append_only(Fsync::Never);
    let mut server = RedisServer::with(settings).unwrap();

    assert_eq!(asked(&server, "SET key kept"), "+OK");
    server.stop().unwrap();
    assert!(TcpStream::connect(server.address()).is_err());
    server.restart().unwrap();

    assert_eq!(asked(&server, "EXISTS key"), ":1");
}

#[test]
fn a_password_and_a_user_are_asked_for() {
    let settings = RedisSettings::default()
        .password("pw1")
        .user("guest", &["on", ">pw2", "~*", "+ping"]);
    let server = RedisServer::with(settings).unwrap();

    assert!(asked(&server, "PING").starts_with("-NOAUTH"));
    assert_eq!(asked(&server, "AUTH pw1"), "+OK");
    assert_eq!(asked(&server, "AUTH guest pw2"), "+OK");
    assert!(server.url().contains("pw1"));
}

#[cfg(unix)]
#[test]
fn a_frozen_server_answers_when_it_is_thawed() {
    let server = RedisServer::start().unwrap();
    let mut stream = TcpStream::connect(server.address()).unwrap();

    server.freeze().unwrap();
    stream.write_all(b"PING\r\n").unwrap();
    server.thaw().unwrap();

    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    assert_eq!(answer, "+PONG\r\n");
}

/// The other process of the next test: it starts a server and is killed.
#[test]
fn a_process_that_starts_a_server() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let server = RedisServer::start().unwrap();
    let _ = writeln!(std::io::stdout(), "started {} .", server.address());
    let _ = std::io::stdin().read_line(&mut String::new());
}

#[test]
fn a_killed_test_leaves_no_server_behind() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "redis_server::tests::a_process_that_starts_a_server",
            "--nocapture",
        ])
        .env(ROLE, "yes")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.find_map(|line| {
        line.unwrap()
            .split_once("started ")
            .map(|(_, rest)| rest.to_owned())
    });
    let line = line.unwrap();
    let address = line.split(' ').next().unwrap();
    let stream = TcpStream::connect(address).unwrap();

    child.kill().unwrap();
    child.wait().unwrap();

    await_the_end(stream);
}
