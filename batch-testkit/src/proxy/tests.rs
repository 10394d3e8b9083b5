//! The proxy before a small server that counts lines and echoes them.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::*;

/// Echoes each line with its name before it.
struct Echo {
    address: String,
    executed: Arc<AtomicU64>,
    _task: JoinHandle<()>,
}

impl Echo {
    async fn start(name: &'static str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let executed = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&executed);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(echo(stream, name, Arc::clone(&counted)));
            }
        });
        Self {
            address,
            executed,
            _task: task,
        }
    }

    fn executed(&self) -> u64 {
        self.executed.load(Ordering::SeqCst)
    }

    async fn behind(&self) -> Proxy {
        Proxy::to(&self.address, Framing::Lines).await.unwrap()
    }
}

async fn echo(stream: TcpStream, name: &str, executed: Arc<AtomicU64>) {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        executed.fetch_add(1, Ordering::SeqCst);
        let reply = format!("{name} {line}\n");
        if write.write_all(reply.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// What a client hears from a connection that is cut.
const CUT: &str = "cut";

struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    async fn of(proxy: &Proxy) -> Self {
        let stream = TcpStream::connect(proxy.address()).await.unwrap();
        let stream = BufReader::new(stream);
        Self { stream }
    }

    async fn send(&mut self, text: &str) {
        // A connection that was cut may say so here or at the next reading.
        let _ = self.stream.get_mut().write_all(text.as_bytes()).await;
    }

    /// The next line; [`CUT`] once the connection is cut.
    async fn hear(&mut self) -> String {
        let mut line = String::new();
        match self.stream.read_line(&mut line).await {
            Ok(1..) => line.trim_end().to_owned(),
            Ok(0) | Err(_) => CUT.to_owned(),
        }
    }

    async fn ask(&mut self, text: &str) -> String {
        self.send(&format!("{text}\n")).await;
        self.hear().await
    }
}

#[tokio::test]
async fn requests_and_replies_pass() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;
    let mut client = Client::of(&proxy).await;

    client.send("one\ntw").await;
    client.send("o\n").await;

    assert_eq!(client.hear().await, "a one");
    assert_eq!(client.hear().await, "a two");
}

#[tokio::test]
async fn a_cut_before_keeps_the_request_from_the_server() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;
    let mut client = Client::of(&proxy).await;

    let planned = proxy.plan(Chosen::holding("take"), Act::CutBefore);
    let other = client.ask("submit").await;
    let cut = client.ask("take 1").await;
    planned.happened().await.unwrap();

    assert_eq!([other, cut], ["a submit", CUT]);
    assert_eq!(server.executed(), 1);
}

#[tokio::test]
async fn a_cut_after_keeps_the_reply_from_the_client() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;
    let mut client = Client::of(&proxy).await;

    let planned = proxy.plan(Chosen::holding("take"), Act::CutAfter);
    let cut = client.ask("take 1").await;
    planned.happened().await.unwrap();
    let again = Client::of(&proxy).await.ask("take 1").await;

    assert_eq!([cut, again], [CUT, "a take 1"]);
    assert_eq!(server.executed(), 2);
}

#[tokio::test]
async fn a_cut_after_spares_the_replies_before_it() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;
    let mut client = Client::of(&proxy).await;

    let planned = proxy.plan(Chosen::next().nth(3), Act::CutAfter);
    client.send("1\n2\n3\n4\n").await;
    let heard = [
        client.hear().await,
        client.hear().await,
        client.hear().await,
    ];
    planned.happened().await.unwrap();

    assert_eq!(heard, ["a 1", "a 2", CUT]);
    assert_eq!(server.executed(), 3);
}

#[tokio::test]
async fn the_nth_request_with_a_text_is_chosen_over_all_connections() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;
    let mut first = Client::of(&proxy).await;
    let mut second = Client::of(&proxy).await;

    let mut planned = proxy.plan(Chosen::holding("take").nth(2), Act::Note);
    first.ask("take 1").await;
    second.ask("touch").await;
    let early = planned.has_happened();
    second.ask("take 2").await;

    assert_eq!((early, planned.has_happened()), (false, true));
}

#[tokio::test]
async fn a_silence_before_lets_the_request_arrive_when_it_ends() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;
    let mut client = Client::of(&proxy).await;

    let planned = proxy.plan(Chosen::holding("take"), Act::SilenceBefore);
    client.send("take 1\n").await;
    planned.happened().await.unwrap();
    let while_silent = server.executed();
    proxy.be(Manner::Pass);

    assert_eq!(while_silent, 0);
    assert_eq!(client.hear().await, "a take 1");
}

#[tokio::test]
async fn a_silence_after_keeps_the_reply_until_it_ends() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;
    let mut client = Client::of(&proxy).await;

    let planned = proxy.plan(Chosen::holding("take"), Act::SilenceAfter);
    client.send("take 1\n").await;
    planned.happened().await.unwrap();
    let while_silent = server.executed();
    proxy.be(Manner::Pass);

    assert_eq!(while_silent, 1);
    assert_eq!(client.hear().await, "a take 1");
    assert_eq!(client.ask("on").await, "a on");
}

#[tokio::test]
async fn an_answer_of_the_proxy_keeps_its_place_among_the_replies() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;
    let mut client = Client::of(&proxy).await;

    let planned = proxy.plan(Chosen::holding("2"), Act::Answer("own\n".to_owned()));
    client.send("1\n2\n3\n").await;
    let heard = [
        client.hear().await,
        client.hear().await,
        client.hear().await,
    ];
    planned.happened().await.unwrap();

    assert_eq!(heard, ["a 1", "own", "a 3"]);
    assert_eq!(server.executed(), 2);
}

#[tokio::test]
async fn a_refused_connection_is_closed_at_once() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;

    proxy.be(Manner::Refuse);
    let refused = Client::of(&proxy).await.ask("one").await;
    proxy.be(Manner::Pass);
    let passed = Client::of(&proxy).await.ask("one").await;

    assert_eq!([refused, passed], [CUT, "a one"]);
}

#[tokio::test]
async fn a_proxy_turns_to_another_server_for_new_connections() {
    let (old, new) = (Echo::start("old").await, Echo::start("new").await);
    let proxy = old.behind().await;
    let mut client = Client::of(&proxy).await;
    client.ask("before").await;

    proxy.point_at(&new.address);
    let stays = client.ask("one").await;
    let moved = Client::of(&proxy).await.ask("one").await;
    proxy.cut_all();
    let cut = client.hear().await;

    assert_eq!([stays, moved], ["old one", "new one"]);
    assert_eq!(cut, CUT);
}

#[tokio::test]
async fn a_server_that_is_gone_closes_the_connection() {
    let server = Echo::start("a").await;
    let proxy = server.behind().await;
    let gone = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    proxy.point_at(&gone.local_addr().unwrap().to_string());
    drop(gone);

    assert_eq!(Client::of(&proxy).await.ask("one").await, CUT);
}

#[tokio::test]
async fn redis_requests_are_cut_by_the_command_that_they_hold() {
    let server = crate::redis_server::RedisServer::start().unwrap();
    let proxy = Proxy::to(&server.address(), Framing::Redis).await.unwrap();
    let mut client = Client::of(&proxy).await;

    let planned = proxy.plan(Chosen::holding("INCR"), Act::CutAfter);
    client
        .send("*1\r\n$4\r\nPING\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n")
        .await;
    let heard = [client.hear().await, client.hear().await];
    planned.happened().await.unwrap();
    let again = Client::of(&proxy)
        .await
        .ask("*2\r\n$4\r\nINCR\r\n$1\r\nn\r")
        .await;

    assert_eq!(heard, ["+PONG", CUT]);
    assert_eq!(again, ":2");
}
