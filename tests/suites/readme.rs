//! Checks the README and the guide: the request is answered as shown, the listed endpoints exist,
//! the table of the migration to v2 is correct, measurements are those of the benches, and links
//! lead to existing files.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use rollbook::{Engine, Options, Request};
use rollbook_tests::sample::{PASSWORD, SampleSchool, USERNAME};
use rollbook_tests::world::ENDPOINTS;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const README: &str = include_str!("../../README.md");
const BENCHES: &str = include_str!("../../benches/README.md");
const SAMPLE: &str = include_str!("../../core/examples/sample-school.ndjson");

/// The maximum length of the README.
const MAX_LINES: usize = 230;

/// 2026-05-14T08:00:00Z, the time of the requests in the README.
const SHOWN_AT: i64 = 1_778_745_600;
/// 2026-12-01T00:00:00Z, when the marks of all terms are released.
const LATE: i64 = 1_796_083_200;

/// Returns the endpoints of v1, as the last part of their paths.
fn endpoints() -> BTreeSet<&'static str> {
    let paths = ENDPOINTS.iter().map(|endpoint| endpoint.v1);
    paths
        .filter_map(|path| path.split('/').next_back())
        .collect()
}

/// Returns the endpoint that a path names.
fn named(path: &str) -> Option<&'static str> {
    let mut segments = path.split(['/', '`', '[']);
    segments.find_map(|segment| endpoints().get(segment).copied())
}

/// Returns the requests of v1 and v2 in each row of the migration table.
fn rows() -> Vec<(&'static str, &'static str)> {
    let upgrade = include_str!("../../core/docs/upgrade.md");
    let rows = upgrade
        .lines()
        .filter(|line| line.starts_with("| `/api/v1/"));
    rows.map(|row| {
        let mut quoted = row.split('`').skip(1).step_by(2);
        (quoted.next().unwrap(), quoted.next().unwrap())
    })
    .collect()
}

fn engine() -> Engine {
    let school = SampleSchool {
        learners: 120,
        ..SampleSchool::default()
    };
    assert_eq!(school.school_id, 1000);
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(school.reader()).unwrap();
    engine
}

/// Sends a request at an instant. Both versions find the school in it.
fn ask(engine: &Engine, method: &str, target: &str, now: i64) -> (u16, String) {
    let answer = engine.request(&Request {
        method,
        target,
        headers: &[
            ("HTTP-X-USERNAME", USERNAME),
            ("HTTP-X-PASSWORD", PASSWORD),
            ("HTTP-X-SCHOOLID", "1000"),
        ],
        body: br#"{"school_id":1000,"api_type_id":8,"state":false}"#,
        now: Some(now),
    });
    println!("{method} {target}: {}", answer.status.code);
    (answer.status.code, answer.text().to_owned())
}

#[test]
fn every_row_of_the_migration_table_is_correct() {
    let engine = engine();
    let mut found = BTreeSet::new();
    for (v1, v2) in rows() {
        let upgraded = engine.upgrade(v1).unwrap();
        assert_eq!(upgraded.target, v2);
        let school: Vec<_> = upgraded.headers().collect();
        let mut headers = vec![("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)];
        headers.extend(school.iter().map(|(name, value)| (*name, value.as_str())));
        for target in [v1, v2] {
            let answer = engine.request(&Request {
                target,
                headers: &headers,
                now: Some(LATE),
                ..Request::default()
            });
            assert_eq!(answer.status.code, 200, "{target}: {}", answer.text());
        }
        let path = v1.split('?').next().unwrap();
        found.extend(named(path));
    }
    // The table contains every endpoint whose path changes. The changes of the others are always
    // the same.
    let mut moved = ENDPOINTS
        .iter()
        .filter(|endpoint| endpoint.v1 != endpoint.v2);
    assert!(moved.all(|endpoint| found.contains(named(endpoint.v1).unwrap())));
    assert!(found.len() > 9, "{found:?}");
}

/// Returns the text between this line and the end of its section.
fn section(readme: &'static str, heading: &str) -> &'static str {
    let (_, after) = readme.split_once(heading).unwrap();
    after.split("\n## ").next().unwrap()
}

/// Returns the first code block of a language.
fn block(text: &'static str, language: &str) -> &'static str {
    let (_, after) = text.split_once(&format!("```{language}\n")).unwrap();
    after.split("```").next().unwrap()
}

#[test]
fn the_request_is_answered_as_shown() {
    let started = section(README, "## A sandbox");
    assert!(block(started, "sh").ends_with("\nrollbook serve\n"));
    let shown = section(README, "## A request and its answer");
    let (_, target) = shown.split_once("'http://127.0.0.1:8600").unwrap();
    let target = target.split('\'').next().unwrap();
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(SAMPLE.as_bytes()).unwrap();
    let answer = ask(&engine, "GET", target, SHOWN_AT);
    assert_eq!(answer, (200, block(shown, "json").trim_end().to_owned()));
}

#[test]
fn there_are_as_many_kinds_of_record_as_it_says() {
    let (before, _) = README.split_once(" kinds of record;").unwrap();
    let stated: usize = before.split(' ').next_back().unwrap().parse().unwrap();
    let kinds = Engine::memory(Options::default()).unwrap().stats().unwrap();
    assert_eq!(stated, kinds.records.len());
}

/// Returns the requests of a cell, with and without the part in square brackets.
fn requests(cell: &str, prefix: &str) -> Vec<(String, String, bool)> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted
        .flat_map(|request| {
            let (method, path) = request.split_once(' ').unwrap();
            let (path, rest) = path.split_once('[').unwrap_or((path, ""));
            let filled = |path: &str| path.replace("{school}", "1000").replace("{id}", "1");
            let whole = (!rest.is_empty()).then(|| format!("{path}{}", rest.trim_end_matches(']')));
            let one = whole.as_deref().is_some_and(|path| path.ends_with("{id}"));
            let paths = [
                Some((filled(path), false)),
                whole.map(|path| (filled(&path), one)),
            ];
            paths.into_iter().flatten().map(move |(path, one)| {
                (
                    method.to_owned(),
                    format!("{prefix}{path}?learner_id=1"),
                    one,
                )
            })
        })
        .collect()
}

#[test]
fn the_endpoints_are_there_or_not_as_the_tables_say() {
    let engine = engine();
    let (answered, not_yet) = section(README, "## The endpoints")
        .split_once("Not answered yet")
        .unwrap();
    let mut found = BTreeSet::new();
    for row in answered.lines().filter(|line| line.contains(" | `")) {
        let cells: Vec<_> = row.split('|').collect();
        for (cell, prefix) in [(cells[2], "/api/v1"), (cells[3], "/api/v2")] {
            for (method, target, is_one) in requests(cell, prefix) {
                let (code, body) = ask(&engine, &method, &target, LATE);
                // A record of this id or learner may not exist, but the endpoint must.
                let is_there = body.contains(" records found\"")
                    || (is_one && !body.contains("Route not found"));
                let found = code == 200 || is_there;
                // The update of v1 expects 0 or 1, but the body is for v2.
                assert!(
                    found || (method == "PATCH" && code == 400),
                    "{target}: {body}"
                );
            }
        }
        found.extend(named(cells[2]));
    }
    assert_eq!(found, endpoints());

    let rows = not_yet.lines().filter(|line| line.contains(" | `"));
    let missing: Vec<_> = rows.flat_map(|row| requests(row, "/api/v1")).collect();
    assert!(!missing.is_empty());
    for (method, target, _) in missing {
        let (code, body) = ask(&engine, &method, &target, LATE);
        assert!(
            code == 404 && body.contains("Route not found"),
            "{target}: {body}"
        );
    }
}

#[test]
fn the_table_of_speed_is_that_of_the_benches() {
    let cells = |row: &'static str| -> Vec<_> { row.split('|').map(str::trim).collect() };
    let rows = section(README, "## How fast").lines();
    let rows: Vec<_> = rows
        .filter(|row| row.contains("µs") || row.contains(" ns "))
        .collect();
    let rows: Vec<_> = rows
        .into_iter()
        .filter(|row| row.starts_with('|'))
        .map(cells)
        .collect();
    assert_eq!(rows.len(), 10);
    for row in rows {
        let named = |of: &&Vec<&str>| of.get(1) == row.get(1);
        let measured: Vec<_> = BENCHES.lines().map(cells).collect();
        let measured = measured.iter().find(named).unwrap();
        let same = [1, 2, 3, 5, 7, 9].map(|place| measured[place]);
        assert_eq!(row[1..7], same);
    }
}

#[test]
fn the_program_in_rust_is_the_one_that_the_crate_tests() {
    let core = include_str!("../../core/README.md");
    assert_eq!(block(README, "rust"), block(core, "rust"));
}

#[test]
fn the_first_screen_is_short() {
    assert!(README.lines().count() <= MAX_LINES);
}

/// Returns the Markdown pages of the repository.
fn pages(root: &Path) -> Vec<PathBuf> {
    let mut pages = vec![root.join("README.md")];
    for folder in [
        ".github",
        "benches",
        "bindings/javascript",
        "bindings/javascript/explorer",
        "bindings/kotlin",
        "bindings/python",
        "bindings/swift",
        "core",
        "core/docs",
        "ffi",
        "tests",
        "wasm",
    ] {
        let files = std::fs::read_dir(root.join(folder)).unwrap();
        let files = files.map(|file| file.unwrap().path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    pages
}

#[test]
fn links_between_pages_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut checked = 0;
    for page in pages(root) {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1) {
            let link = link.split(')').next().unwrap();
            let path = link.split('#').next().unwrap();
            let is_elsewhere = ["http", "crate::", "#"]
                .iter()
                .any(|start| link.starts_with(start));
            if is_elsewhere || path.is_empty() {
                continue;
            }
            let target = page.parent().unwrap().join(path);
            assert!(target.exists(), "{}: {link}", page.display());
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked} links");
}

#[test]
fn the_recipes_name_files_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let recipes = include_str!("../../.github/CONTRIBUTING.md");
    let quoted = recipes.split('`').skip(1).step_by(2);
    let paths: BTreeSet<_> = quoted
        .filter(|text| text.contains('/') && !text.contains([' ', '…', '\n']))
        .collect();
    assert!(paths.len() > 40, "{paths:?}");
    for path in paths {
        assert!(root.join(path).exists(), "{path}");
    }
}

#[test]
fn the_contents_of_the_crate_name_every_public_type() {
    let source = include_str!("../../core/src/lib.rs");
    let (contents, code) = source.split_once("mod api;").unwrap();
    let exported = code.split("pub use ").skip(1);
    let names = exported.flat_map(|exported| {
        let path = exported.split(';').next().unwrap();
        path.split(|letter: char| !letter.is_alphanumeric())
            .filter(|name| name.starts_with(char::is_uppercase))
            .collect::<Vec<_>>()
    });
    let names: BTreeSet<_> = names.collect();
    assert!(names.len() > 30, "{names:?}");
    // These are described together, as the content of one module.
    let of_backends = [
        "BackendError",
        "FileBackend",
        "InMemoryBackend",
        "StorageBackend",
    ];
    for name in names.into_iter().filter(|name| !of_backends.contains(name)) {
        assert!(contents.contains(&format!("[`{name}`]")), "{name}");
    }
}
