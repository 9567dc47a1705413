//! Checks that the lists that are written by hand, and the runners, miss no source, test, suite, page
//! or fuzz target.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the paths of the files with this extension in a folder and its subfolders, relative to
/// the root.
fn files(folder: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == extension) {
                found.push(path.strip_prefix(root()).unwrap().display().to_string());
            }
        }
    }
    assert!(!found.is_empty(), "{folder} has no file *.{extension}");
    found.sort();
    found
}

/// Returns the name of a file without its extension.
fn stem(path: &str) -> &str {
    Path::new(path).file_stem().unwrap().to_str().unwrap()
}

/// Returns the rest of each line that starts with `start`, up to `end`.
fn named<'a>(text: &'a str, start: &str, end: &str) -> BTreeSet<&'a str> {
    let lines = text.lines().map(str::trim_start);
    lines
        .filter_map(|line| Some(line.strip_prefix(start)?.split_once(end)?.0))
        .collect()
}

/// Returns the text of the module that must declare this file as a child, or `None` for the root of
/// a crate.
fn parent(path: &str, crates: &[&str]) -> Option<String> {
    let folder = Path::new(path).parent().unwrap();
    let module = if stem(path) == "mod" {
        folder
    } else {
        Path::new(path)
    };
    let folder = module.parent().unwrap();
    let is_crate =
        |name: &str| crates.iter().any(|root| folder == Path::new(root)) && name != "mod";
    if is_crate(stem(path)) {
        if matches!(stem(path), "main" | "lib") {
            return None;
        }
        let roots = ["main.rs", "lib.rs"].map(|name| folder.join(name));
        return Some(roots.map(|path| text_or_nothing(&path)).concat());
    }
    let beside = folder.with_extension("rs");
    let roots = ["main.rs", "lib.rs"].map(|name| folder.join(name));
    let [main, lib] = roots.map(|path| text_or_nothing(&path));
    Some(
        [
            text_or_nothing(&folder.join("mod.rs")),
            text_or_nothing(&beside),
            main,
            lib,
        ]
        .concat(),
    )
}

fn text_or_nothing(path: &Path) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_default()
}

#[test]
fn each_source_is_a_module() {
    let crates = [
        "core/src",
        "ffi/src",
        "wasm/src",
        "tests/src",
        "tests/suites",
        "benches/src",
    ];
    let mut count = 0;
    for path in crates.iter().flat_map(|folder| files(folder, "rs")) {
        // Cargo finds these files itself.
        if path.contains("/src/bin/") {
            continue;
        }
        let Some(parent) = parent(&path, &crates) else {
            continue;
        };
        let name = match stem(&path) {
            "mod" => stem(Path::new(&path).parent().unwrap().to_str().unwrap()),
            name => name,
        };
        assert!(
            parent.contains(&format!("mod {name};")),
            "{path} is in no module"
        );
        count += 1;
    }
    assert!(count > 500, "{count}");
}

#[test]
fn each_test_is_where_tests_run() {
    // `tests/run` runs the tests of these folders.
    let run = ["core/src/", "ffi/src/", "tests/suites/", "benches/"];
    let attribute = concat!("#[", "test]");
    for folder in ["core", "ffi", "wasm", "tests", "benches", "bindings/tools"] {
        for path in files(folder, "rs") {
            let is_run = run.iter().any(|run| path.starts_with(run))
                || matches!(&*path, "tests/next/next.rs" | "tests/structure/main.rs");
            assert!(
                is_run || !read(&path).contains(attribute),
                "{path} is not run"
            );
        }
    }
}

#[test]
fn each_suite_is_run() {
    let text = read("tests/run");
    let defined = named(&text, "suite_", "() {");
    let words = |start: &str, end: &str| -> BTreeSet<String> {
        let lists = named(&text, start, end);
        let words = lists.iter().flat_map(|list| list.split_whitespace());
        words.map(str::to_owned).collect()
    };
    let defined: BTreeSet<String> = defined.iter().map(|name| (*name).to_owned()).collect();
    assert!(defined.len() > 10, "{defined:?}");
    let listed = &words("usual=(", ")") | &words("long=(", ")");
    assert_eq!(listed, defined);
    let lanes = &words("lane ", " &") | &words("lane ", " ||");
    assert_eq!(lanes, defined);
}

#[test]
fn each_page_is_in_the_guide() {
    let library = read("core/src/lib.rs");
    for page in files("core/docs", "md") {
        let name = page.strip_prefix("core/docs/").unwrap();
        let included = format!("include_str!(\"../docs/{name}\")");
        assert!(library.contains(&included), "{page}");
    }
}

#[test]
fn each_fuzz_target_is_built_and_has_a_corpus() {
    let manifest = read("tests/fuzz/Cargo.toml");
    let targets = files("tests/fuzz/targets", "rs");
    let targets: BTreeSet<&str> = targets.iter().map(|path| stem(path)).collect();
    let built = named(&manifest, "path = \"targets/", ".rs\"");
    assert_eq!(built, targets);
    let corpora = files("tests/fuzz/corpus", "ndjson");
    let corpora: BTreeSet<&str> = corpora.iter().map(|path| stem(path)).collect();
    assert_eq!(corpora, targets);
}

/// pytest finds functions in `test_*.py`, Surefire finds classes named `*Test`, Failsafe those
/// named `*IT`, and `XCTest` finds classes named `*Tests`.
#[test]
fn each_test_has_a_name_that_its_runner_finds() {
    let mut count = 0;
    let mut check =
        |folder: &str, extension: &str, has_test: fn(&str) -> bool, found: fn(&str) -> bool| {
            for path in files(folder, extension) {
                if has_test(&read(&path)) {
                    assert!(found(stem(&path)), "{path}: its runner does not find it");
                    count += 1;
                }
            }
        };
    check(
        "bindings/python/tests",
        "py",
        |text| {
            text.lines()
                .any(|line| line.trim_start().starts_with("def test_"))
        },
        |name| name.starts_with("test_"),
    );
    check(
        "bindings/kotlin/src/test",
        "kt",
        |text| text.contains("@Test") || text.contains("@TestFactory"),
        |name| name.ends_with("Test") || name.ends_with("IT"),
    );
    check(
        "bindings/swift/Tests",
        "swift",
        |text| text.contains("func test"),
        |name| name.ends_with("Tests"),
    );
    assert!(count > 40, "{count}");
}

/// Surefire and Failsafe find a class by its name, which could differ from the name of its file.
#[test]
fn each_class_of_kotlin_is_named_as_its_file() {
    for path in files("bindings/kotlin/src/test", "kt") {
        let text = read(&path);
        if text.contains("@Test") {
            let class = format!("class {}", stem(&path));
            assert!(text.contains(&class), "{path} has no {class}");
        }
    }
}
