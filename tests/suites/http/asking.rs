//! `rollbook ask`: one question to a store, without a server and without a login.

use super::server;
use rollbook::{Engine, Options, Request};
use std::path::PathBuf;
use std::process::Stdio;

const SAMPLE: &str = include_str!("../../../core/examples/sample-school.ndjson");
/// 2026-05-14T08:00:00Z.
const NOW: i64 = 1_778_745_600;

struct Store {
    folder: tempfile::TempDir,
    engine: Engine,
}

impl Store {
    /// Makes a store of the sample schools, or of only one of them.
    fn new(is_one: bool) -> Store {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(folder.path().join("store.redb"), Options::default()).unwrap();
        engine.apply(SAMPLE.as_bytes()).unwrap();
        if is_one {
            engine.remove_school(1001).unwrap();
        }
        engine.close().unwrap();
        let engine = Engine::memory(Options::default()).unwrap();
        engine.apply(SAMPLE.as_bytes()).unwrap();
        Store { folder, engine }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("store.redb")
    }

    fn ask(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = server::rollbook("ask")
            .arg("--store")
            .arg(self.path())
            .args(["--now", "2026-05-14T08:00:00Z"])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
        let [out, err] = said;
        (output.status.code(), out, err)
    }

    /// Returns the engine's answer to a request with the sample's login.
    fn expected(&self, target: &str) -> (u16, String) {
        let headers = [
            ("HTTP-X-USERNAME", "demo"),
            ("HTTP-X-PASSWORD", "demo"),
            ("HTTP-X-SCHOOLID", "1000"),
        ];
        let answer = self.engine.request(&Request {
            target,
            headers: &headers,
            now: Some(NOW),
            ..Request::default()
        });
        (answer.status.code, answer.text().to_owned())
    }
}

/// Each endpoint of v1 is a subcommand, and its parameters are options.
#[test]
fn a_question_is_answered_as_the_request() {
    let store = Store::new(true);
    for (question, target) in [
        (
            &["learners", "--grade", "9", "--name", "zoe"][..],
            "/api/v1/adminplus/learners/1000?grade_id=9&name=zoe",
        ),
        (
            &["learners", "--name", "van der Merwe"],
            "/api/v1/adminplus/learners/1000?name=van%20der%20Merwe",
        ),
        (
            &["learners", "--grade-id", "8,9", "--include-parents"],
            "/api/v1/adminplus/learners/1000?grade_id=8,9&include_parents",
        ),
        (
            &["learners", "--status", "left"],
            "/api/v1/adminplus/learners/1000?status=left",
        ),
        (
            &["learnerabsentees", "--learner", "1"],
            "/api/v1/adminplus/learnerabsentees/1000?learner_id=1",
        ),
        (
            &["learnersubjectmarks", "--learner-id", "1"],
            "/api/v1/currplus/learnersubjectmarks/1000?learner_id=1",
        ),
        (
            &["learnerassessmentmarks", "--grade", "9", "--structure=1"],
            "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9&structure=1",
        ),
        (&["school"], "/api/v1/adminplus/school/1000"),
        (&["grade"], "/api/v1/adminplus/lookup/grade/1000"),
        (&["language"], "/api/v1/adminplus/lookup/language"),
        (
            &["language", "--id", "2"],
            "/api/v1/adminplus/lookup/language/2",
        ),
        (&["schools"], "/api/v1/finplus/debtmanagement/schools/1000"),
        (&["clients"], "/api/v1/settings/clients/1000"),
        (
            &["/api/v2/adminplus/learners?limit=50"],
            "/api/v2/adminplus/learners?limit=50",
        ),
    ] {
        let (code, out, err) = store.ask(&[&["--json"], question].concat());
        let expected = store.expected(target);
        assert_eq!(expected.0, 200, "{target}");
        assert_eq!(
            (code, out.trim_end()),
            (Some(0), expected.1.as_str()),
            "{question:?} {err}"
        );
    }
}

#[test]
fn a_table_shows_the_fields() {
    let store = Store::new(true);
    let (code, out, err) = store.ask(&["learners", "--grade", "9", "--fields", "id,last_name"]);
    assert_eq!(code, Some(0), "{err}");
    let rows: Vec<Vec<&str>> = out
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let expected: [&[&str]; 4] = [
        &["id", "last_name"],
        &["1", "Smith"],
        &["3", "van", "der", "Merwe"],
        &["4", "Dlamini"],
    ];
    assert_eq!(rows, expected);
    let (_, out, _) = store.ask(&["school"]);
    let name = out.lines().next().unwrap();
    assert_eq!(
        name.split_whitespace().collect::<Vec<_>>(),
        ["school_name", "d6+", "Primary", "School"]
    );
    let (code, _, err) = store.ask(&["learners", "--fields", "id,shoe_size"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("no field shoe_size"), "{err}");
}

#[test]
fn what_is_refused_or_unknown_fails_with_its_reason() {
    let store = Store::new(false);
    for (question, code, why) in [
        (&["learners"][..], 2, "give --school ID"),
        (
            &["learners", "--school", "1000", "--grade", "x"],
            1,
            "grade_id must be",
        ),
        (
            &["learners", "--school", "1000", "--name", "nobody"],
            1,
            "404 ",
        ),
        (
            &["learnersubjectmarks", "--school", "1000"],
            2,
            "--learner-id",
        ),
        (&["pupils"], 2, "unknown question 'pupils'"),
        (&["/api/v1/pupils"], 1, "Route not found"),
        (
            &["/api/v1/settings/clients", "--school", "1"],
            2,
            "before the target",
        ),
        (&[], 2, "Usage: rollbook ask"),
    ] {
        let (found, out, err) = store.ask(question);
        assert_eq!(
            (found, out.as_str()),
            (Some(code), ""),
            "{question:?} {err}"
        );
        assert!(err.contains(why), "{question:?}: {err}");
    }
    let none = store.folder.path().join("none.redb");
    let output = server::rollbook("ask")
        .arg("--store")
        .arg(&none)
        .arg("schools")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!none.exists());
}
