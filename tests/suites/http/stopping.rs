//! How `serve` stops: connections that wait are closed at once, a request that is being answered
//! has a limited time to finish, and a second signal ends the server at once.
//!
//! The tests wait for events. `--grace` is either much longer than a client waits for an event, or
//! zero.

use super::server::Server;
use rollbook::{Engine, Options};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

const NOW: i64 = 1_778_745_600;

/// The time after which a client reports that an event did not happen.
const LONGEST: Duration = Duration::from_secs(60);

/// More seconds than all clients of a test wait together.
const ENDLESS: &str = "3600";

/// The first half of a head: 22 bytes.
const HALF_HEAD: &str = "GET /api/v1/adminplus/";

const WHOLE: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// A request without the last byte of its body.
const HALF_BODY: &str = "PATCH /api/v1/settings/clients/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{";

fn started(grace: &str) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.redb");
    let sample =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/examples/sample-school.ndjson");
    let more = ["--feed", "all=1000", "--grace", grace];
    let server = Server::start_with(&store, &[sample], NOW, &more).unwrap();
    (folder, server)
}

/// Checks that the store is closed and sound.
fn is_released(folder: &tempfile::TempDir) {
    let store = folder.path().join("store.redb");
    let engine = Engine::open(store, Options::default()).unwrap();
    assert!(engine.verify().unwrap().is_sound());
}

/// Returns a new connection on which only this text was sent.
fn first(server: &Server, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(LONGEST)).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// Returns a connection on which one request was answered, so that the server certainly serves it,
/// and on which this text was then sent.
fn sent(server: &Server, text: &str) -> TcpStream {
    let mut stream = first(server, WHOLE);
    let mut answer = String::new();
    let mut part = [0; 1024];
    while !answer.ends_with('}') {
        let read = stream.read(&mut part).unwrap();
        answer.push_str(std::str::from_utf8(part.get(..read).unwrap()).unwrap());
    }
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// Reads the rest of a connection, which must end.
fn rest(mut stream: TcpStream, what: &str) -> String {
    let mut rest = Vec::new();
    let read = stream.read_to_end(&mut rest);
    let is_open = read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    assert!(!is_open, "{what}: the connection stays open");
    String::from_utf8(rest).unwrap()
}

/// Returns a connection on which a request for changes waits.
fn long_poll(server: &mut Server) -> TcpStream {
    let whole =
        "GET /feed HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\nConnection: close\r\n\r\n";
    let feed = rest(sent(server, whole), "a feed");
    let phone = Engine::memory(Options::default()).unwrap();
    let mut follow = phone.follow();
    for line in feed.lines().filter(|line| line.starts_with('{')) {
        follow.push(format!("{line}\n").as_bytes()).unwrap();
    }
    follow.finish().unwrap();
    let after = phone.followed().unwrap().unwrap();
    sent(
        server,
        &format!(
            "GET /feed?wait=60&after={after} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\n\r\n"
        ),
    )
}

#[test]
fn connections_that_wait_are_closed_at_once_and_a_request_is_answered() {
    let (folder, mut server) = started(ENDLESS);
    // It is the first one whose time ends.
    let mut request = sent(&server, HALF_BODY);
    let waiting = [
        ("no request", first(&server, "")),
        ("half a head", first(&server, HALF_HEAD)),
        ("half a header", first(&server, "GET / HTTP/1.1\r\nHost:")),
        ("half of the next head", sent(&server, HALF_HEAD)),
        ("between two requests", sent(&server, "")),
    ];
    let poll = long_poll(&mut server);
    server.signal("-TERM");
    for (what, stream) in waiting {
        assert_eq!(rest(stream, what), "", "{what}");
    }
    let changes = rest(poll, "a request for changes");
    assert!(changes.starts_with("HTTP/1.1 204"), "{changes}");
    // The request that was in progress can still be completed.
    request.write_all(b"}").unwrap();
    let answer = rest(request, "a request");
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    let (status, said) = server.wait();
    assert!(status.success(), "{said}");
    is_released(&folder);
}

#[test]
fn a_client_cannot_prevent_the_server_from_stopping() {
    let (folder, server) = started("0");
    let clients = [
        first(&server, HALF_HEAD),
        sent(&server, HALF_HEAD),
        sent(&server, HALF_BODY),
        sent(&server, ""),
    ];
    assert!(server.stop().success());
    is_released(&folder);
    drop(clients);
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    for second in ["-TERM", "-INT"] {
        let (folder, server) = started(ENDLESS);
        let request = sent(&server, HALF_BODY);
        let waiting = sent(&server, "");
        server.signal("-TERM");
        // The server has noticed the first signal.
        assert_eq!(rest(waiting, "between two requests"), "");
        server.signal(second);
        let (status, said) = server.wait();
        assert_eq!(status.code(), Some(1), "{said}");
        assert!(said.contains("ended by a second signal"), "{said}");
        is_released(&folder);
        drop(request);
    }
}

/// The size of a head is limited, whatever its lines are.
#[test]
fn a_head_that_is_too_large_is_refused() {
    let (_folder, server) = started("0");
    let value = "x".repeat(100 << 10);
    for head in [
        format!("GET /{value} HTTP/1.1\r\nHost: x\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: x\r\nX: {value}\r\n\r\n"),
    ] {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(LONGEST)).unwrap();
        // The server may refuse the head before all of it was sent.
        let _ = stream.write_all(head.as_bytes());
        let answer = rest(stream, "a large head");
        // An empty answer means that the connection was reset before the answer was read.
        let is_refused = answer.is_empty()
            || answer.starts_with("HTTP/1.1 431")
            || answer.starts_with("HTTP/1.1 414");
        assert!(is_refused, "{answer}");
    }
}
