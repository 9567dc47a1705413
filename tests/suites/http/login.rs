//! The login that `rollbook serve` creates for a synced store.

use super::server::{self, Server};
use rollbook_tests::corpus::Request;
use std::path::Path;
use std::process::Stdio;

const AT: &str = "2026-05-14T08:00:00Z";

fn get(target: &str, username: &str, password: &str) -> Request {
    let headers = [("HTTP-X-USERNAME", username), ("HTTP-X-PASSWORD", password)];
    Request {
        method: "GET".to_owned(),
        target: target.to_owned(),
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        body: String::new(),
        status: 0,
        allow: None,
        answer: String::new(),
    }
}

/// A server that is killed when it is dropped, and what it printed.
struct Serving(std::process::Child, serde_json::Value);

impl Serving {
    fn start(store: &Path) -> Serving {
        let mut process = server::serve()
            .arg("--store")
            .arg(store)
            .args(["--now", AT, "--json"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let line = server::first_line(&mut process);
        Serving(process, serde_json::from_str(&line).unwrap())
    }

    fn text(&self, name: &str) -> &str {
        self.1[name].as_str().unwrap()
    }

    fn ask(&self, target: &str, username: &str, password: &str) -> server::Reply {
        let (_, address) = self.text("url").split_once("//").unwrap();
        server::reply(server::send(address, &get(target, username, password)))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The service sends no logins. A synced store is answered with the one that is printed, and each
/// start makes another one.
#[test]
fn a_synced_store_receives_a_login() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("mirror.redb");
    let mut source = Server::run(&mut server::serve()).unwrap();
    let sync = server::rollbook("sync")
        .args(["--from", &format!("http://{}", source.address())])
        .args(["--school", "1000", "--now", AT, "--store"])
        .arg(&store)
        .envs([("ROLLBOOK_USERNAME", "demo"), ("ROLLBOOK_PASSWORD", "demo")])
        .output()
        .unwrap();
    assert!(sync.status.success());
    let targets = [
        "/api/v1/adminplus/learners/1000?include_parents=1",
        "/api/v1/currplus/learnersubjects/1000",
        "/api/v1/finplus/debtmanagement/schooldebtors/1000",
    ];
    let mut earlier: Vec<String> = Vec::new();
    for _ in 0..2 {
        let serving = Serving::start(&store);
        let password = serving.text("password").to_owned();
        assert_eq!(serving.text("username"), "rollbook");
        for target in targets {
            let reply = serving.ask(target, "rollbook", &password);
            assert_eq!(reply.status, 200, "{target}: {}", reply.body);
            let expected = source.ask(&get(target, "demo", "demo"));
            assert_eq!(reply.body, expected.body, "{target}");
        }
        for other in earlier.iter().chain([&"demo".to_owned()]) {
            assert_eq!(serving.ask(targets[0], "rollbook", other).status, 401);
        }
        assert!(!earlier.contains(&password));
        earlier.push(password);
    }
}

/// A store that was filled from a dataset has the integrators of the dataset, or none.
#[test]
fn a_store_of_a_dataset_receives_no_login() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store.redb");
    let engine = rollbook::Engine::open(&store, rollbook::Options::default()).unwrap();
    let school = r#"{"type":"school","school_id":1000,"current_year":2026}"#;
    engine.apply(school.as_bytes()).unwrap();
    engine.close().unwrap();
    let serving = Serving::start(&store);
    assert!(serving.1["username"].is_null() && serving.1["password"].is_null());
    drop(serving);
    let engine = rollbook::Engine::open(&store, rollbook::Options::default()).unwrap();
    let lines = engine.export(rollbook::Credentials::Keep).unwrap();
    assert_eq!(lines.count(), 1);
}
