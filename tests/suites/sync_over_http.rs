//! The example `sync` against the example `serve`: a mirror answers what it was never asked
//! while it was made as its source does, over HTTP, whatever goes wrong on the way.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

mod held_up;

use super::http::server::{self, Reply, Server};
use held_up::HeldUp;
use rollbook::{Credentials, Engine, Options};
use rollbook_tests::corpus::Request;
use rollbook_tests::login::quick;
use rollbook_tests::storage::asked::targets_of;
use rollbook_tests::world::{Action, ENDPOINTS, Endpoint, World, blanked};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const SAMPLE: &str = include_str!("../../core/examples/sample-school.ndjson");
/// 2026-05-14T08:00:00Z.
const NOW: i64 = 1_778_745_600;
const AT: &str = "2026-05-14T08:00:00Z";
const USERNAME: &str = "reader";
const PASSWORD: &str = "S3cret-word";

/// What changes at the source: one comes, one goes, marks and days are others.
const CHANGES: &str = r#"
{"type":"learner","school_id":1000,"id":40,"first_name":"Anna","last_name":"Nel","grade_id":"9"}
{"type":"learner","school_id":1000,"id":9,"deleted":true}
{"type":"mark","school_id":1000,"assessment_id":8001,"learner_id":1,"mark":15.5,"dtime":"2026-05-13 09:00:00"}
{"type":"absentee","school_id":1000,"id":399930,"learner_id":3,"absent_date":"2026-05-14","absent_reason":"Illness"}
{"type":"absentee","school_id":1000,"id":399919,"deleted":true}
"#;

/// A folder with the source's school, and what a mirror needs to be asked over HTTP.
struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Folder {
        let folder = Folder {
            folder: tempfile::tempdir().unwrap(),
        };
        let ours = SAMPLE
            .replace(r#""username":"demo""#, r#""username":"reader""#)
            .replace(r#""password":"demo""#, r#""password":"S3cret-word""#);
        let ours = quick(&ours);
        let ours = ours.lines().filter(|line| !line.contains(r#"_id":1001"#));
        let of_access = ["integrator", "client_integration", "api_type"]
            .map(|kind| format!(r#"{{"type":"{kind}""#));
        let is_access = |line: &&str| of_access.iter().any(|start| line.starts_with(start));
        let access: Vec<&str> = ours.clone().filter(is_access).collect();
        let school: Vec<&str> = ours.collect();
        folder.write("school.ndjson", &school.join("\n"));
        folder.write("access.ndjson", &access.join("\n"));
        folder.write("changes.ndjson", CHANGES);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn serve(&self, store: &str, dataset: &str, more: &[&str]) -> Server {
        let datasets = [self.path(dataset)];
        let program = server::build("serve");
        Server::start_with(&program, &self.path(store), &datasets, NOW, more).unwrap()
    }

    fn sync(&self, address: &str, store: &str) -> Command {
        let mut command = Command::new(server::build("sync"));
        command
            .args(["--from", &format!("http://{address}"), "--school", "1000"])
            .arg("--store")
            .arg(self.path(store))
            .args(["--now", AT])
            .env("ROLLBOOK_USERNAME", USERNAME)
            .env("ROLLBOOK_PASSWORD", PASSWORD)
            .stdin(Stdio::null());
        for proxy in ["http_proxy", "https_proxy", "all_proxy"] {
            command
                .env_remove(proxy)
                .env_remove(proxy.to_ascii_uppercase());
        }
        command
    }

    fn synced(&self, address: &str, store: &str) -> String {
        let (code, said) = outcome(self.sync(address, store).output().unwrap());
        assert_eq!(code, Some(0), "{said}");
        said
    }

    fn lines(&self, store: &str) -> Vec<String> {
        let engine = Engine::open(self.path(store), Options::default()).unwrap();
        assert!(engine.verify().unwrap().is_sound());
        let lines = engine.export(Credentials::LeaveOut).unwrap();
        lines.map(Result::unwrap).collect()
    }
}

/// The code and all that was said, which is never a credential nor what was answered.
fn outcome(output: Output) -> (Option<i32>, String) {
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
    let said = said.concat();
    for secret in [USERNAME, PASSWORD, "Smith", "error_description"] {
        assert!(!said.contains(secret), "{said}");
    }
    (output.status.code(), said)
}

/// A number before a word of what was said.
fn number(said: &str, word: &str) -> u64 {
    let (before, _) = said.split_once(&format!(" {word}")).unwrap();
    let last = before.rsplit([' ', '\n']).next().unwrap();
    last.replace(',', "").parse().unwrap()
}

fn get(server: &mut Server, target: &str) -> Reply {
    let headers = [
        ("HTTP-X-USERNAME", USERNAME),
        ("HTTP-X-PASSWORD", PASSWORD),
        ("HTTP-X-SCHOOLID", "1000"),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    server.ask(&Request {
        method: "GET".to_owned(),
        target: target.to_owned(),
        headers: headers.into(),
        body: String::new(),
        status: 200,
        allow: None,
        answer: String::new(),
    })
}

/// Of both versions: each way through each endpoint, and those of random worlds.
fn held_out() -> BTreeSet<String> {
    let mut targets: BTreeSet<String> = (1..=9)
        .flat_map(|learner| targets_of(1000, learner))
        .collect();
    targets.extend(ENDPOINTS.iter().flat_map(Endpoint::v2_examples));
    for seed in 0..4 {
        for action in World::new(seed).actions(120) {
            let Action::Request { method, target, .. } = action else {
                continue;
            };
            let path = target.split('?').next().unwrap();
            let is_ours = path.starts_with("/api/v2/") || path.ends_with("/1000");
            if method == "GET" && is_ours && !target.contains("cursor") {
                targets.insert(target);
            }
        }
    }
    targets
}

/// Asks a mirror and its source the same: what the mirror was not told it does not answer.
fn compare(mirror: &mut Server, source: &mut Server) {
    let (mut found, mut unseen, mut asked) = (0, 0, 0);
    for target in held_out() {
        let answer = get(mirror, &target);
        asked += 1;
        if answer.status == 503 {
            assert!(answer.body.contains("not synced yet: "), "{target}");
            unseen += 1;
            continue;
        }
        let expected = get(source, &target);
        let [of_mirror, of_source] =
            [&answer, &expected].map(|reply| (reply.status, blanked(&reply.body)));
        assert_eq!(of_mirror, of_source, "{target}");
        found += u32::from(answer.status == 200);
    }
    println!("{asked} requests, {found} found something, {unseen} not synced");
    assert!(
        found > 100 && unseen * 4 < asked,
        "{asked} {found} {unseen}"
    );
}

#[test]
fn a_mirror_answers_as_its_source() {
    for faults in [&[][..], &["--faults", "3"]] {
        let folder = Folder::new();
        let source = folder.serve("source.redb", "school.ndjson", faults);
        let first = folder.synced(source.address(), "mirror.redb");
        assert_eq!(number(&first, "of them in vain") > 0, !faults.is_empty());
        assert!(first.contains("the current learners"), "{first}");
        drop(source);

        let mut source = folder.serve("source.redb", "school.ndjson", &[]);
        let mut mirror = folder.serve("mirror.redb", "access.ndjson", &[]);
        compare(&mut mirror, &mut source);
        drop((source, mirror));

        let source = folder.serve("source.redb", "changes.ndjson", faults);
        let second = folder.synced(source.address(), "mirror.redb");
        assert!(number(&second, "as before") > 0, "{second}");
        drop(source);

        let mut source = folder.serve("source.redb", "changes.ndjson", &[]);
        let mut mirror = folder.serve("mirror.redb", "access.ndjson", &[]);
        compare(&mut mirror, &mut source);
    }
}

/// What was answered is not asked for again, but for what was out.
#[test]
fn killed_it_goes_on() {
    let folder = Folder::new();
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    let through = HeldUp::before(source.address(), u64::MAX);
    folder.synced(&through.address, "at-once.redb");
    let (all, expected) = (through.requests(), folder.lines("at-once.redb"));
    for (index, hold) in [2, all / 3, all * 2 / 3, all].into_iter().enumerate() {
        let store = format!("{index}.redb");
        let through = HeldUp::before(source.address(), hold);
        let mut command = folder.sync(&through.address, &store);
        let mut killed = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        through.wait_until_held();
        if cfg!(unix) && index == 1 {
            // Ctrl-C.
            let pid = killed.id().to_string();
            let told = Command::new("kill").args(["-INT", &pid]).status();
            assert!(told.unwrap().success());
            let (code, said) = outcome(killed.wait_with_output().unwrap());
            assert_eq!(code, Some(130), "{said}");
            assert!(said.contains("Run it again"), "{said}");
        } else {
            killed.kill().unwrap();
            killed.wait().unwrap();
        }
        let through = HeldUp::before(source.address(), u64::MAX);
        folder.synced(&through.address, &store);
        assert!(through.requests() + hold <= all + 4, "{hold} of {all}");
        assert_eq!(folder.lines(&store), expected, "{hold} of {all}");
    }
}

#[test]
fn what_cannot_go_on_says_what_to_do() {
    let folder = Folder::new();
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    let ran = |change: &dyn Fn(&mut Command)| {
        let mut command = folder.sync(source.address(), "mirror.redb");
        change(&mut command);
        outcome(command.output().unwrap())
    };
    let (code, said) = ran(&|command| {
        command.env("ROLLBOOK_PASSWORD", "another");
    });
    assert_eq!(code, Some(3));
    assert!(said.contains("See that ROLLBOOK_USERNAME"), "{said}");
    assert!(!said.contains("another"), "{said}");
    let (code, said) = ran(&|command| {
        command.args(["--school", "4242"]);
    });
    assert!(matches!(code, Some(1 | 3)), "{said}");
    let (code, said) = ran(&|command| {
        command.env_remove("ROLLBOOK_PASSWORD");
    });
    assert_eq!(code, Some(2));
    assert!(said.contains("set ROLLBOOK_PASSWORD"), "{said}");
    for (from, why) in [
        ("http://example.org", "by https only"),
        ("https://me:secret@example.org", "no credentials"),
        ("https://example.org/api", "no path"),
        ("example", "an address as"),
    ] {
        let (code, said) = ran(&|command| {
            command.args(["--from", from]);
        });
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(why) && !said.contains("me:secret"), "{said}");
    }
}

/// Neither follows it elsewhere with the credentials, nor takes in what never ends.
#[test]
fn a_service_that_is_none_gets_nothing() {
    let folder = Folder::new();
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    let location = elsewhere.local_addr().unwrap();
    let moved = format!(
        "HTTP/1.1 302 Found\r\nLocation: http://{location}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    let endless = "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n".to_owned();
    for (head, is_endless) in [(moved, false), (endless, true)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (mut client, head) = (client.unwrap(), head.clone());
                std::thread::spawn(move || {
                    let _ = client.read(&mut [0; 16_384]);
                    let _ = client.write_all(head.as_bytes());
                    while is_endless && client.write_all(&[b' '; 65_536]).is_ok() {}
                });
            }
        });
        let (code, said) = outcome(folder.sync(&address, "mirror.redb").output().unwrap());
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("could not be had"), "{said}");
    }
    elsewhere.set_nonblocking(true).unwrap();
    assert!(elsewhere.accept().is_err(), "it was followed");
}

/// A seed and the number of a request say what is wrong with its answer.
#[test]
fn faults_are_the_same_each_time() {
    let folder = Folder::new();
    let target = "/api/v1/adminplus/learnerabsentees/1000?learner_id=1";
    let faults = |store: &str, seed: &str| {
        let mut server = folder.serve(store, "school.ndjson", &["--faults", seed]);
        let answers = (0..200).map(|_| get(&mut server, target));
        answers
            .map(|reply| {
                let is_cut = reply.content_length > Some(reply.body.len());
                let is_page = reply.body.starts_with('<');
                (reply.status, is_cut, is_page)
            })
            .collect::<Vec<_>>()
    };
    let first = faults("first.redb", "3");
    assert_eq!(faults("again.redb", "3"), first);
    assert_ne!(faults("other.redb", "2"), first);
    let kinds: BTreeSet<_> = first.iter().copied().collect();
    for kind in [
        (200, false, false),
        (200, true, false),
        (200, false, true),
        (429, false, false),
        (500, false, false),
        (503, false, false),
    ] {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
}
