//! The structure of `core/src`: a module uses only the layers below its own, no two files depend on
//! each other in a circle, no file and no folder is too large, and the words are ordinary ones.
//!
//! A file depends on another one if it names something that is defined there, or calls a method that
//! this file adds to a type of another one: on `self`, or by a name that no other method has. Names
//! are followed through re-exports to the file that defines them. Modules of tests are left out.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

mod dependencies;

use dependencies::{Dependencies, ModulePath, dependencies};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, from the top down. The modules of one layer do not use each other, except in the
/// lowest layer.
const LAYERS: [&[&str]; 9] = [
    &["fuzzing", "http", "openapi"],
    &["engine", "records"],
    &["feed", "sync"],
    &["api"],
    &["dataset"],
    &["query"],
    &["record"],
    &["store"],
    &[
        "clock", "date", "entropy", "error", "json", "platform", "url", "varint",
    ],
];

/// The maximum number of lines of a file.
const MAX_LINES: usize = 450;
/// The maximum number of files in a folder, without `mod.rs`.
const MAX_FILES: usize = 16;

/// Words with a private meaning that the sources once had, and how many lines may still contain
/// one. Use the terms of databases and HTTP: store, cache, report, contain, unchanged, again.
const AVOIDED_WORDS: [&str; 27] = [
    "tell", "tells", "told", "telling", "keep", "keeps", "kept", "keeping", "hold", "holds",
    "held", "holding", "come", "comes", "came", "coming", "goes", "went", "going", "gone",
    "whoever", "nobody", "stand", "stands", "lies", "anew", "bake",
];
const MAX_AVOIDED: usize = 40;

/// Folders with one file for each kind of record, and for each endpoint.
const CATALOGUES: [&str; 2] = ["record/kinds", "query/endpoints"];

fn core() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src")
}

fn shown(path: &[String]) -> String {
    format!("crate::{}", path.join("::"))
}

fn layer(path: &[String]) -> Option<usize> {
    let top = path.first()?;
    let layer = LAYERS
        .iter()
        .position(|layer| layer.contains(&top.as_str()));
    assert!(
        layer.is_some(),
        "{top} is in no layer: add it to LAYERS and to design.md"
    );
    layer
}

#[test]
fn modules_use_only_the_layers_below() {
    let mut upward = Vec::new();
    for (from, used) in dependencies() {
        for to in used.into_keys() {
            let (Some(above), Some(below)) = (layer(&from), layer(&to)) else {
                continue;
            };
            let is_within = from[0] == to[0] || above == LAYERS.len() - 1 && below == above;
            if below <= above && !is_within {
                upward.push(format!("{} -> {}", shown(&from), shown(&to)));
            }
        }
    }
    assert!(upward.is_empty(), "upward: {upward:#?}");
}

/// Returns the members of circles among the nodes of a graph, with the names that make each edge.
/// A node is in a circle if it depends on itself, directly or indirectly.
fn circles(graph: &Dependencies) -> Vec<String> {
    let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> = graph
        .keys()
        .map(|from| {
            let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(at) = open.pop() {
                open.extend(graph[at].keys().filter(|to| reached.insert(*to)));
            }
            (from, reached)
        })
        .collect();
    let mut circles = Vec::new();
    for (from, used) in graph {
        for (to, names) in used {
            if reached[to].contains(from) {
                circles.push(format!("{} -> {}: {names:?}", shown(from), shown(to)));
            }
        }
    }
    circles
}

#[test]
fn no_files_depend_on_each_other_in_a_circle() {
    let dependencies = dependencies();
    let count: usize = dependencies.values().map(BTreeMap::len).sum();
    assert!(count > 1_000, "{count} dependencies");
    let names = dependencies.values().flat_map(BTreeMap::values).flatten();
    let methods = names.filter(|name| name.starts_with('.')).count();
    assert!(methods > 100, "{methods} calls of methods");
    let circles = circles(&dependencies);
    assert!(circles.is_empty(), "{circles:#?}");
}

/// In each folder, its files and subfolders depend on each other in one direction only.
#[test]
fn no_folders_depend_on_each_other_in_a_circle() {
    let dependencies = dependencies();
    let folders: BTreeSet<&[String]> = dependencies
        .keys()
        .flat_map(|module| (0..module.len()).map(|depth| &module[..depth]))
        .collect();
    assert!(folders.len() > 30, "{} folders", folders.len());
    let mut found = Vec::new();
    for folder in folders {
        let child = |module: &ModulePath| match module.strip_prefix(folder) {
            Some([]) => Some([folder, &["mod".to_owned()]].concat()),
            Some([first, ..]) => Some([folder, std::slice::from_ref(first)].concat()),
            None => None,
        };
        let mut children = Dependencies::new();
        for (from, used) in &dependencies {
            let Some(from) = child(from) else { continue };
            let edges = children.entry(from.clone()).or_default();
            for (to, names) in used {
                if let Some(to) = child(to).filter(|to| *to != from) {
                    edges.entry(to).or_default().extend(names.iter().cloned());
                }
            }
        }
        found.extend(circles(&children));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Collects the files below a folder, including tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn files_and_folders_are_small() {
    let mut found = Vec::new();
    files(&core(), &mut found);
    let (mut problems, mut folders) = (Vec::new(), BTreeMap::new());
    for path in found
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
    {
        let lines = fs::read_to_string(path).unwrap().lines().count();
        let short = path.strip_prefix(core()).unwrap().display().to_string();
        if lines > MAX_LINES {
            problems.push(format!("{short} has {lines} lines"));
        }
        *folders
            .entry(path.parent().unwrap().to_owned())
            .or_insert(0) += 1;
    }
    for (folder, count) in folders {
        let folder = folder.strip_prefix(core()).unwrap().display().to_string();
        if count > MAX_FILES + 1 && !CATALOGUES.contains(&folder.as_str()) {
            problems.push(format!("{folder} has {count} files"));
        }
    }
    assert!(found.len() > 100, "{} files", found.len());
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn sources_use_ordinary_words() {
    let mut found = Vec::new();
    files(&core(), &mut found);
    let mut avoided = Vec::new();
    for path in found {
        let source = fs::read_to_string(&path).unwrap();
        for (number, line) in (1..).zip(source.lines()) {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|word| AVOIDED_WORDS.contains(&word.to_lowercase().as_str())) {
                let short = path.strip_prefix(core()).unwrap().display();
                avoided.push(format!("{short}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(
        avoided.len() <= MAX_AVOIDED,
        "more than {MAX_AVOIDED} lines have a word of AVOIDED_WORDS: {avoided:#?}"
    );
}

/// The description of a folder lists its modules as `` `name`: `` or `` `name`, `other`: ``.
#[test]
fn descriptions_of_folders_name_existing_modules() {
    let mut found = Vec::new();
    files(&core(), &mut found);
    let (mut count, mut unknown) = (0, Vec::new());
    for path in found.iter().filter(|path| path.ends_with("mod.rs")) {
        let folder = path.parent().unwrap();
        let source = fs::read_to_string(path).unwrap();
        let description: Vec<&str> = source
            .lines()
            .filter_map(|line| line.strip_prefix("//!"))
            .collect();
        let description = description.join("");
        let parts: Vec<&str> = description.split('`').collect();
        let mut is_listed = false;
        // From the end, so that a name before a comma is listed if the name after it is.
        for pair in parts[1..].chunks_exact(2).rev() {
            let [name, after] = pair else { continue };
            is_listed = after.starts_with(':') || is_listed && matches!(*after, ", " | ",   ");
            if is_listed {
                count += 1;
                let exists =
                    folder.join(name).exists() || folder.join(format!("{name}.rs")).exists();
                if !exists {
                    let short = path.strip_prefix(core()).unwrap().display();
                    unknown.push(format!("{short}: {name}"));
                }
            }
        }
    }
    assert!(count > 80, "{count} names");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// The tree in `design.md` has a line for each folder, indented by its depth: `name/  description`.
#[test]
fn the_guide_lists_each_folder() {
    let guide = fs::read_to_string(core().join("../docs/design.md")).unwrap();
    let tree = guide.split_once("```text\ncore/src\n").unwrap().1;
    let tree = tree.split_once("```").unwrap().0;
    let (mut listed, mut at) = (BTreeSet::new(), Vec::new());
    for line in tree.lines() {
        let name = line.trim_start();
        at.truncate((line.len() - name.len()) / 2 - 1);
        at.push(name.split_once('/').unwrap().0);
        listed.insert(at.join("/"));
    }
    let mut found = Vec::new();
    files(&core(), &mut found);
    let is_test = |path: &&str| path.contains("/tests/") || path.ends_with("/tests.rs");
    let folders: BTreeSet<String> = found
        .iter()
        .map(|path| path.strip_prefix(core()).unwrap().to_str().unwrap())
        .filter(|path| !is_test(path))
        .filter_map(|path| Some(path.rsplit_once('/')?.0.to_owned()))
        .collect();
    assert_eq!(listed, folders);
}
