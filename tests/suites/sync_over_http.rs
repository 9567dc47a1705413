//! Runs `rollbook sync` with `rollbook serve`, over HTTP: the mirror also answers requests
//! that the sync did not make as its source does, whatever fails meanwhile.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

mod comparison;
mod folder;
mod options;
mod proxy;
mod report;

use super::sync::coverage_model::{self, Asked, Seen};
use comparison::compare;
use folder::{Folder, NOW, PASSWORD, get, number, outcome};
use proxy::BlockingProxy;
use rollbook_tests::sample::SampleSchool;
use rollbook_tests::search::first_seed;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

const README: &str = include_str!("../../README.md");

/// The changes at the source: learners, marks and absences are added, changed and removed.
const CHANGES: &str = r#"
{"type":"learner","school_id":1000,"id":40,"first_name":"Anna","last_name":"Nel","grade_id":"9"}
{"type":"learner","school_id":1000,"id":9,"deleted":true}
{"type":"mark","school_id":1000,"assessment_id":8001,"learner_id":1,"mark":15.5,"dtime":"2026-05-13 09:00:00"}
{"type":"absentee","school_id":1000,"id":399930,"learner_id":3,"absent_date":"2026-05-14","absent_reason":"Illness"}
{"type":"absentee","school_id":1000,"id":399919,"deleted":true}
"#;

/// Returns the coverage after calls for these targets, all of which were answered.
fn seen<'a>(targets: impl IntoIterator<Item = &'a String>) -> Seen {
    let calls = targets.into_iter().map(|target| Asked::parse(target, 1000));
    Seen {
        stored: calls.collect(),
        year: 2026,
        is_whole: true,
        today: coverage_model::today(NOW),
    }
}

#[test]
fn a_mirror_answers_as_its_source() {
    let folder = Folder::new();
    folder.write("changes.ndjson", CHANGES);
    let mut targets = BTreeSet::new();
    for dataset in ["school.ndjson", "changes.ndjson"] {
        let source = folder.serve("source.redb", dataset, &[]);
        let through = BlockingProxy::before(source.address(), u64::MAX);
        let said = folder.synced(&through.address, "mirror.redb");
        targets.extend(through.targets());
        let is_first = dataset == "school.ndjson";
        let is_much = number(&said, "answers added or changed") > 40;
        assert_eq!(is_much, is_first, "{said}");
        assert!(said.contains("the current learners"), "{said}");
        let store = std::fs::read(folder.path("mirror.redb")).unwrap();
        let mut windows = store.windows(PASSWORD.len());
        assert!(!is_first || !windows.any(|bytes| bytes == PASSWORD.as_bytes()));
        if !is_first {
            // A learner who was removed is in no list, and unknown to the mirror.
            targets.retain(|target| !target.ends_with("?learner_id=9"));
        }
        let mut source = source;
        let mut mirror = folder.serve("mirror.redb", "access.ndjson", &[]);
        let learners = [1, 2, 3, 4, 5, 6, 7, 8, 9, 40];
        compare(&mut mirror, &mut source, &seen(&targets), &learners);
    }
}

/// The output of the example equals the one in the README, except for the duration.
#[test]
fn the_readme_shows_what_it_says() {
    let folder = Folder::new();
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    let said = folder.synced(source.address(), "mirror.redb");
    let (_, shown) = README.split_once("```text\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(shown.lines().count(), 2);
    for (shown, said) in shown.lines().zip(said.lines()) {
        let [shown, said] = [shown, said].map(|line| line.split("; ").take(2));
        assert!(shown.eq(said.clone()), "{:?}", said.collect::<Vec<_>>());
    }
}

/// This school needs more requests, so that more of them fail.
#[test]
fn faults_make_no_difference() {
    let school = SampleSchool {
        learners: 40,
        as_of: "2026-05-13".parse().ok(),
        ..SampleSchool::default()
    };
    let mut dataset = String::new();
    school.reader().read_to_string(&mut dataset).unwrap();
    let folder = Folder::with_dataset(&dataset);
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    let through = BlockingProxy::before(source.address(), u64::MAX);
    folder.synced(&through.address, "mirror.redb");
    let (targets, lines) = (through.targets(), folder.lines("mirror.redb"));
    drop(source);
    std::thread::scope(|scope| {
        for seed in 1..=3 {
            let seed = (first_seed() + seed).to_string();
            let (folder, lines) = (&folder, &lines);
            scope.spawn(move || {
                let faults = ["--faults", seed.as_str()];
                let source = folder.serve(&format!("source-{seed}.redb"), "school.ndjson", &faults);
                let store = format!("{seed}.redb");
                let said = folder.synced(source.address(), &store);
                assert!(number(&said, "repeated after a failure") > 4, "{said}");
                assert!(folder.lines(&store) == *lines, "seed {seed}");
            });
        }
    });
    let mut source = folder.serve("source.redb", "school.ndjson", &[]);
    let mut mirror = folder.serve(&format!("{}.redb", first_seed() + 1), "access.ndjson", &[]);
    compare(&mut mirror, &mut source, &seen(&targets), &[1, 2, 3]);
}

/// After a kill, only calls in flight are repeated.
#[test]
fn it_continues_after_a_kill() {
    let folder = Folder::new();
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    let through = BlockingProxy::before(source.address(), u64::MAX);
    folder.synced(&through.address, "at-once.redb");
    let (all, expected) = (through.requests(), folder.lines("at-once.redb"));
    for (index, block_at) in [2, all / 3, all * 2 / 3, all].into_iter().enumerate() {
        let store = format!("{index}.redb");
        let through = BlockingProxy::before(source.address(), block_at);
        let mut command = folder.sync(&through.address, &store);
        let mut killed = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        through.wait_until_blocked();
        if cfg!(unix) && index == 1 {
            // Sends the signal of Ctrl-C.
            let pid = killed.id().to_string();
            let sent = Command::new("kill").args(["-INT", &pid]).status();
            assert!(sent.unwrap().success());
            let (code, said) = outcome(killed.wait_with_output().unwrap());
            assert_eq!(code, Some(130), "{said}");
            assert!(said.contains("Run it again"), "{said}");
        } else {
            killed.kill().unwrap();
            killed.wait().unwrap();
        }
        let through = BlockingProxy::before(source.address(), u64::MAX);
        folder.synced(&through.address, &store);
        assert!(
            through.requests() + block_at <= all + 4,
            "{block_at} of {all}"
        );
        assert_eq!(folder.lines(&store), expected, "{block_at} of {all}");
    }
}

#[test]
fn errors_of_the_arguments_say_what_to_do() {
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
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("See that its id is right"), "{said}");
    assert!(said.contains("authorised the integrator"), "{said}");
    let (code, said) = ran(&|command| {
        command.env_remove("ROLLBOOK_PASSWORD");
    });
    assert_eq!(code, Some(2));
    assert!(said.contains("set ROLLBOOK_PASSWORD"), "{said}");
    for (from, why) in [
        ("http://example.org", "name the service's https address"),
        ("http://127.0.0.1.example.org", "https only"),
        ("http://localhost@example.org", "no credentials"),
        ("http://192.168.1.7:8080", "https only"),
        ("ftp://127.0.0.1", "an address as"),
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

/// Nothing listens at the address, or there is no such host. The example ends after three attempts.
#[test]
fn a_service_that_cannot_be_reached_ends_it() {
    let folder = Folder::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    for from in [closed.as_str(), "https://no-such-host.invalid"] {
        let mut command = folder.sync("127.0.0.1", "mirror.redb");
        let (code, said) = outcome(command.args(["--from", from]).output().unwrap());
        assert_eq!(code, Some(1), "{said}");
        assert_eq!(said.matches("tried again").count(), 3, "{said}");
        let words = "the service could not be reached in three attempts. See that its address is";
        assert!(said.contains(words), "{said}");
    }
}

/// The example follows no redirect with the credentials, and does not read an endless answer.
#[test]
fn a_wrong_service_gets_no_credentials() {
    let folder = Folder::new();
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    let location = elsewhere.local_addr().unwrap();
    let moved = format!(
        "HTTP/1.1 302 Found\r\nLocation: http://{location}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    let endless = "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n".to_owned();
    let gone = "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned();
    for (first, head, is_endless) in [(moved, gone, false), (endless.clone(), endless, true)] {
        let first = Arc::new(Mutex::new(Some(first)));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let first = first.lock().unwrap().take();
                let (mut client, head) = (client.unwrap(), first.unwrap_or_else(|| head.clone()));
                std::thread::spawn(move || {
                    let _ = client.read(&mut [0; 16_384]);
                    let _ = client.write_all(head.as_bytes());
                    while is_endless && client.write_all(&[b' '; 16_384]).is_ok() {}
                });
            }
        });
        let (code, said) = outcome(folder.sync(&address, "mirror.redb").output().unwrap());
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("no answer could be fetched"), "{said}");
    }
    elsewhere.set_nonblocking(true).unwrap();
    assert!(elsewhere.accept().is_err(), "it was followed");
}

/// The seed and the number of a request determine the fault of its answer.
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
    // A slow answer takes two seconds, so the three servers are asked at the same time.
    let [first, again, other] = std::thread::scope(|scope| {
        [
            ("first.redb", "3"),
            ("again.redb", "3"),
            ("other.redb", "2"),
        ]
        .map(|(store, seed)| scope.spawn(move || faults(store, seed)))
        .map(|answers| answers.join().unwrap())
    });
    assert_eq!(again, first);
    assert_ne!(other, first);
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
