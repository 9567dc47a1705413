//! Tests of `rollbook check`.

use super::folder::Folder;
use super::{SAMPLE, json};
use rollbook::{Engine, Options};
use serde_json::{Value, json};

const FAULTY: &str = r#"{"type":"school","school_id":1,"current_year":2026}

{"type":"learner","school_id":1,"id":7,"date_of_birth":"2018-02-30"}
{"type":"learner","school_id":1,"id":8}
{"type":"learner","school_id":1,"id":9,"colour":"blue"}"#;
const OTHER: &str = "{\"type\":\"grade\",\"school_id\":1}\n";
/// A record whose school is in the sample.
const TERM: &str = r#"{"type":"term","school_id":1000,"year":2027,"term":1,"term_id":1}"#;

/// Returns the faults that the engine finds in each dataset, with their files.
fn faults(files: &[(&str, &str)]) -> Vec<(String, u64, String)> {
    let engine = Engine::memory(Options::default()).unwrap();
    let found = files.iter().flat_map(|(file, dataset)| {
        let faults = engine.check(dataset.as_bytes(), 100).unwrap();
        let named = |fault: rollbook::Fault| ((*file).to_owned(), fault.line, fault.what);
        faults.into_iter().map(named)
    });
    found.collect()
}

#[test]
fn faults_have_their_file_and_line() {
    let folder = Folder::new();
    folder.write("faulty", FAULTY);
    folder.write("other", OTHER);
    let expected = faults(&[("faulty", FAULTY), ("other", OTHER), ("stdin", OTHER)]);
    let lines: Vec<_> = expected.iter().map(|(_, line, _)| *line).collect();
    assert_eq!(lines, [3, 5, 1, 1]);
    let found = folder.pipe(OTHER.as_bytes(), "check faulty other -");
    let text = expected.iter();
    let text = text.map(|(file, line, what)| format!("{file}:{line}: {what}\n"));
    assert_eq!(found.out, text.collect::<String>());
    assert_eq!((found.code, found.err.as_str()), (Some(1), "4 faults.\n"));

    let found = folder.pipe(OTHER.as_bytes(), "check --json faulty other -");
    let objects: Vec<Value> = found.out.lines().map(json).collect();
    let all = expected.iter();
    let all = all.map(|(file, line, what)| json!({"file": file, "line": line, "what": what}));
    assert_eq!(objects, all.collect::<Vec<_>>());
    assert_eq!(found.code, Some(1));

    for (limit, more) in [(1, true), (3, true), (4, false), (u32::MAX, false)] {
        let line = format!("check faulty other - --limit {limit}");
        let found = folder.pipe(OTHER.as_bytes(), &line);
        let shown = expected.len().min(limit as usize);
        assert_eq!(found.out.lines().count(), shown);
        assert_eq!(found.err.contains("There are more faults"), more);
        assert_eq!(found.code, Some(1));
    }
    assert_eq!(folder.names(), ["faulty", "other"]);
}

#[test]
fn a_school_can_be_in_another_dataset_or_in_a_store() {
    let folder = Folder::with_store();
    let before = folder.records("school.redb");
    folder.write("term", TERM);
    folder.write("school", SAMPLE);
    let found = folder.run("check term");
    let expected = faults(&[("term", TERM)]);
    assert_eq!(found.out, format!("term:1: {}\n", expected[0].2));
    assert_eq!((found.code, found.err.as_str()), (Some(1), "1 fault.\n"));
    for line in ["check term school", "check --store school.redb term"] {
        let found = folder.run(line);
        assert_eq!((found.code, found.out.as_str()), (Some(0), ""), "{line}");
        assert!(found.err.starts_with("No faults in "), "{}", found.err);
    }
    assert_eq!(folder.records("school.redb"), before);
}

#[test]
fn wrong_arguments_are_refused() {
    let folder = Folder::new();
    folder.write("term", TERM);
    for (line, code, expected) in [
        ("check missing", 1, "missing: there is no such dataset"),
        (
            "check --store none.redb term",
            1,
            "none.redb: there is no such store",
        ),
        ("check --limit 0 term", 2, "--limit"),
        ("check", 2, "DATASET"),
    ] {
        let said = folder.fail(line, code);
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(folder.names(), ["term"]);
}
