//! Tests of `rollbook verify`, `compact`, `backup` and `stats`.

use super::folder::Folder;
use super::{engine_with, export, json, sample};
use crate::sync::reply;
use rollbook::{Credentials, Engine, Options, Request, Step, SyncOptions};
use rollbook_tests::storage::tables::{BLOCKS, offset, rows};
use serde_json::json;

/// 2026-05-14T08:00:00Z.
const NOW: i64 = 1_778_745_600;
const HEADERS: [(&str, &str); 2] = [("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")];

fn status(engine: &Engine) -> u16 {
    let request = Request {
        target: "/api/v1/adminplus/learners/1000",
        headers: &HEADERS,
        now: Some(NOW),
        ..Request::default()
    };
    engine.request(&request).status.code
}

#[test]
fn a_sound_store_is_verified() {
    let folder = Folder::with_store();
    let records = sample().lines().filter(|line| !line.is_empty()).count();
    let engine = engine_with("");
    assert_eq!(engine.verify().unwrap().records, records as u64);
    let said = folder.succeed("verify --store school.redb");
    let expected = format!("The store is sound: {records} records ");
    assert!(said.starts_with(&expected), "{said}");
    let found = json(&folder.succeed("verify --store school.redb --json"));
    let expected = json!({"sound": true, "records": records, "problems": []});
    assert_eq!(found, expected);
}

#[test]
fn damage_is_found() {
    let folder = Folder::with_store();
    let mut file = std::fs::read(folder.path("school.redb")).unwrap();
    let blocks = rows(file.clone(), BLOCKS);
    let (key, value) = blocks.last().unwrap();
    let at = offset(&file, BLOCKS, key, value);
    file[at + value.len() / 2] ^= 1;
    folder.write("school.redb", &file);
    let engine = folder.engine("school.redb");
    let expected = engine.verify().unwrap();
    assert!(!expected.is_sound());
    drop(engine);
    folder.write("school.redb", &file);

    let found = folder.run("verify --store school.redb");
    assert_eq!(found.out.lines().collect::<Vec<_>>(), expected.problems);
    assert_eq!(found.code, Some(1));
    assert!(
        found
            .err
            .contains("school.redb is damaged: restore a backup")
    );
    let found = folder.run("verify --store school.redb --json");
    let problems = &expected.problems;
    let object = json!({"sound": false, "records": expected.records, "problems": problems});
    assert_eq!((found.code, json(&found.out)), (Some(1), object));

    // Half a file cannot be opened.
    folder.write("school.redb", &file[..file.len() / 2]);
    let found = folder.run("verify --store school.redb --json");
    assert_eq!(
        (found.code, &json(&found.out)["sound"]),
        (Some(1), &json!(false))
    );
}

#[test]
fn compacting_returns_space() {
    let folder = Folder::with_store();
    let engine = folder.engine("school.redb");
    let long = "x".repeat(100);
    let learners = (0..5_000).map(|id| {
        format!(r#"{{"type":"learner","school_id":7,"id":{id},"last_name":"{long}{id}"}}"#)
    });
    engine
        .apply(learners.collect::<Vec<_>>().join("\n").as_bytes())
        .unwrap();
    engine.close().unwrap();
    let engine = Engine::open(
        folder.path("school.redb"),
        Options {
            compaction: rollbook::Compaction::Manual,
            ..Options::default()
        },
    );
    let engine = engine.unwrap();
    engine.remove_school(7).unwrap();
    engine.close().unwrap();
    let records = folder.records("school.redb");
    let size = || std::fs::metadata(folder.path("school.redb")).unwrap().len();
    let before = size();
    let found = json(&folder.succeed("compact --store school.redb --json"));
    assert_eq!(found, json!({"bytes_before": before, "bytes": size()}));
    assert!(size() < before, "{found}");
    assert_eq!(folder.records("school.redb"), records);
    let said = folder.succeed("compact --store school.redb");
    assert!(
        said.starts_with("school.redb: ") && said.ends_with(" now\n"),
        "{said}"
    );
}

#[test]
fn a_backup_opens_and_answers() {
    let folder = Folder::with_store();
    for (target, credentials, arguments, expected) in [
        ("all", Credentials::Keep, "", 200),
        ("some", Credentials::LeaveOut, " --without-credentials", 401),
    ] {
        let line = format!("backup --store school.redb {target}{arguments}");
        let said = folder.succeed(&line);
        assert!(said.starts_with(&format!("{target}: ")), "{said}");
        let copy = folder.engine(target);
        assert!(copy.verify().unwrap().is_sound());
        let records = export(&copy, Credentials::Keep);
        assert_eq!(records, export(&engine_with(""), credentials));
        assert_eq!(status(&copy), expected);
        copy.close().unwrap();
        let records = folder.records(target);
        let said = folder.fail(&line, 1);
        assert!(said.contains(&format!("{target} exists already")), "{said}");
        assert_eq!(folder.records(target), records);
    }
    let found = json(&folder.succeed("backup --store school.redb --json more"));
    let size = std::fs::metadata(folder.path("more")).unwrap().len();
    assert_eq!(found, json!({"file": "more", "bytes": size}));
    let said = folder.fail("backup --store school.redb none/copy", 1);
    assert!(said.contains("create the folder none"), "{said}");
    assert_eq!(folder.names(), ["all", "more", "school.redb", "some"]);
}

#[test]
fn statistics_are_those_of_the_engine() {
    let folder = Folder::with_store();
    let engine = folder.engine("school.redb");
    let stats = engine.stats().unwrap();
    engine.close().unwrap();
    let found = json(&folder.succeed("stats --store school.redb --json"));
    let size = std::fs::metadata(folder.path("school.redb")).unwrap().len();
    assert_eq!(found["bytes"], size);
    assert_eq!(found["synced"], json!([]));
    let kinds = found["records"].as_object().unwrap();
    assert_eq!(kinds.len(), stats.records.len());
    for (kind, count) in &stats.records {
        assert_eq!(kinds[*kind], *count, "{kind}");
    }
    let said = folder.succeed("stats --store school.redb");
    let total: u64 = stats.records.iter().map(|(_, count)| count).sum();
    let used = stats.records.iter().filter(|(_, count)| *count > 0);
    for (kind, count) in used.chain([&("total", total)]) {
        let mut rows = said
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>());
        assert!(
            rows.any(|row| row == [*kind, &count.to_string()]),
            "{kind}: {said}"
        );
    }
}

#[test]
fn the_age_of_synced_data_is_shown() {
    let folder = Folder::new();
    let source = engine_with("");
    let mirror = folder.engine("mirror.redb");
    let sync = mirror.sync(1000, SyncOptions::default()).unwrap();
    while let Step::Send(call) = sync.next(NOW).unwrap() {
        let answer = source.request(&Request {
            method: call.method,
            target: &call.target,
            headers: &HEADERS,
            body: call.body.as_bytes(),
            now: Some(NOW),
        });
        sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
    }
    drop(sync);
    let coverage = mirror.synced(1000).unwrap().unwrap();
    mirror.close().unwrap();
    let found = json(&folder.succeed("stats --store mirror.redb --json"));
    assert_eq!(found["synced"].as_array().unwrap().len(), 1);
    let school = &found["synced"][0];
    assert_eq!(school["school"], 1000);
    assert_eq!(school["as_of"], "2026-05-14T08:00:00Z");
    let parts = school["coverage"].as_array().unwrap();
    assert!(parts.len() > 5);
    let names: Vec<_> = parts
        .iter()
        .map(|part| part["data"].as_str().unwrap())
        .collect();
    let expected: Vec<_> = coverage.seen.iter().map(|covered| covered.what).collect();
    assert_eq!(names, expected);
    let said = folder.succeed("stats --store mirror.redb --now 2026-05-14T11:00:00Z");
    assert!(said.contains("School 1000, age of its data:\n"), "{said}");
    assert!(said.contains("Nothing is older than 3 hours.\n"), "{said}");
}

#[test]
fn a_store_must_exist_and_be_free() {
    let folder = Folder::with_store();
    folder.write("text", "text");
    let engine = folder.engine("school.redb");
    for (line, rest) in [
        ("verify", ""),
        ("compact", ""),
        ("backup", " copy"),
        ("stats", ""),
        ("export", " -o copy"),
        ("export", ""),
    ] {
        let run = |store: &str| folder.fail(&format!("{line} --store {store}{rest}"), 1);
        let said = run("none.redb");
        assert!(said.contains("none.redb: there is no such store"), "{said}");
        let said = run("school.redb");
        assert!(said.contains("school.redb is already open"), "{said}");
        let said = run("text");
        assert!(said.contains("text is not a Rollbook store"), "{said}");
        folder.fail(line, 2);
    }
    drop(engine);
    assert_eq!(folder.names(), ["school.redb", "text"]);
}
