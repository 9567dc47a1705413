//! The options of `rollbook sync`: repeated passes, approval, a dry run, and reports in JSON.

use super::folder::{Folder, outcome};
use crate::http::server;
use std::process::{Command, Stdio};

const CHANGE: &str =
    r#"{"type":"absentee","school_id":1000,"id":399930,"learner_id":3,"absent_date":"2026-05-14"}"#;

/// Returns lines that delete the marks of this year of a dataset.
fn without_marks(dataset: &str) -> String {
    let marks = dataset
        .lines()
        .filter(|line| line.starts_with(r#"{"type":"mark""#) && line.contains(r#""dtime":"2026"#));
    let deleted = marks.map(|line| {
        let mut mark: serde_json::Value = serde_json::from_str(line).unwrap();
        let members = mark.as_object_mut().unwrap();
        members.retain(|name, _| name == "type" || name.ends_with("_id"));
        members.insert("deleted".to_owned(), true.into());
        format!("{mark}\n")
    });
    deleted.collect()
}

fn run(command: &mut Command) -> (Option<i32>, String) {
    outcome(command.output().unwrap())
}

#[test]
fn a_dry_run_shows_the_changes_and_changes_nothing() {
    let folder = Folder::new();
    folder.write("change.ndjson", CHANGE);
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    folder.synced(source.address(), "mirror.redb");
    drop(source);
    let before = folder.lines("mirror.redb");
    let source = folder.serve("source.redb", "change.ndjson", &[]);
    let mut command = folder.sync(source.address(), "mirror.redb");
    let (code, said) = run(command.arg("--dry-run"));
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.starts_with("A dry run; the store is unchanged.\n1 answers"),
        "{said}"
    );
    assert_eq!(folder.lines("mirror.redb"), before);
    folder.synced(source.address(), "mirror.redb");
    let after = folder.lines("mirror.redb");
    assert_eq!(after.len(), before.len() + 1);
}

#[test]
fn quarantined_answers_are_published_when_they_are_approved() {
    let folder = Folder::new();
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    folder.synced(source.address(), "mirror.redb");
    drop(source);
    let dataset = std::fs::read_to_string(folder.path("school.ndjson")).unwrap();
    folder.write("fewer.ndjson", &without_marks(&dataset));
    let source = folder.serve("source.redb", "fewer.ndjson", &[]);
    let quarantined = "?grade_id=9: 33 of 33 values would be removed";
    let marks = |folder: &Folder| {
        let lines = folder.lines("mirror.redb").into_iter();
        lines
            .filter(|line| line.contains(r#""type":"mark""#) && line.contains("2026"))
            .count()
    };
    let before = marks(&folder);
    assert!(before > 30);
    let (code, said) = run(&mut folder.sync(source.address(), "mirror.redb"));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(quarantined), "{said}");
    assert_eq!(marks(&folder), before);
    let mut command = folder.sync(source.address(), "mirror.redb");
    let (code, said) = run(command.arg("--approve"));
    assert_eq!(code, Some(0), "{said}");
    let (shown, approved) = said.split_once("Approved").unwrap();
    assert!(shown.contains(quarantined), "{said}");
    assert!(!approved.contains("Quarantined"), "{said}");
    assert_eq!(marks(&folder), 0);
    let (_, said) = run(&mut folder.sync(source.address(), "mirror.redb"));
    assert!(!said.contains("Quarantined"), "{said}");
}

#[test]
fn a_report_in_json_has_the_counts_and_the_coverage() {
    let folder = Folder::new();
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    let mut command = folder.sync(source.address(), "mirror.redb");
    let (code, said) = run(command.arg("--json"));
    assert_eq!(code, Some(0), "{said}");
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(report["school"], 1000);
    assert_eq!(report["added_or_changed"], 57);
    assert_eq!(report["failed"], serde_json::json!([]));
    let coverage = report["coverage"].as_array().unwrap();
    let learners = coverage
        .iter()
        .find(|part| part["data"] == "the current learners");
    let as_of = learners.unwrap()["as_of"].as_str().unwrap();
    assert!(as_of.starts_with("2026-05-14T08:0"), "{as_of}");
}

/// A reader that has closed the pipe wants no more.
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::new();
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    for json in [&[][..], &["--json"]] {
        let mut command = folder.sync(source.address(), "mirror.redb");
        let mut syncing = command.args(json).stdout(Stdio::piped()).spawn().unwrap();
        drop(syncing.stdout.take());
        assert_eq!(syncing.wait().unwrap().code(), Some(0));
    }
}

/// Passes are repeated until Ctrl-C.
#[cfg(unix)]
#[test]
fn passes_are_repeated() {
    let folder = Folder::new();
    let source = folder.serve("source.redb", "school.ndjson", &[]);
    let mut command = folder.sync(source.address(), "mirror.redb");
    let mut syncing = command
        .args(["--every", "100ms", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let stored = |line: &str| {
        let report: serde_json::Value = serde_json::from_str(line).unwrap();
        report["added_or_changed"].as_u64().unwrap()
    };
    assert_eq!(stored(&server::first_line(&mut syncing)), 57);
    for _ in 0..2 {
        assert_eq!(stored(&server::first_line(&mut syncing)), 0);
    }
    let pid = syncing.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status();
    assert!(sent.unwrap().success());
    assert_eq!(syncing.wait().unwrap().code(), Some(130));
}
