//! Tests the chain from the service to a phone, over HTTP: a server that replaces the service, a
//! second server that syncs a school from it, and a store that follows the second one.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use crate::corpus::typed::{Shape, Way, hand};
use crate::http::server::{self, Reply, Server};
use rollbook::{Clock, Engine, Options, Summary};
use rollbook_tests::corpus::Request;
use std::cell::RefCell;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

const SAMPLE: &str = include_str!("../../core/examples/sample-school.ndjson");
const GUIDE: &str = include_str!("../../core/docs/following.md");
/// 2026-05-14T08:00:00Z.
const NOW: i64 = 1_778_745_600;
const AT: &str = "2026-05-14T08:00:00Z";
/// More seconds than a clock can add.
const LONG: &str = "18446744073709551615";

/// Requests of the phone of a family, about its own children.
const TARGETS: [&str; 6] = [
    "/api/v1/adminplus/learners/1000?learner_id=1",
    "/api/v1/adminplus/learners/1000?learner_id=2&include_parents=1",
    "/api/v1/adminplus/learnerabsentees/1000?learner_id=1&from_date=2026-05-01&to_date=2026-05-14",
    "/api/v1/currplus/learnersubjectmarks/1000?learner_id=1",
    "/api/v1/currplus/learnerassessmentmarks/1000?learner_id=1&grade_id=9",
    "/api/v1/adminplus/lookup/grade/1000",
];

/// The service, which can be restarted with changes, and the folder of the stores.
struct Chain {
    folder: tempfile::TempDir,
    service: Option<Server>,
    address: String,
}

impl Chain {
    fn new() -> Chain {
        let mut chain = Chain {
            folder: tempfile::tempdir().unwrap(),
            service: None,
            address: "127.0.0.1:0".to_owned(),
        };
        chain.serve(SAMPLE);
        chain
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Stops the service if it runs, and starts it at the same address with these changes.
    fn serve(&mut self, dataset: &str) {
        if let Some(before) = self.service.take() {
            assert!(before.stop().success());
        }
        let file = self.path("changes.ndjson");
        std::fs::write(&file, dataset).unwrap();
        let listen = ["--listen", &self.address];
        let store = self.path("service.redb");
        let service = Server::start_with(&store, &[file], NOW, &listen).unwrap();
        service.address().clone_into(&mut self.address);
        self.service = Some(service);
    }

    /// Returns the command that starts the server in the middle.
    fn middle(&self) -> Command {
        let mut command = server::serve();
        let from = format!("http://{}", self.address);
        command
            .arg("--store")
            .arg(self.path("middle.redb"))
            .args(["--from", &from, "--school", "1000", "--every", "1"])
            .args(["--feed", "family=1000:1,2", "--now", AT])
            .env("ROLLBOOK_USERNAME", "demo")
            .env("ROLLBOOK_PASSWORD", "demo")
            .stdin(Stdio::null());
        command
    }

    fn asked(&mut self, target: &str) -> Reply {
        let headers = [("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let service = self.service.as_mut().unwrap();
        service.ask(&get(target, headers.into()))
    }
}

fn get(target: &str, headers: Vec<(String, String)>) -> Request {
    Request {
        method: "GET".to_owned(),
        target: target.to_owned(),
        headers,
        body: String::new(),
        status: 200,
        allow: None,
        answer: String::new(),
    }
}

fn feed(target: &str, token: &str) -> Request {
    let authorization = ("Authorization".to_owned(), format!("Bearer {token}"));
    get(target, vec![authorization])
}

/// Requests the changes once and applies them. Returns `None` if there are none.
fn follow(phone: &Engine, server: &mut Server) -> Option<Summary> {
    let after = phone.followed().unwrap();
    let after = after.map_or_else(String::new, |after| format!("&after={after}"));
    let reply = server.ask(&feed(&format!("/feed?wait=5{after}"), "family"));
    if reply.status == 204 {
        return None;
    }
    // The middle server has not completed its first pass.
    if reply.status == 503 && phone.followed().unwrap().is_none() {
        assert!(reply.body.contains("not been synced yet"), "{}", reply.body);
        std::thread::sleep(Duration::from_millis(100));
        return None;
    }
    assert_eq!(reply.status, 200, "{}", reply.body);
    let mut follow = phone.follow();
    // The body is chunked; each chunk consists of complete lines.
    for line in reply.body.lines().filter(|line| line.starts_with('{')) {
        follow.push(format!("{line}\n").as_bytes()).unwrap();
    }
    Some(follow.finish().unwrap())
}

/// Returns the typed answer to a target, or the code of the error.
fn answered(phone: &Engine, target: &str) -> Result<(u16, String), String> {
    let answer = RefCell::new(None);
    let take = |question: &dyn rollbook::Question, _: &Shape<'_>| {
        let asked = phone.ask(question);
        let asked = asked.map(|answer| (answer.status.code, answer.text().to_owned()));
        *answer.borrow_mut() = Some(asked.map_err(|error| error.code().to_owned()));
    };
    let shape = Shape::All;
    hand("demo", target, &Way { shape, take: &take }).unwrap();
    answer.into_inner().unwrap()
}

/// Follows until an answer contains a text.
fn follow_until(phone: &Engine, server: &mut Server, target: &str, text: &str) {
    for _ in 0..40 {
        follow(phone, server);
        if answered(phone, target).is_ok_and(|(_, body)| body.contains(text)) {
            return;
        }
    }
    panic!("{text} does not arrive: {:?}", answered(phone, target));
}

fn phone() -> Engine {
    let clock = Clock::Fixed(NOW);
    let options = Options {
        clock,
        ..Options::default()
    };
    Engine::memory(options).unwrap()
}

#[cfg(unix)]
#[test]
fn a_change_at_the_service_arrives_at_a_phone() {
    let mut chain = Chain::new();
    let mut middle = Server::run(&mut chain.middle()).unwrap();
    let phone = phone();
    follow_until(&phone, &mut middle, TARGETS[0], "Smith");
    for target in TARGETS {
        let reply = chain.asked(target);
        assert_eq!(reply.status, 200, "{target}");
        assert_eq!(answered(&phone, target), Ok((200, reply.body)), "{target}");
    }
    for outside in [
        "/api/v1/adminplus/learners/1000",
        "/api/v1/adminplus/learners/1000?learner_id=3",
        "/api/v1/adminplus/learnerabsentees/1000",
        "/api/v1/currplus/learnersubjectmarks/1000?learner_id=3",
        "/api/v1/adminplus/staffmembers/1000",
        "/api/v1/adminplus/learners/1001?learner_id=201",
    ] {
        let refused = answered(&phone, outside);
        assert_eq!(refused, Err("not_synced".to_owned()), "{outside}");
    }
    // The middle server also answers requests.
    let reply = middle.ask(&get("/api/v1/settings/clients", Vec::new()));
    assert_eq!(reply.status, 401);
    let said = middle.read_until("School 1000");
    assert!(said.contains("School 1000: 57 answers"), "{said}");
    // Passes fail while the service is stopped; later passes continue.
    chain.serve(
        r#"
{"type":"learner","school_id":1000,"id":2,"first_name":"Janey","last_name":"Naidoo","grade_id":"9"}
{"type":"learner","school_id":1000,"id":3,"first_name":"Zoe","last_name":"Outsider","grade_id":"9"}
{"type":"mark","school_id":1000,"assessment_id":8001,"learner_id":1,"mark":15.5,"dtime":"2026-05-13 09:00:00"}
"#,
    );
    follow_until(&phone, &mut middle, TARGETS[1], "Naidoo");
    follow_until(&phone, &mut middle, TARGETS[4], "15.5");
    for target in TARGETS {
        let reply = chain.asked(target);
        assert_eq!(answered(&phone, target), Ok((200, reply.body)), "{target}");
    }
    let lines = phone.export(rollbook::Credentials::Keep).unwrap();
    let lines: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(lines.iter().all(|line| !line.contains("Outsider")));
    let (status, said) = middle.stop_and_read();
    assert!(status.success(), "{said}");
    assert!(!said.contains("demo") && !said.contains("Smith"), "{said}");
    let store = Engine::open(chain.path("middle.redb"), Options::default()).unwrap();
    assert!(store.verify().unwrap().is_sound());
    assert!(
        store
            .synced(1000)
            .unwrap()
            .is_some_and(|seen| seen.as_of.is_some())
    );
}

/// Runs the commands of the guide, with other ports.
#[cfg(unix)]
#[test]
fn the_guide_shows_what_runs() {
    let (_, section) = GUIDE.split_once("\n## The chain on one machine\n").unwrap();
    let blocks = section.split("```sh\n").skip(1);
    let blocks = blocks.map(|block| block.split_once("```").unwrap().0);
    let [service, middle, curl] = blocks.collect::<Vec<_>>()[..] else {
        panic!("it has three commands");
    };
    let folder = tempfile::tempdir().unwrap();
    let command = server::rollbook("serve");
    let program = command.get_program().to_str().unwrap();
    let run = |command: &str, port: &str| {
        let ours = command
            .replace("rollbook serve", &format!("exec {program} serve --quiet"))
            .replace(port, "0")
            .replace(
                "server.redb",
                &folder.path().join("server.redb").display().to_string(),
            );
        assert!(ours.contains("--listen 0"), "{ours}");
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        let mut shell = Command::new("sh");
        // `exec` replaces the shell, so that the server itself is killed later.
        Server::run(shell.args(["-c", &ours]).current_dir(root)).unwrap()
    };
    let service = run(service, "8080");
    let (_, port) = service.address().rsplit_once(':').unwrap();
    let mut middle = run(&middle.replace("8080", port), "8081");
    assert!(middle.read_until("School 1000").contains("57 answers"));
    let asked = "curl -H 'Authorization: Bearer family' 'http://127.0.0.1:8081/feed'\n";
    assert_eq!(curl, asked);
    let phone = phone();
    assert!(follow(&phone, &mut middle).is_some());
    assert!(answered(&phone, TARGETS[0]).is_ok_and(|(_, body)| body.contains("Smith")));
}

/// An answer that would remove many values is quarantined and reported in each pass.
#[cfg(unix)]
#[test]
fn quarantined_answers_are_reported() {
    let mut chain = Chain::new();
    let mut middle = Server::run(&mut chain.middle()).unwrap();
    let phone = phone();
    follow_until(&phone, &mut middle, TARGETS[4], "13.5");
    let before = answered(&phone, TARGETS[4]);
    middle.read_until("School 1000");
    let marks = SAMPLE.lines().filter(|line| {
        line.starts_with(r#"{"type":"mark","school_id":1000"#) && line.contains(r#""dtime":"2026"#)
    });
    let removed = marks.map(|line| {
        let mark: serde_json::Value = serde_json::from_str(line).unwrap();
        let (assessment, learner) = (&mark["assessment_id"], &mark["learner_id"]);
        format!(
            r#"{{"type":"mark","school_id":1000,"assessment_id":{assessment},"learner_id":{learner},"deleted":true}}"#
        ) + "\n"
    });
    let mut changes: String = removed.collect();
    changes += r#"{"type":"learner","school_id":1000,"id":2,"first_name":"Janey","last_name":"Naidoo","grade_id":"9"}"#;
    chain.serve(&changes);
    // The learners are published, and the marks are not.
    follow_until(&phone, &mut middle, TARGETS[1], "Naidoo");
    for _ in 0..2 {
        middle.read_until("Quarantined, because they would remove much");
        middle.read_until("?grade_id=9: 33 of 33 values would be removed");
    }
    follow(&phone, &mut middle);
    assert_eq!(answered(&phone, TARGETS[4]), before);
    assert!(middle.stop().success());
}

/// Wrong credentials do not stop the server, and it reports when it will try again.
#[cfg(unix)]
#[test]
fn it_serves_while_the_service_refuses_it() {
    let chain = Chain::new();
    let mut command = chain.middle();
    command.env("ROLLBOOK_PASSWORD", "another");
    let mut middle = Server::run(&mut command).unwrap();
    // A school that was never synced is not passed on as an empty school.
    let phone = phone();
    assert!(follow(&phone, &mut middle).is_none() && phone.followed().unwrap().is_none());
    let reply = middle.ask(&get("/api/v1/settings/clients", Vec::new()));
    assert_eq!(reply.status, 401);
    for _ in 0..2 {
        let said = middle.read_until("tried again in 1 s");
        assert!(said.contains("See that ROLLBOOK_USERNAME"), "{said}");
        assert!(!said.contains("another"), "{said}");
    }
    assert!(middle.stop().success());
}

/// A school that the service refuses delays only the feeds of scopes that contain it.
#[cfg(unix)]
#[test]
fn a_refused_school_delays_no_feed_of_another_one() {
    let chain = Chain::new();
    let mut command = chain.middle();
    command.args(["--school", "1002", "--feed", "lost="]);
    command.args(["--feed", "both=1000+1002", "--feed", "refused=1002:1"]);
    let mut middle = Server::run(&mut command).unwrap();
    assert_eq!(middle.ask(&feed("/feed", "lost")).status, 200);
    let said = middle.read_until("school 1002: ");
    assert!(said.contains("authorised the integrator"), "{said}");
    let phone = phone();
    assert!(follow(&phone, &mut middle).is_some());
    assert!(answered(&phone, TARGETS[0]).is_ok_and(|(_, body)| body.contains("Smith")));
    for token in ["both", "refused"] {
        let reply = middle.ask(&feed("/feed", token));
        assert_eq!(reply.status, 503, "{token}");
        assert!(reply.body.contains("not been synced yet"), "{}", reply.body);
    }
    assert!(middle.stop().success());
}

/// All phones that wait receive a change, although only some feeds are sent at the same time.
#[cfg(unix)]
#[test]
fn a_change_arrives_at_many_phones_at_once() {
    let mut chain = Chain::new();
    let mut middle = Server::run(&mut chain.middle()).unwrap();
    middle.read_until("School 1000");
    let phone = phone();
    assert!(follow(&phone, &mut middle).is_some());
    let after = phone.followed().unwrap().unwrap();
    let poll = feed(&format!("/feed?wait=60&after={after}"), "family");
    let polls: Vec<_> = (0..200).map(|_| middle.send(&poll)).collect();
    chain.serve(
        r#"{"type":"learner","school_id":1000,"id":2,"first_name":"Janey","last_name":"Naidoo","grade_id":"9"}"#,
    );
    for poll in polls {
        let reply = server::reply(poll);
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert!(reply.body.contains("Naidoo"), "{}", reply.body);
    }
    assert!(middle.stop().success());
}

/// A server whose sync has failed would go on with old data. Here the sync fails because its reports
/// cannot be written.
#[cfg(unix)]
#[test]
fn it_stops_if_its_sync_fails() {
    let chain = Chain::new();
    let mut command = chain.middle();
    command.env("ROLLBOOK_PASSWORD", "another");
    let mut middle = Server::run(&mut command).unwrap();
    middle.close_stderr();
    let (status, _) = middle.wait();
    assert!(!status.success());
    let store = Engine::open(chain.path("middle.redb"), Options::default()).unwrap();
    assert!(store.verify().unwrap().is_sound());
}

#[test]
fn what_cannot_be_synced_is_an_error_of_the_arguments() {
    let refused = |arguments: &[&str], password: Option<&str>| {
        let mut command = server::serve();
        command.args(arguments).env("ROLLBOOK_USERNAME", "demo");
        match password {
            Some(password) => command.env("ROLLBOOK_PASSWORD", password),
            None => command.env_remove("ROLLBOOK_PASSWORD"),
        };
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    let here = "http://127.0.0.1:1";
    for (arguments, password, why) in [
        (
            &["--from", here][..],
            Some("demo"),
            "--from takes a --school",
        ),
        (
            &["--from", here, "--school", "1"],
            None,
            "set ROLLBOOK_PASSWORD",
        ),
        (&["--school", "1"], Some("demo"), "go with --from"),
        (&["--every", "1"], Some("demo"), "go with --from"),
        (
            &["--from", "http://example.org", "--school", "1"],
            Some("demo"),
            "https only",
        ),
        (
            &["--from", here, "--school", "1", "--every", LONG],
            Some("demo"),
            "--every is at most",
        ),
    ] {
        let said = refused(arguments, password);
        assert!(said.contains(why), "{arguments:?}: {said}");
    }
}
