//! Pages and states of v2 with stores in files: they remain valid after closing and copying the
//! store, and agree with v1.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

mod upgraded;
mod walked;

use crate::golden::golden;
use rollbook::{Credentials, Engine, Learners, Options, Page};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, options, school};
use serde_json::Value;
use std::path::Path;
use walked::types::{self, Seen};
use walked::{ask, collections, cursor, found, get, pages, records, with};

/// Makes a store in a file with two schools.
fn store(path: &Path) -> Engine {
    let engine = Engine::open(path, options()).unwrap();
    for (id, learners) in [(SCHOOL, 30), (OTHER, 10)] {
        engine.apply(school(id, learners).as_bytes()).unwrap();
    }
    engine
}

/// The cursor after the first of the learners. With the same key it is the same on every machine
/// and in every process.
const CURSOR: &str = "A4DlraANAAEqLHTQjR06I2wPUlgDwEJb";

/// Each cursor of a first page remains valid after the store was closed and opened, and in a copy
/// of it.
#[test]
fn cursors_outlive_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let [path, copied] = ["store", "copy"].map(|name| folder.path().join(name));
    let engine = store(&path);
    let mut walks = Vec::new();
    for target in collections() {
        let first = get(&engine, &with(&target, "limit=1"), SCHOOL);
        let first = found(&target, &first);
        let cursor = cursor(&first).unwrap_or_else(|| panic!("{target} is one page"));
        let rest = pages(&target, Some(cursor.clone()), |target| {
            get(&engine, target, SCHOOL)
        });
        let all = pages(&target, None, |target| get(&engine, target, SCHOOL));
        let mut joined = first["data"].as_array().unwrap().clone();
        joined.extend(records(&rest));
        assert!(joined == records(&all), "{target}");
        walks.push((target, cursor, rest));
    }
    assert_eq!(walks[0].1, CURSOR);
    engine.backup(&copied, Credentials::Keep).unwrap();
    engine.close().unwrap();
    for path in [&path, &copied] {
        let engine = Engine::open(path, options()).unwrap();
        for (target, cursor, expected) in &walks {
            let rest = pages(target, Some(cursor.clone()), |target| {
                get(&engine, target, SCHOOL)
            });
            assert!(rest == *expected, "{}: {target}", path.display());
        }
    }
    let bytes: usize = walks.iter().map(|(.., rest)| rest.concat().len()).sum();
    println!("{} walks, {bytes} bytes", walks.len());
}

fn limits(page_limit: u64, max_page_limit: u64) -> Options {
    Options {
        page_limit,
        max_page_limit,
        ..options()
    }
}

/// A page has as many records as the options say, for requests and for typed questions.
#[test]
fn limits_are_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    store(&path).close().unwrap();
    let learners = Learners {
        school: SCHOOL,
        ..Learners::default()
    };
    for (usual, most) in [(3, 5), (1, 1), (5, 5), (10, 50)] {
        let engine = Engine::open(&path, limits(usual, most)).unwrap();
        let all = pages("adminplus/learners", None, |target| {
            get(&engine, target, SCHOOL)
        });
        let all = records(&all);
        assert!(all.len() > 10);
        for given in [None, Some(1), Some(most), Some(most + 1), Some(u64::MAX)] {
            let what = format!("{given:?} of {usual} and {most}");
            let limit = given.map(|given| format!("?limit={given}"));
            let target = format!("adminplus/learners{}", limit.unwrap_or_default());
            let answer = get(&engine, &target, SCHOOL);
            let page = found(&what, &answer);
            let expected = given.unwrap_or(usual).min(most).min(all.len() as u64);
            assert_eq!(page["meta"]["limit"], expected, "{what}");
            assert_eq!(page["meta"]["max_allowed_limit"], most, "{what}");
            let data = page["data"].as_array().unwrap();
            assert_eq!(data.len() as u64, expected, "{what}");
            assert_eq!(data[..], all[..data.len()], "{what}");
            let page = Page {
                limit: given,
                ..Page::default()
            };
            assert_eq!(engine.page(&learners, &page).unwrap(), answer, "{what}");
        }
        let none = Page {
            limit: Some(0),
            ..Page::default()
        };
        let refused = engine.page(&learners, &none).unwrap();
        assert_eq!(refused.status.code, 400);
        assert_eq!(refused, get(&engine, "adminplus/learners?limit=0", SCHOOL));
    }
}

/// A store is neither opened nor made with limits that no page can satisfy.
#[test]
fn impossible_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    for (usual, most) in [(0, 50), (51, 50), (1, 0), (0, 0), (u64::MAX, 1)] {
        let disk = Disk::default();
        for refused in [
            Engine::open(&path, limits(usual, most)),
            Engine::memory(limits(usual, most)),
            Engine::open_with_backend(disk.clone(), limits(usual, most)),
        ] {
            let refused = refused.map(drop).unwrap_err();
            assert_eq!(refused.code(), "unsupported");
            let text = refused.to_string();
            let named = format!("page_limit is {usual} and max_page_limit is {most}");
            assert!(text.contains(&named), "{text}");
            assert!(text.contains("give at least 1"), "{text}");
            assert!(text.contains("not more than the maximum"), "{text}");
        }
        assert!(!path.exists() && disk.bytes().is_empty());
    }
    store(&path);
}

/// Each member of each record has the type that v2 documents.
#[test]
fn members_have_their_types() {
    let disk = Disk::new(golden("v1", "store.redb.gz"));
    let engine = Engine::open_with_backend(disk, options()).unwrap();
    let mut seen = Seen::default();
    for target in collections() {
        let found = pages(&target, None, |target| get(&engine, target, SCHOOL));
        for record in records(&found) {
            types::check(&target, &record, &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.numbers > 700 && seen.ids > 700 && seen.flags > 15 && seen.texts > 2500);
}

/// Returns whether an API type is active, according to v1 and v2.
fn states(engine: &Engine, api_type: u64) -> [String; 2] {
    let v1 = format!("/api/v1/settings/clients/{SCHOOL}");
    let v1 = found("v1", &ask(engine, "GET", &v1, SCHOOL, ""));
    let v2 = format!("settings/clientintegrations?school_id={SCHOOL}");
    let v2 = found("v2", &get(engine, &v2, SCHOOL));
    let of = |clients: &Value| {
        let mut clients = clients.as_array().unwrap().iter();
        let client = clients
            .find(|client| client["api_type_id"] == api_type)
            .unwrap();
        client["activated_by_integrator"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    [of(&v1), of(&v2["data"])]
}

/// A state is the same in v1 and v2, whichever version has set it.
#[test]
fn states_are_shared() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut engine = store(&path);
    let mut set = 0;
    for (api_type, v1, v2) in [
        (8, "adminplus/learners/1000", "adminplus/learners"),
        (
            8,
            "adminplus/learners/1000?learner_id=3",
            "adminplus/learners/3",
        ),
        (
            9,
            "currplus/learnersubjects/1000",
            "currplus/learnersubjects",
        ),
        (
            10,
            "finplus/debtmanagement/learnerparentinfo/1000",
            "finplus/debtmanagement/learners",
        ),
        (
            11,
            "adminplus/learners/1000?include_parents=1",
            "adminplus/learners?include_parents=1",
        ),
    ] {
        let guarded = [format!("/api/v1/{v1}"), format!("/api/v2/{v2}")];
        let check = |engine: &Engine, what: &str, state: bool| {
            let expected = if state { "Yes" } else { "No" };
            assert_eq!(states(engine, api_type), [expected; 2], "{what}");
            for target in &guarded {
                let status = ask(engine, "GET", target, SCHOOL, "").status.code;
                assert_eq!(status, if state { 200 } else { 403 }, "{what}: {target}");
            }
        };
        check(&engine, "at first", true);
        for (by_v2, state) in [(true, false), (false, true), (false, false), (true, true)] {
            let what = format!("{api_type}: {state}, by v2: {by_v2}");
            let answer = if by_v2 {
                let target = "/api/v2/settings/clientintegrations";
                let body =
                    format!(r#"{{"school_id":{SCHOOL},"api_type_id":{api_type},"state":{state}}}"#);
                ask(&engine, "POST", target, OTHER, &body)
            } else {
                let target = format!("/api/v1/settings/clients/{SCHOOL}");
                let body = format!(
                    r#"{{"api_type_id":{api_type},"state":{}}}"#,
                    u8::from(state)
                );
                ask(&engine, "PATCH", &target, OTHER, &body)
            };
            assert_eq!(answer.status.code, 200, "{what}: {}", answer.text());
            check(&engine, &what, state);
            engine.close().unwrap();
            drop(engine);
            engine = Engine::open(&path, options()).unwrap();
            check(&engine, &format!("{what}, opened again"), state);
            set += 1;
        }
        let other = ask(&engine, "GET", &guarded[1], OTHER, "");
        assert!(matches!(other.status.code, 200 | 404), "{}", other.text());
    }
    println!("{set} states set");
}
