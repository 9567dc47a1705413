//! `rollbook follow`: a store that follows `rollbook serve`.

use super::server::{self, Server};
use rollbook::{Credentials, Engine, Options, Scope};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SAMPLE: &str = include_str!("../../../core/examples/sample-school.ndjson");

fn follow(address: &str, store: &Path) -> Command {
    let mut command = server::rollbook("follow");
    command
        .args(["--from", &format!("http://{address}/feed"), "--store"])
        .arg(store)
        .env("ROLLBOOK_TOKEN", "family")
        .stdin(Stdio::null());
    command
}

fn said(output: Output) -> (Option<i32>, String, String) {
    let [out, err] = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
    (output.status.code(), out, err)
}

fn lines(store: &Path) -> Vec<String> {
    let engine = Engine::open(store, Options::default()).unwrap();
    let lines = engine.export(Credentials::Keep).unwrap();
    lines.map(Result::unwrap).collect()
}

#[test]
fn it_applies_what_the_server_has_and_each_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("sample.ndjson"), SAMPLE).unwrap();
    let change = r#"{"type":"learner","school_id":1000,"id":2,"first_name":"Janey","last_name":"Naidoo","grade_id":"9"}"#;
    std::fs::write(path("change.ndjson"), change).unwrap();
    let source = Engine::memory(Options::default()).unwrap();
    for (dataset, lines_of, is_first) in [
        ("sample.ndjson", SAMPLE, true),
        ("change.ndjson", change, false),
    ] {
        let more = ["--feed", "family=1000:1,2"];
        let server = Server::start_with(&path("server.redb"), &[path(dataset)], 0, &more).unwrap();
        let once = follow(server.address(), &path("phone.redb"))
            .args(["--once", "--json"])
            .output()
            .unwrap();
        let (code, out, err) = said(once);
        assert_eq!(code, Some(0), "{err}");
        let counts: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(counts["added"].as_u64() > Some(0), is_first, "{out}");
        assert_eq!(
            counts["changed"].as_u64(),
            Some(u64::from(!is_first)),
            "{out}"
        );
        source.apply(lines_of.as_bytes()).unwrap();
        let family = source.export_scope(&Scope::default().learners(1000, [1, 2]));
        let family: Vec<String> = family.unwrap().map(Result::unwrap).collect();
        assert_eq!(lines(&path("phone.redb")), family);
        // There is nothing more, which is a success without a line.
        let again = follow(server.address(), &path("phone.redb"))
            .arg("--once")
            .output()
            .unwrap();
        assert_eq!(said(again), (Some(0), String::new(), String::new()));
    }
}

#[test]
fn a_server_that_refuses_or_is_away_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("phone.redb");
    let server = Server::run(server::serve().args(["--feed", "family=1000"])).unwrap();
    let run = |address: &str, token: &str| {
        let mut command = follow(address, &store);
        said(
            command
                .arg("--once")
                .env("ROLLBOOK_TOKEN", token)
                .output()
                .unwrap(),
        )
    };
    let (code, out, err) = run(server.address(), "S3cret-word");
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(
        err.contains("does not know ROLLBOOK_TOKEN") && !err.contains("S3cret"),
        "{err}"
    );
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = free.local_addr().unwrap().to_string();
    drop(free);
    let (code, _, err) = run(&closed, "family");
    assert_eq!(code, Some(1), "{err}");
    assert!(
        err.contains(&format!("no answer from http://{closed}/feed")),
        "{err}"
    );
    for (from, token, why) in [
        ("http://example.org/feed", Some("family"), "https only"),
        ("example", Some("family"), "an address as"),
        (
            "http://127.0.0.1:1/feed?after=1",
            Some("family"),
            "no query",
        ),
        ("http://127.0.0.1:1/feed", None, "set ROLLBOOK_TOKEN"),
    ] {
        let mut command = follow("127.0.0.1:1", &store);
        command.args(["--from", from]);
        match token {
            Some(token) => command.env("ROLLBOOK_TOKEN", token),
            None => command.env_remove("ROLLBOOK_TOKEN"),
        };
        let (code, _, err) = said(command.output().unwrap());
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(why), "{err}");
    }
}

/// Without `--once`, it waits for changes, and pauses while the server is away.
#[cfg(unix)]
#[test]
fn it_continues_after_the_server_was_restarted() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("sample.ndjson"), SAMPLE).unwrap();
    let change = r#"{"type":"absentee","school_id":1000,"id":399930,"learner_id":1,"absent_date":"2026-05-14"}"#;
    std::fs::write(path("change.ndjson"), change).unwrap();
    let feed = ["--feed", "family=1000:1,2"];
    let server =
        Server::start_with(&path("server.redb"), &[path("sample.ndjson")], 0, &feed).unwrap();
    let address = server.address().to_owned();
    let mut following = follow(&address, &path("phone.redb"))
        .args(["--pause", "100ms"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let first = server::first_line(&mut following);
    assert!(first.ends_with(" added, 0 changed, 0 removed\n"), "{first}");
    assert!(server.stop().success());
    let again = ["--feed", "family=1000:1,2", "--listen", &address];
    let server = Server::start_with(&path("server.redb"), &[path("change.ndjson")], 0, &again);
    let second = server::first_line(&mut following);
    following.kill().unwrap();
    following.wait().unwrap();
    assert_eq!(second, "1 added, 0 changed, 0 removed\n");
    assert!(
        lines(&path("phone.redb"))
            .iter()
            .any(|line| line.contains("399930"))
    );
    drop(server);
}
