//! Clients of `serve` that are too slow: they are disconnected, and delay no other client.

use super::server::Server;
use rollbook_tests::sample::SampleSchool;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const NOW: i64 = 1_778_745_600;

/// Starts a server with a school whose feed is larger than the buffers of a connection.
fn started() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let dataset = folder.path().join("school.ndjson");
    let school = SampleSchool {
        school_id: 1,
        ..SampleSchool::default()
    };
    let lines: Vec<_> = school.lines().collect();
    std::fs::write(&dataset, lines.join("\n")).unwrap();
    let store = folder.path().join("store.redb");
    let feed = ["--feed", "all=1"];
    let server = Server::start_with(&store, &[dataset], NOW, &feed).unwrap();
    (folder, server)
}

/// Returns a connection on which this text was sent.
fn sent(server: &Server, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

const FEED: &str =
    "GET /feed HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\nConnection: close\r\n\r\n";

/// Returns the time until a request of another client is answered.
fn answered(server: &Server) -> Duration {
    let start = Instant::now();
    let mut reply = String::new();
    let mut stream = sent(
        server,
        "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    stream.read_to_string(&mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 404"), "{reply}");
    start.elapsed()
}

/// Returns the number of received bytes, and whether the answer is complete: an answer that was cut
/// off has no last chunk.
fn rest(mut stream: TcpStream) -> (usize, bool) {
    let (mut count, mut end) = (0, Vec::new());
    let mut part = vec![0; 64 << 10];
    loop {
        match stream.read(&mut part) {
            Ok(0) => return (count, end.ends_with(b"0\r\n\r\n")),
            Ok(read) => {
                count += read;
                end.extend_from_slice(part.get(..read).unwrap());
                end.drain(..end.len().saturating_sub(5));
            }
            Err(error) => {
                assert_ne!(
                    error.kind(),
                    ErrorKind::WouldBlock,
                    "the server waits for ever"
                );
                return (count, false);
            }
        }
    }
}

/// There are more clients than the runtime has threads for blocking work.
#[test]
#[ignore = "tests/run searches: it waits, and judges time"]
fn clients_that_do_not_read_delay_no_other() {
    let (_folder, server) = started();
    let (whole, is_whole) = rest(sent(&server, FEED));
    assert!(is_whole && whole > 8 << 20, "{whole}");
    let slow: Vec<_> = (0..560).map(|_| sent(&server, FEED)).collect();
    std::thread::sleep(Duration::from_secs(2));
    let took = answered(&server);
    assert!(took < Duration::from_secs(5), "{took:?}");
    // A client that pauses for a short time receives everything when connections are free again.
    std::thread::sleep(Duration::from_secs(10));
    let pausing = sent(&server, FEED);
    std::thread::sleep(Duration::from_secs(5));
    assert_eq!(rest(pausing), (whole, true));
    // The other clients were refused or disconnected.
    let mut refused = 0;
    for stream in slow {
        let (count, is_whole) = rest(stream);
        assert!(count < whole && !is_whole, "{count} of {whole}");
        refused += usize::from(count < 1000);
    }
    assert!((400..560).contains(&refused), "{refused}");
}

#[test]
#[ignore = "tests/run searches: it waits, and judges time"]
fn an_incomplete_head_is_disconnected() {
    let (_folder, server) = started();
    let half: Vec<_> = (0..600)
        .map(|_| sent(&server, "GET / HTTP/1.1\r\nHost:"))
        .collect();
    std::thread::sleep(Duration::from_secs(1));
    #[cfg(target_os = "linux")]
    {
        let files = std::fs::read_dir(format!("/proc/{}/fd", server.id())).unwrap();
        let files = files.count();
        assert!((500..560).contains(&files), "{files} open files");
    }
    let took = answered(&server);
    assert!(took < Duration::from_secs(20), "{took:?}");
    for mut stream in half {
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        assert!(
            reply.is_empty() || reply.starts_with("HTTP/1.1 408"),
            "{reply}"
        );
    }
    // A few bytes from time to time make no difference.
    let start = Instant::now();
    let mut stream = sent(&server, "GET / HTTP/1.1\r\nHost: ");
    while stream.write_all(b"x").is_ok() {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// A client that does not read its answer has as much time as the server gives it.
#[cfg(unix)]
#[test]
fn a_client_that_does_not_read_cannot_prevent_the_server_from_stopping() {
    let (folder, server) = started();
    let client = sent(&server, FEED);
    client.peek(&mut [0]).unwrap();
    assert!(server.stop().success());
    drop(client);
    let store = folder.path().join("store.redb");
    let engine = rollbook::Engine::open(store, rollbook::Options::default());
    assert!(engine.unwrap().verify().unwrap().is_sound());
}
