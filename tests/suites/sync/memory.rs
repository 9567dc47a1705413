//! The memory of a sync is limited to 100 MB in a first pass over a school of 3,000 learners and in
//! a second one, and to the cache and 64 MB for any answer.
#![cfg(target_os = "linux")]

use super::machine::options;
use super::reading::until;
use super::{ACCESS, NOW, SCHOOL, get, reply};
use crate::memory::{BEYOND_CACHE, Child};
use rollbook::{Engine, Options, Reply, ReplyOutcome, Step, Sync, SyncOptions};
use rollbook_tests::sample::SampleSchool;
use rollbook_tests::search::extent;
use rollbook_tests::storage::child;
use std::fs;
use std::mem::discriminant;
use std::path::Path;

const CACHE: usize = 4 << 20;

/// The maximum length of an answer.
const MOST: usize = 32 << 20;

/// Runs a pass with replies from a folder. It has one file per call, with the status and a line
/// break first.
fn pass(sync: &Sync, folder: &Path) -> usize {
    let mut calls = 0;
    loop {
        match sync.next(NOW).unwrap() {
            Step::Send(call) => {
                let file = fs::read(folder.join(call.id.to_string())).unwrap();
                let (status, body) = file.split_at(4);
                let reply = Reply {
                    status: String::from_utf8_lossy(status).trim().parse().unwrap(),
                    body,
                    ..Reply::default()
                };
                let taken = sync.handle_reply(call.id, NOW, &reply).unwrap();
                assert!(
                    matches!(taken, ReplyOutcome::Stored | ReplyOutcome::Unchanged),
                    "{taken:?}"
                );
                calls += 1;
            }
            Step::Done(_) => return calls,
            other => panic!("{other:?}"),
        }
    }
}

/// Returns answers that are larger than those of the service: a description, the target, the
/// status, the body and the outcome.
fn large() -> [(&'static str, &'static str, u16, Vec<u8>, ReplyOutcome); 7] {
    let many = |head: &str, each: &dyn Fn(usize) -> String, tail: &str| {
        let mut body = head.to_owned();
        while body.len() < MOST - 200 {
            let each = each(body.len());
            body += &each;
            body.push(',');
        }
        body.pop();
        (body + tail).into_bytes()
    };
    let learners = "learners/1000?status=current";
    let assessments = r#"{"9":{"years":{"2026":{"year":"2026","terms":{"1":{"term":"1","learners":{"1":{"learner_id":"1","subjects":{"1":{"subject_id":"1","learning_outcomes":{"1":{"learning_outcome_id":"1","assessments":{"#;
    [
        (
            "100 MB of nothing",
            learners,
            200,
            vec![b' '; 100_000_000],
            ReplyOutcome::Failed,
        ),
        (
            "100 MB of an error",
            learners,
            404,
            many("{", &|_| r#""error":"""#.to_owned(), "}").repeat(3),
            ReplyOutcome::Retry { at: 0 },
        ),
        (
            "a long name",
            learners,
            200,
            format!(
                r#"[{{"id":"1","first_name":"{}"}}]"#,
                "\\n".repeat(MOST / 2 - 100)
            )
            .into_bytes(),
            ReplyOutcome::Stored,
        ),
        (
            "many unknown fields",
            learners,
            200,
            many(r#"[{"id":"1","#, &|at| format!(r#""new{at}":1"#), "}]"),
            ReplyOutcome::Stored,
        ),
        (
            "many learners",
            learners,
            200,
            many("[", &|at| format!(r#"{{"id":"{at}"}}"#), "]"),
            ReplyOutcome::Stored,
        ),
        (
            "many who take subjects",
            "learnersubjects/",
            200,
            many(
                "[",
                &|at| format!(r#"{{"learner_id":{at},"subject_id":1}}"#),
                "]",
            ),
            ReplyOutcome::Stored,
        ),
        (
            "many assessments",
            "grade_id=9&year",
            200,
            many(
                assessments,
                &|at| {
                    format!(
                        r#""{at}":{{"assessment_id":"{at}","assessment_date":"2026-02-01","weight":"1"}}"#
                    )
                },
                "}".repeat(16).as_str(),
            ),
            ReplyOutcome::Failed,
        ),
    ]
}

fn live(task: &str) {
    let folder = Path::new(task);
    let mut child = Child::new();
    let mirror = child.step("open", || {
        let cache_bytes = CACHE;
        let options = Options {
            cache_bytes,
            ..Options::default()
        };
        Engine::open(folder.join("store"), options).unwrap()
    });
    for name in ["first pass", "second pass"] {
        let calls = child.step(name, || {
            let sync = mirror.sync(SCHOOL, options(u32::MAX)).unwrap();
            pass(&sync, &folder.join(name))
        });
        assert!(calls > extent(250, 5_000), "{calls}");
    }
    for (name, target, status, body, outcome) in large() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            cache_bytes: CACHE,
            ..Options::default()
        };
        let mirror = Engine::open(folder.path().join("store"), options).unwrap();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let call = until(&sync, |asked| asked.contains(target));
        let reply = Reply {
            status,
            body: &body,
            ..Reply::default()
        };
        let mut child = Child::new();
        let taken = child.step(name, || sync.handle_reply(call, NOW, &reply).unwrap());
        assert_eq!(
            discriminant(&taken),
            discriminant(&outcome),
            "{name}: {taken:?}"
        );
    }
}

/// Stores the answers of a service in two passes over a school.
fn write(folder: &Path) {
    let source = Engine::memory(Options::default()).unwrap();
    let school = SampleSchool {
        school_id: SCHOOL,
        learners: extent(150, 3_000),
        ..SampleSchool::default()
    };
    source.apply(school.reader()).unwrap();
    source.apply(ACCESS.as_bytes()).unwrap();
    let mirror = Engine::memory(Options::default()).unwrap();
    for name in ["first pass", "second pass"] {
        let folder = folder.join(name);
        fs::create_dir(&folder).unwrap();
        let sync = mirror.sync(SCHOOL, options(u32::MAX)).unwrap();
        loop {
            match sync.next(NOW).unwrap() {
                Step::Send(call) => {
                    let answer = get(&source, &call.target, NOW);
                    let status = format!("{}\n", answer.status.code);
                    let file = [status.as_bytes(), &answer.body].concat();
                    fs::write(folder.join(call.id.to_string()), file).unwrap();
                    sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
                }
                Step::Done(_) => break,
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn a_pass_stays_within_its_bounds() {
    if let Some(task) = child::task() {
        return live(&task);
    }
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let test = "sync::memory::a_pass_stays_within_its_bounds";
    let mut child = child::start(test, folder.path().to_str().unwrap());
    let mut beyond = Vec::new();
    for line in child::lines(child.stdout.take().unwrap()) {
        println!("{line}");
        let peak = line.split('|').nth(1).unwrap().parse::<u64>().unwrap();
        let most = if line.contains(" pass|") {
            100_000_000
        } else {
            BEYOND_CACHE + CACHE as u64
        };
        if peak > most {
            beyond.push(line);
        }
    }
    assert!(child.wait().unwrap().success(), "the child failed");
    assert_eq!(beyond, [""; 0]);
}
