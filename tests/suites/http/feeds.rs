//! The feeds of `serve`: tokens, the waiting time of a request, and its end.

use super::server::{self, Reply, Server};
use rollbook::{Engine, Options};
use rollbook_tests::corpus::Request;
use std::path::Path;
use std::time::{Duration, Instant};

const NOW: i64 = 1_778_745_600;

fn started(feeds: &[&str]) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.redb");
    let sample =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/examples/sample-school.ndjson");
    let more: Vec<_> = feeds.iter().flat_map(|feed| ["--feed", feed]).collect();
    let server = Server::start_with(&store, &[sample], NOW, &more).unwrap();
    (folder, server)
}

fn get(target: &str, authorization: &str) -> Request {
    let headers = match authorization {
        "" => Vec::new(),
        given => vec![("Authorization".to_owned(), given.to_owned())],
    };
    Request {
        method: "GET".to_owned(),
        target: target.to_owned(),
        headers,
        body: String::new(),
        status: 0,
        allow: None,
        answer: String::new(),
    }
}

fn ask(server: &mut Server, target: &str, authorization: &str) -> Reply {
    server.ask(&get(target, authorization))
}

#[test]
fn a_wait_that_is_no_number_of_seconds_is_a_bad_request() {
    let (_folder, mut server) = started(&["family=1000:1,2"]);
    for wait in [
        "-1", "abc", "0.5", "", "+1", "%201", "1s", "0x1", "1e1", "١",
    ] {
        let reply = ask(&mut server, &format!("/feed?wait={wait}"), "Bearer family");
        assert_eq!(reply.status, 400, "wait={wait}");
        assert!(reply.body.contains("whole seconds"), "{}", reply.body);
    }
    for wait in [
        "",
        "?wait=0",
        "?wait=1",
        "?wait=00",
        "?wait=99999999999999999999999",
    ] {
        let reply = ask(&mut server, &format!("/feed{wait}"), "Bearer family");
        assert_eq!(reply.status, 200, "{wait}");
    }
}

#[test]
fn the_scheme_of_a_token_is_in_any_case() {
    let (_folder, mut server) = started(&["family=1000:1,2"]);
    for good in [
        "Bearer family",
        "bearer family",
        "BEARER family",
        "bEaReR  family",
    ] {
        assert_eq!(ask(&mut server, "/feed", good).status, 200, "{good}");
    }
    for bad in [
        "",
        "Bearer",
        "family",
        "Basic family",
        "Bearer Family",
        "Bearer familyx",
        "Bearer",
    ] {
        assert_eq!(ask(&mut server, "/feed", bad).status, 401, "{bad}");
    }
}

#[test]
fn a_token_that_is_given_twice_is_an_error() {
    let given = [
        "--feed",
        "family=1000:1",
        "--feed",
        "other=1000",
        "--feed",
        "family=1000",
    ];
    let output = server::serve().args(given).output();
    let output = output.unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("--feed family=…: give each token once"),
        "{said}"
    );
}

/// Applies a reply that was sent in chunks of whole lines.
fn take(phone: &Engine, reply: &Reply) -> u64 {
    let mut follow = phone.follow();
    for line in reply.body.lines().filter(|line| line.starts_with('{')) {
        follow.push(format!("{line}\n").as_bytes()).unwrap();
    }
    follow.finish().unwrap().lines
}

/// A device whose resume token will soon be unknown to the server receives a new one at once, even
/// if nothing changed, and waits with that one.
#[cfg(unix)]
#[test]
fn a_resume_token_of_an_earlier_opening_is_replaced() {
    let (folder, mut server) = started(&["family=1000:1,2"]);
    let phone = Engine::memory(Options::default()).unwrap();
    let whole = ask(&mut server, "/feed", "Bearer family");
    assert!(take(&phone, &whole) > 10);
    assert!(server.stop().success());
    let change = folder.path().join("change.ndjson");
    let line = r#"{"type":"grade","school_id":1001,"grade_id":500}"#;
    std::fs::write(&change, line).unwrap();
    let store = folder.path().join("store.redb");
    let feed = ["--feed", "family=1000:1,2"];
    let mut server = Server::start_with(&store, &[change], NOW, &feed).unwrap();
    let before = phone.followed().unwrap().unwrap();
    let target = |after: &str| format!("/feed?wait=1&after={after}");
    let moved = ask(&mut server, &target(&before), "Bearer family");
    assert_eq!((moved.status, take(&phone, &moved)), (200, 2));
    let after = phone.followed().unwrap().unwrap();
    assert_ne!(after, before);
    assert_eq!(
        ask(&mut server, &target(&after), "Bearer family").status,
        204
    );
    assert_eq!(
        ask(&mut server, &target(&before), "Bearer family").status,
        200
    );
}

#[cfg(unix)]
#[test]
fn a_request_that_waits_ends_with_the_server() {
    let (_folder, mut server) = started(&["family=1000:1,2"]);
    let phone = Engine::memory(Options::default()).unwrap();
    let whole = ask(&mut server, "/feed", "Bearer family");
    take(&phone, &whole);
    let after = phone.followed().unwrap().unwrap();
    let target = format!("/feed?wait=60&after={after}");
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            let sent = server.send(&get(&target, "Bearer family"));
            let mut first = [0];
            let wait = Some(Duration::from_millis(300));
            sent.set_read_timeout(wait).unwrap();
            assert!(sent.peek(&mut first).is_err(), "it waits");
            sent
        })
        .collect();
    let start = Instant::now();
    assert!(server.stop().success());
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    for sent in waiting {
        assert_eq!(server::reply(sent).status, 204);
    }
}

/// Requests that wait for a change leave connections for other requests.
#[cfg(unix)]
#[test]
fn requests_that_wait_leave_connections_for_others() {
    let (_folder, mut server) = started(&["family=1000:1,2"]);
    let phone = Engine::memory(Options::default()).unwrap();
    let whole = ask(&mut server, "/feed", "Bearer family");
    take(&phone, &whole);
    let after = phone.followed().unwrap().unwrap();
    let target = format!("/feed?wait=60&after={after}");
    // There are more of them than connections.
    let polls: Vec<_> = (0..600)
        .map(|_| server.send(&get(&target, "Bearer family")))
        .collect();
    assert_eq!(ask(&mut server, "/", "").status, 404);
    assert_eq!(ask(&mut server, "/feed", "Bearer family").status, 200);
    let polled = ask(
        &mut server,
        &format!("/feed?after={after}"),
        "Bearer family",
    );
    assert_eq!(polled.status, 204);
    assert!(server.stop().success());
    let replies: Vec<_> = polls.into_iter().map(server::reply).collect();
    let is_refused = |reply: &&Reply| reply.status == 503;
    let refused: Vec<_> = replies.iter().filter(is_refused).collect();
    assert!(!refused.is_empty());
    assert!(
        refused
            .iter()
            .all(|reply| reply.body.contains("wait for a change"))
    );
    let waited = replies.iter().filter(|reply| reply.status == 204).count();
    assert_eq!(waited + refused.len(), replies.len());
}
