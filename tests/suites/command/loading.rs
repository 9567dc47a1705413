//! Tests of `rollbook load`.

use super::folder::Folder;
use super::{SAMPLE, engine_with, export, json, sample};
use flate2::Compression;
use flate2::write::GzEncoder;
use rollbook::{Counts, Credentials, Engine, Options, Summary};
use serde_json::{Value, json};
use std::io::Write;

/// A learner is added, one is changed, and one is removed.
const CHANGES: &str = r#"{"type":"learner","school_id":1000,"id":40,"last_name":"Nel"}
{"type":"learner","school_id":1000,"id":1,"last_name":"Nel"}
{"type":"learner","school_id":1000,"id":9,"deleted":true}"#;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn counts(counts: Counts) -> Value {
    json!({
        "added": counts.added,
        "changed": counts.changed,
        "removed": counts.removed,
        "unchanged": counts.unchanged,
    })
}

/// Checks the output of a load against the summary of the engine.
fn is_reported(out: &str, summary: &Summary) {
    let found = json(out);
    let kinds: serde_json::Map<_, _> = summary
        .kinds()
        .map(|(kind, of)| (kind.to_owned(), counts(of)))
        .collect();
    assert_eq!(found["kinds"], Value::Object(kinds));
    assert_eq!(found["total"], counts(summary.total()));
    assert_eq!(found["lines"], summary.lines);
    assert_eq!(found["bytes"], summary.bytes);
}

#[test]
fn it_reports_what_the_engine_reports() {
    let folder = Folder::new();
    let engine = Engine::memory(Options::default()).unwrap();
    for (name, dataset) in [("school", sample().as_str()), ("changes", CHANGES)] {
        folder.write(name, dataset);
        let summary = engine.apply(dataset.as_bytes()).unwrap();
        let out = folder.succeed(&format!("load --store a.redb --json {name}"));
        is_reported(&out, &summary);
        let table = folder.succeed(&format!("load --store b.redb {name}"));
        let mut rows = summary.kinds().chain([("total", summary.total())]);
        let mut lines = table.lines();
        let header: Vec<_> = lines.next().unwrap().split_whitespace().collect();
        assert_eq!(header, ["added", "changed", "removed", "unchanged"]);
        for line in lines {
            let cells: Vec<_> = line.split_whitespace().collect();
            let (kind, of) = rows.next().unwrap();
            let numbers = [of.added, of.changed, of.removed, of.unchanged].map(|n| n.to_string());
            let found = cells.split_first().unwrap();
            assert_eq!(found, (&kind, &numbers.each_ref().map(String::as_str)[..]));
        }
        assert!(rows.next().is_none());
    }
    for store in ["a.redb", "b.redb"] {
        assert_eq!(folder.records(store), export(&engine, Credentials::Keep));
    }
}

/// The files have no line feed at their end, a byte order mark at their start, or are compressed.
#[test]
fn several_datasets_are_loaded_as_one() {
    let folder = Folder::new();
    let expected = export(&engine_with(CHANGES), Credentials::Keep);
    folder.write("1", sample().trim_end());
    folder.write("2", "");
    let changes: Vec<&str> = CHANGES.lines().collect();
    folder.write("3", gzip(format!("\u{feff}{}", changes[0]).as_bytes()));
    folder.write("4", format!("\u{feff}{}\n", changes[1]));
    let stdin = gzip(changes[2].as_bytes());
    let loaded = folder.pipe(&stdin, "load --store a.redb --json 1 2 3 4 -");
    assert_eq!((loaded.code, loaded.err.as_str()), (Some(0), ""));
    let together = format!("{}\n{}\n", sample().trim_end(), CHANGES);
    assert_eq!(json(&loaded.out)["lines"], together.lines().count());
    assert_eq!(folder.records("a.redb"), expected);

    // A fault in one of them leaves the store unchanged.
    folder.write("5", "\n{\"type\":\"grade\",\"school_id\":1000}");
    folder.write("6", r#"{"type":"learner","school_id":1000,"id":41}"#);
    let said = folder.fail("load --store a.redb 6 5 6", 1);
    let fault = "error: 5:2: grade: grade_id: is missing\n";
    assert!(said.starts_with(fault), "{said}");
    assert!(said.contains("Nothing was stored"), "{said}");
    assert_eq!(folder.records("a.redb"), expected);
}

#[test]
fn a_school_can_be_replaced() {
    let folder = Folder::with_store();
    let school = r#"{"type":"school","school_id":1000,"current_year":2026}
{"type":"learner","school_id":1000,"id":1,"last_name":"Nel"}"#;
    folder.write("school", school);
    let engine = engine_with("");
    let summary = engine.replace_school(1000, school.as_bytes()).unwrap();
    assert!(summary.total().removed > 50);
    let out = folder.succeed("load --store school.redb --replace-school 1000 --json school");
    is_reported(&out, &summary);
    let expected = export(&engine, Credentials::Keep);
    assert_eq!(folder.records("school.redb"), expected);

    let said = folder.fail("load --store school.redb --replace-school 1001 school", 1);
    assert!(said.starts_with("error: school:1: "), "{said}");
    assert_eq!(folder.records("school.redb"), expected);
}

#[test]
fn a_dataset_that_cannot_be_read_is_named() {
    let folder = Folder::new();
    folder.write("school", SAMPLE);
    let packed = gzip(SAMPLE.as_bytes());
    folder.write("cut.gz", &packed[..packed.len() / 2]);
    std::fs::create_dir(folder.path("folder")).unwrap();
    for (arguments, code, expected) in [
        ("school missing", 1, "missing: there is no such dataset"),
        ("folder", 1, "folder is a folder"),
        ("- school -", 2, "stdin (-) can be given only once"),
        ("", 2, "DATASET"),
    ] {
        let line = format!("load --store new.redb {arguments}");
        let said = folder.fail(line.trim_end(), code);
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(folder.names(), ["cut.gz", "folder", "school"]);
    let said = folder.fail("load --store new.redb cut.gz", 1);
    assert!(
        said.contains("cut.gz: the dataset cannot be read"),
        "{said}"
    );
    assert_eq!(folder.records("new.redb"), "");
    let said = folder.fail("load --store school school", 1);
    assert!(said.contains("school is not a Rollbook store"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_load_stores_nothing() {
    use std::process::{Command, Stdio};
    let folder = Folder::with_store();
    let before = folder.records("school.redb");
    let mut load = folder.command("load --store school.redb -");
    let mut load = load.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = load.stdin.take().unwrap();
    // This is more than the buffer of the pipe, so that the command has read some of it.
    for id in 0..10_000 {
        let line = format!(r#"{{"type":"learner","school_id":1000,"id":{id}}}"#);
        writeln!(stdin, "{line}").unwrap();
    }
    let mut kill = Command::new("kill");
    let sent = kill.args(["-TERM", &load.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert!(!load.wait().unwrap().success());
    assert_eq!(folder.records("school.redb"), before);
}
