//! What `rollbook serve` adds to the API for people who develop against it: the sample schools, the
//! page, CORS, the clock, the log, the metrics, https, and a login for a synced store.

use super::server::{self, Reply, Server};
use flate2::Compression;
use flate2::write::GzEncoder;
use rollbook::{Clock, Engine, Options};
use rollbook_tests::corpus::Request;
use rollbook_tests::sample::SampleSchool;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

const SAMPLE: &str = include_str!("../../../core/examples/sample-school.ndjson");
const ABSENTEES: &str = "/api/v1/adminplus/learnerabsentees/1000?learner_id=1";

fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Request {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Request {
        method: method.to_owned(),
        target: target.to_owned(),
        headers: headers.iter().map(owned).collect(),
        body: body.to_owned(),
        status: 0,
        allow: None,
        answer: String::new(),
    }
}

fn ask(server: &mut Server, method: &str, target: &str, body: &str) -> Reply {
    let demo = [("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")];
    server.ask(&request(method, target, &demo, body))
}

fn started(arguments: &[&str]) -> Server {
    Server::run(server::serve().args(arguments)).unwrap()
}

/// Returns the head of the reply to a request, in lower case.
fn head(server: &Server, method: &str, target: &str, headers: &[(&str, &str)]) -> String {
    let mut stream = server.send(&request(method, target, headers, ""));
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (head, _) = reply.split_once("\r\n\r\n").unwrap();
    head.to_ascii_lowercase()
}

#[test]
fn without_arguments_it_serves_the_sample_schools() {
    let mut server = started(&[]);
    let reply = ask(&mut server, "GET", ABSENTEES, "");
    assert_eq!(reply.status, 200);
    let expected = r#"[{"id":"399901","learner_id":"1","absent_date":"2026-04-29","absent_reason":"Illness"},"#;
    assert!(reply.body.starts_with(expected), "{}", reply.body);
    assert_eq!(ask(&mut server, "GET", "/health", "").status, 200);
    for version in ["v1", "v2"] {
        let document = ask(&mut server, "GET", &format!("/openapi-{version}.json"), "");
        let document: serde_json::Value = serde_json::from_str(&document.body).unwrap();
        assert_eq!(document["openapi"], "3.1.0");
    }
}

/// The requests that are printed are those that work.
#[test]
fn it_prints_a_login_and_requests_to_try() {
    let mut process = server::serve().stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = process.stdout.take().unwrap();
    let (mut said, mut part) = (String::new(), [0; 4096]);
    while said.matches("curl ").count() < 3 || !said.ends_with("\n\n") {
        let read = stdout.read(&mut part).unwrap();
        assert!(read > 0, "{said}");
        said.push_str(std::str::from_utf8(part.get(..read).unwrap()).unwrap());
    }
    assert!(
        said.contains("The time is always 2026-05-14T08:00:00Z."),
        "{said}"
    );
    assert!(
        said.contains("Log in as demo with the password demo"),
        "{said}"
    );
    let (_, commands) = said.split_once("\n\n").unwrap();
    let address = said.lines().next().unwrap().rsplit('/').next().unwrap();
    for command in commands.split("curl ").skip(1) {
        let quoted: Vec<&str> = command.split('\'').skip(1).step_by(2).collect();
        let (url, headers) = quoted.split_last().unwrap();
        let headers: Vec<_> = headers
            .iter()
            .map(|one| one.split_once(": ").unwrap())
            .collect();
        let target = url.strip_prefix(&format!("http://{address}")).unwrap();
        let reply = server::reply(server::send(address, &request("GET", target, &headers, "")));
        assert_eq!(
            (
                reply.status,
                reply.body.starts_with('[') || reply.body.starts_with('{')
            ),
            (200, true),
            "{command}"
        );
    }
    process.kill().unwrap();
    process.wait().unwrap();
}

#[test]
fn a_script_receives_the_address_as_json() {
    let mut process = server::serve()
        .args(["--json", "--now", "2026-05-14T08:00:00Z"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = server::first_line(&mut process);
    process.kill().unwrap();
    process.wait().unwrap();
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert!(
        line["url"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:")
    );
    assert_eq!(line["username"], "demo");
    assert_eq!(line["password"], "demo");
    assert_eq!(line["now"], "2026-05-14T08:00:00Z");
}

#[test]
fn a_generated_school_has_the_learners_that_are_requested() {
    let mut server = started(&["--learners", "40", "--now", "2026-05-14T08:00:00Z"]);
    let school = SampleSchool {
        learners: 40,
        as_of: "2026-05-14".parse().ok(),
        ..SampleSchool::default()
    };
    let engine = Engine::memory(Options {
        clock: Clock::Fixed(1_778_745_600),
        ..Options::default()
    })
    .unwrap();
    engine.apply(school.reader()).unwrap();
    for target in [
        "/api/v1/adminplus/learners/1000",
        "/api/v1/currplus/learnersubjectmarks/1000?learner_id=1",
        "/api/v1/adminplus/learnerabsentees/1000",
    ] {
        let expected = engine.request_trusted(&rollbook::Request {
            target,
            ..rollbook::Request::default()
        });
        let reply = ask(&mut server, "GET", target, "");
        assert_eq!((reply.status, reply.body.as_str()), (200, expected.text()));
    }
    for learners in ["0", "100001", "-1", "many", "5 --now 0050-01-01T00:00:00Z"] {
        let refused = server::serve()
            .arg("--learners")
            .args(learners.split(' '))
            .output()
            .unwrap();
        assert_eq!(refused.status.code(), Some(2), "{learners}");
    }
}

/// A browser receives the page, and an app the answer of the API.
#[test]
fn a_browser_receives_a_page() {
    let mut server = started(&[]);
    let html = [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    let page = server.ask(&request("GET", "/", &html, ""));
    assert_eq!(page.status, 200);
    assert_eq!(
        page.content_type.as_deref(),
        Some("text/html; charset=utf-8")
    );
    // It is the explorer, if that was built before the command.
    assert!(page.body.contains("<title>Rollbook"), "{}", page.body);
    for reply in [
        server.ask(&request("GET", "/", &[("Accept", "*/*")], "")),
        server.ask(&request("POST", "/", &html, "")),
        server.ask(&request("GET", "/x", &html, "")),
    ] {
        let expected = r#"{"error":"Not found","error_description":"Route not found"}"#;
        assert_eq!((reply.status, reply.body.as_str()), (404, expected));
    }
}

#[test]
fn pages_of_an_allowed_origin_may_ask() {
    let server = started(&[
        "--cors",
        "http://localhost:3000",
        "--cors",
        "http://app.test",
    ]);
    let preflight = |origin| {
        let asked = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "GET"),
            (
                "Access-Control-Request-Headers",
                "http-x-username,http-x-password,http-x-schoolid",
            ),
        ];
        head(&server, "OPTIONS", ABSENTEES, &asked)
    };
    for origin in ["http://localhost:3000", "http://app.test"] {
        let head = preflight(origin);
        assert!(head.starts_with("http/1.1 200"), "{head}");
        assert!(
            head.contains(&format!("access-control-allow-origin: {origin}")),
            "{head}"
        );
        assert!(
            head.contains(
                "access-control-allow-headers: http-x-username,http-x-password,http-x-schoolid"
            ),
            "{head}"
        );
        assert!(head.contains("patch"), "{head}");
    }
    assert!(!preflight("http://other.test").contains("allow-origin"));
    // An error is also readable for the page.
    let head = head(&server, "GET", ABSENTEES, &[("Origin", "http://app.test")]);
    assert!(head.starts_with("http/1.1 401"), "{head}");
    assert!(
        head.contains("access-control-allow-origin: http://app.test"),
        "{head}"
    );
    for wrong in ["app.test", "http://app.test/", "http://app.test/page", ""] {
        let refused = server::serve().args(["--cors", wrong]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn without_origins_no_page_of_another_origin_may_ask() {
    let server = started(&[]);
    let head = head(&server, "GET", ABSENTEES, &[("Origin", "http://app.test")]);
    assert!(!head.contains("access-control"), "{head}");
    let any = started(&["--cors", "*"]);
    let head = self::head(&any, "GET", ABSENTEES, &[("Origin", "http://app.test")]);
    assert!(head.contains("access-control-allow-origin: *"), "{head}");
}

#[test]
fn clients_set_the_clock_only_if_they_may() {
    let mut fixed = started(&[]);
    let refused = ask(&mut fixed, "PUT", "/clock", "2026-01-01T00:00:00Z");
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains("--allow-clock"), "{}", refused.body);
    // It waits for no body that it does not read.
    let mut waiting = TcpStream::connect(fixed.address()).unwrap();
    let half = "PUT /clock HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n";
    waiting.write_all(half.as_bytes()).unwrap();
    let reply = server::reply(waiting);
    assert_eq!(reply.status, 403);
    let mut server = started(&["--allow-clock"]);
    assert_eq!(ask(&mut server, "GET", ABSENTEES, "").status, 200);
    let set = ask(&mut server, "PUT", "/clock", "2026-12-24T08:00:00Z");
    assert_eq!(set.body, r#"{"now":"2026-12-24T08:00:00Z"}"#);
    // The absences are older than a month now.
    assert_eq!(ask(&mut server, "GET", ABSENTEES, "").status, 404);
    assert_eq!(ask(&mut server, "GET", "/clock", "").body, set.body);
    for wrong in ["", "tomorrow", "2026-13-01T00:00:00Z"] {
        assert_eq!(
            ask(&mut server, "PUT", "/clock", wrong).status,
            400,
            "{wrong}"
        );
    }
    let long = "2".repeat(100_000);
    assert_eq!(ask(&mut server, "PUT", "/clock", &long).status, 400);
    let reset = ask(&mut server, "DELETE", "/clock", "");
    assert_eq!(reset.body, r#"{"now":"2026-05-14T08:00:00Z"}"#);
    assert_eq!(ask(&mut server, "GET", ABSENTEES, "").status, 200);
}

/// The log names requests, and contains neither query strings nor ids of learners nor passwords.
#[cfg(unix)]
#[test]
fn the_log_has_no_personal_data() {
    let serve = || {
        let mut command = server::rollbook("serve");
        command.args(["--listen", "0"]);
        command
    };
    let mut server = Server::run(&mut serve()).unwrap();
    let school = ("HTTP-X-SCHOOLID", "1000");
    let demo = [
        ("HTTP-X-USERNAME", "demo"),
        ("HTTP-X-PASSWORD", "demo"),
        school,
    ];
    for target in [
        "/api/v1/adminplus/learners/1000?name=Zebulon",
        "/api/v2/adminplus/learners/7654321",
        "/api/v2/adminplus/learners/7654321/",
        "/api/v2/adminplus/learners/%37654321",
        "/api/v1/adminplus/learners/Zebulon@example.org",
        "/Zebulon",
    ] {
        server.ask(&request("GET", target, &demo, ""));
    }
    let (status, said) = server.stop_and_read();
    assert!(status.success());
    for part in [
        r#"method="GET" path=/api/v1/adminplus/learners/1000 status=404"#,
        "path=/api/v2/adminplus/learners/… status=404",
        "micros=",
    ] {
        assert!(said.contains(part), "{said}");
    }
    for secret in ["Zebulon", "654321", "demo", "name"] {
        assert!(!said.contains(secret), "{said}");
    }
}

#[test]
fn the_metrics_count_requests_by_status() {
    let mut server = started(&[]);
    for _ in 0..3 {
        ask(&mut server, "GET", ABSENTEES, "");
    }
    server.ask(&request("GET", "/api/v2/adminplus/learners", &[], ""));
    let metrics = ask(&mut server, "GET", "/metrics", "");
    assert_eq!(metrics.status, 200);
    for line in [
        r#"rollbook_requests_total{api="v1",status="200"} 3"#,
        "rollbook_request_duration_seconds_count 4",
        "# TYPE rollbook_store_size_bytes gauge",
        "# EOF",
    ] {
        assert!(
            metrics.body.lines().any(|found| found == line),
            "{line}: {}",
            metrics.body
        );
    }
    assert!(!metrics.body.contains("rollbook_store_size_bytes 0\n"));
    assert!(
        metrics
            .body
            .contains(r#"rollbook_requests_total{api="v2",status="4"#)
    );
}

/// Datasets are read as by the other subcommands: compressed ones too, and stdin.
#[test]
fn datasets_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("school.ndjson.gz");
    let mut packed = GzEncoder::new(std::fs::File::create(&path).unwrap(), Compression::fast());
    packed.write_all(SAMPLE.as_bytes()).unwrap();
    packed.finish().unwrap();
    let file = path.display().to_string();
    let now = ["--now", "2026-05-14T08:00:00Z"];
    let mut server = started(&[&["--dataset", &file], &now[..]].concat());
    let reply = ask(&mut server, "GET", ABSENTEES, "");
    assert!(reply.body.contains("399901"), "{}", reply.body);
    let missing = folder.path().join("missing").display().to_string();
    for (dataset, input, expected) in [
        ("-", "{\"type\":\"grade\"}\n", "stdin:1: grade: "),
        (&*missing, "", "missing: there is no such dataset\n"),
    ] {
        let mut refused = server::serve();
        let refused = refused.args(["--dataset", dataset]).stdin(Stdio::piped());
        let mut refused = refused.stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = refused.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = refused.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && said.contains(expected),
            "{said}"
        );
    }
}

/// Records that are no longer in a file are removed, and an invalid file changes nothing.
#[test]
fn datasets_are_loaded_again_when_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("school.ndjson");
    std::fs::write(&path, SAMPLE).unwrap();
    let file = path.display().to_string();
    let now = ["--now", "2026-05-14T08:00:00Z"];
    let mut server = started(&[&["--watch", "--dataset", &file], &now[..]].concat());
    let mut has = |text: &str, expected: bool| {
        for _ in 0..600 {
            if ask(&mut server, "GET", ABSENTEES, "").body.contains(text) == expected {
                return true;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        false
    };
    assert!(has("399910", true));
    let fewer = SAMPLE.lines().filter(|line| !line.contains("399910"));
    let fewer = fewer.collect::<Vec<_>>().join("\n") + "\n";
    std::fs::write(&path, &fewer).unwrap();
    assert!(has("399910", false));
    std::fs::write(&path, fewer.clone() + "{\"type\":\"pupil\"}\n").unwrap();
    let added = r#"{"type":"absentee","school_id":1000,"id":399911,"learner_id":1,"absent_date":"2026-05-05"}"#;
    std::fs::write(&path, fewer + added).unwrap();
    assert!(has("399911", true) && has("399901", true));
    // The data of a file would be lost.
    let store = ["--watch", "--dataset", &file, "--store", "store.redb"];
    for arguments in [&["--watch"][..], &["--watch", "--dataset", "-"], &store] {
        let refused = server::serve().args(arguments).output().unwrap();
        assert_eq!(refused.status.code(), Some(2));
    }
}

#[test]
fn answers_are_delayed() {
    let mut server = started(&["--delay", "300ms"]);
    let start = Instant::now();
    assert_eq!(ask(&mut server, "GET", ABSENTEES, "").status, 200);
    assert!(start.elapsed() >= Duration::from_millis(300));
}

#[test]
fn an_address_in_use_is_named() {
    let server = started(&[]);
    let output = server::serve()
        .args(["--listen", server.address()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(&format!("{} is in use", server.address())),
        "{said}"
    );
    for wrong in ["65536", "here", "127.0.0.1", ":", ":80"] {
        let refused = server::serve().args(["--listen", wrong]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{wrong}");
    }
}
