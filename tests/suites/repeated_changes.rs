//! Repeats changes with the same id: a change is made only once.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs
)]

use rollbook::{Engine, Options, Request, SetState, Summary};
use rollbook_tests::sample::USERNAME;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::windows;
use rollbook_tests::storage::power_cut::Life;
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::{ERASED, SCHOOL, options, school};

const PASSWORD: &str = "demo";

fn engine() -> Engine {
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(school(SCHOOL, 12).as_bytes()).unwrap();
    engine
}

fn load(engine: &Engine, id: &str, dataset: &str) -> rollbook::Result<Summary> {
    let mut load = engine.once(id).load();
    load.push(dataset.as_bytes())?;
    load.finish()
}

fn learner(id: u64, name: &str) -> String {
    format!(
        "{{\"type\":\"learner\",\"school_id\":{SCHOOL},\"id\":{id},\"first_name\":\"{name}\"}}\n"
    )
}

/// Returns the lines of all client integrations, with their states.
fn states(engine: &Engine) -> Vec<String> {
    let lines = export(engine).unwrap();
    let lines = lines
        .lines()
        .filter(|line| line.contains("client_integration"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_load_has_the_summary_of_its_first_time() {
    let engine = engine();
    let first = load(&engine, "a", &learner(900, "Ann")).unwrap();
    assert_eq!((first.total().added, first.lines), (1, 1));
    engine.apply(learner(900, "Bea").as_bytes()).unwrap();
    let before = export(&engine).unwrap();
    assert_eq!(load(&engine, "a", &learner(900, "Ann")).unwrap(), first);
    assert_eq!(export(&engine).unwrap(), before);
    let other = load(&engine, "b", &learner(900, "Ann")).unwrap();
    assert_eq!(other.total().changed, 1);
}

#[test]
fn a_load_that_was_not_committed_leaves_no_idempotency_record() {
    let engine = engine();
    let mut cancelled = engine.once("a").load();
    cancelled.push(learner(900, "Ann").as_bytes()).unwrap();
    cancelled.cancel();
    assert!(load(&engine, "a", "no dataset\n").is_err());
    assert_eq!(
        load(&engine, "a", &learner(900, "Ann"))
            .unwrap()
            .total()
            .added,
        1
    );
}

#[test]
fn a_state_has_the_answer_of_its_first_time() {
    let engine = engine();
    let client = |state| SetState {
        username: USERNAME,
        school: SCHOOL,
        api_type_id: 8,
        state,
    };
    engine.set_state(&client(true)).unwrap();
    let off = |id| {
        engine
            .once(id)
            .set_state(&client(false))
            .unwrap()
            .status
            .code
    };
    assert_eq!(off("a"), 200);
    assert_eq!(off("a"), 200);
    assert_eq!(off("b"), 204);
    engine.set_state(&client(true)).unwrap();
    let before = states(&engine);
    assert_eq!(off("a"), 200);
    assert_eq!(states(&engine), before);
    assert_eq!(off("c"), 200);
    assert_ne!(states(&engine), before);
}

#[test]
fn a_request_has_the_answer_of_its_first_time() {
    let engine = engine();
    let client = SetState {
        username: USERNAME,
        school: SCHOOL,
        api_type_id: 8,
        state: true,
    };
    engine.set_state(&client).unwrap();
    let school_id = SCHOOL.to_string();
    let headers = [
        ("HTTP-X-USERNAME", USERNAME),
        ("HTTP-X-PASSWORD", PASSWORD),
        ("HTTP-X-SCHOOLID", school_id.as_str()),
    ];
    let v1 = format!("/api/v1/settings/clients/{SCHOOL}");
    let v1 = Request {
        method: "PATCH",
        target: &v1,
        headers: &headers,
        body: br#"{"state":0,"api_type_id":8}"#,
        now: None,
    };
    let body = format!("{{\"school_id\":{SCHOOL},\"api_type_id\":8,\"state\":false}}");
    let v2 = Request {
        method: "POST",
        target: "/api/v2/settings/clientintegrations",
        headers: &headers,
        body: body.as_bytes(),
        now: None,
    };
    for (id, request) in [("v1", v1), ("v2", v2)] {
        engine.set_state(&client).unwrap();
        let first = engine.once(id).request(&request);
        assert_eq!(first.status.code, 200, "{}", first.text());
        engine.set_state(&client).unwrap();
        let before = states(&engine);
        assert_eq!(engine.once(id).request(&request), first);
        assert_eq!(states(&engine), before, "{id} was done twice");
        assert_eq!(engine.request(&request), first, "it may be done again");
    }
}

#[test]
fn removals_have_the_summary_of_their_first_time() {
    let engine = engine();
    let erased = engine.once("a").erase_learner(SCHOOL, ERASED).unwrap();
    assert!(erased.total().removed > 0);
    assert_eq!(
        engine.once("a").erase_learner(SCHOOL, ERASED).unwrap(),
        erased
    );
    let removed = engine.once("b").remove_school(SCHOOL).unwrap();
    assert!(removed.total().removed > 0);
    engine.apply(school(SCHOOL, 3).as_bytes()).unwrap();
    let before = export(&engine).unwrap();
    assert_eq!(engine.once("b").remove_school(SCHOOL).unwrap(), removed);
    assert_eq!(export(&engine).unwrap(), before);
}

#[test]
fn no_idempotency_record_contains_a_removed_school() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("school.redb");
    let engine = Engine::open(&path, Options::default()).unwrap();
    let name = "Receipted School";
    let record = format!(
        "{{\"type\":\"school\",\"school_id\":{SCHOOL},\"school_name\":\"{name}\",\"current_year\":2026}}\n"
    );
    let rest = school(SCHOOL, 3);
    engine.apply(rest.as_bytes()).unwrap();
    engine.apply(record.as_bytes()).unwrap();
    let body = format!("{{\"school_id\":{SCHOOL},\"api_type_id\":8,\"state\":false}}");
    let headers = [("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)];
    let request = Request {
        method: "POST",
        target: "/api/v2/settings/clientintegrations",
        headers: &headers,
        body: body.as_bytes(),
        now: None,
    };
    let answer = engine.once("a").request(&request);
    assert!(answer.text().contains(name), "{}", answer.text());
    let contains_name = || {
        engine.compact().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        memchr::memmem::find(&bytes, name.as_bytes()).is_some()
    };
    assert!(contains_name());
    engine.once("b").remove_school(SCHOOL).unwrap();
    assert!(!contains_name());
}

#[test]
fn the_last_64_are_remembered_also_by_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("school.redb");
    let engine = Engine::open(&path, Options::default()).unwrap();
    engine.apply(school(SCHOOL, 3).as_bytes()).unwrap();
    for number in 0..65 {
        let name = format!("N{number}");
        load(&engine, &name, &learner(1000 + number, &name)).unwrap();
    }
    engine.close().unwrap();
    let engine = Engine::open(&path, Options::default()).unwrap();
    let again = |number: u64| {
        let name = format!("N{number}");
        load(&engine, &name, &learner(1000 + number, &name))
            .unwrap()
            .total()
    };
    assert_eq!(again(1).added, 1);
    assert_eq!(again(64).added, 1);
    engine.compact().unwrap();
    assert_eq!(again(64).added, 1);
    // The oldest id was forgotten, so the change is made again, and finds the record unchanged.
    assert_eq!((again(0).added, again(0).unchanged), (0, 1));
    assert!(engine.verify().unwrap().is_sound());
}

#[test]
fn ids_of_other_changes_and_long_ones_are_refused() {
    let engine = engine();
    engine.once("a").remove_school(SCHOOL).unwrap();
    engine.apply(school(SCHOOL, 3).as_bytes()).unwrap();
    let set = SetState {
        username: USERNAME,
        school: SCHOOL,
        api_type_id: 8,
        state: false,
    };
    let code = |error: rollbook::Error| error.code();
    engine.once("b").set_state(&set).unwrap();
    assert_eq!(load(&engine, "b", "").map_err(code), Err("id_reused"));
    let long = "i".repeat(129);
    assert_eq!(load(&engine, &long, "").map_err(code), Err("unsupported"));
    assert!(load(&engine, &"i".repeat(128), "").is_ok());
}

/// After a power cut at any time, either both the change and its idempotency record are stored, or
/// neither.
#[test]
fn a_change_and_its_idempotency_record_are_stored_together() {
    let disk = Disk::default();
    let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
    engine.apply(school(SCHOOL, 3).as_bytes()).unwrap();
    let before = export(&engine).unwrap();
    engine.close().unwrap();

    let change = |engine: &Engine| load(engine, "a", &learner(900, "Ann")).unwrap();
    let first = std::cell::OnceCell::new();
    let operation = |engine: &Engine| first.set(change(engine)).unwrap();
    let life = Life::record(disk.bytes(), before, options(), vec![Box::new(operation)]);
    let (first, after) = (first.get().unwrap(), life.exports.last().unwrap());
    let (mut landed, mut images) = (0, 0);
    for window in windows(disk.bytes(), &life.log) {
        for cut in window.cuts(8, usize::MAX) {
            let disk = Disk::new(window.image(cut));
            let engine = Engine::open_with_backend(disk, options()).unwrap();
            landed += usize::from(export(&engine).unwrap() == *after);
            images += 1;
            assert_eq!(change(&engine), *first, "{cut:?}");
            assert_eq!(export(&engine).unwrap(), *after, "{cut:?}");
        }
    }
    println!("{images} images, the change in {landed} of them");
    assert!(landed > 0 && landed < images);
}
