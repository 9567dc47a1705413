//! Tests of cursors: only the store can make one, and it remains valid whatever the store does.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

use base64ct::{Base64UrlUnpadded, Encoding};
use rollbook::{Credentials, Engine, LearnerSubjects, Learners, Options, Page, Question};
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::tables::{META, rows, with_rows};
use serde_json::Value;
use siphasher::sip::SipHasher13;
use siphasher::sip128::{Hasher128, SipHasher24};
use std::fs;
use std::hash::Hasher;
use std::path::Path;

const DATASET: &str = r#"{"type":"school","school_id":1,"current_year":2026}
{"type":"learner","school_id":1,"id":7}
{"type":"learner","school_id":1,"id":8}
{"type":"learner_subject","school_id":1,"learner_id":7,"year":2025,"subject_id":4,"grade_id":9}
{"type":"learner_subject","school_id":1,"learner_id":7,"year":2025,"subject_id":6,"grade_id":9}
{"type":"learner_subject","school_id":1,"learner_id":7,"year":2026,"subject_id":3,"grade_id":9}
{"type":"learner_subject","school_id":1,"learner_id":7,"year":2026,"subject_id":5,"grade_id":9}
"#;

const LEARNERS: Learners<'_> = Learners {
    school: 1,
    status: rollbook::LearnerStatus::Current,
    since: None,
    until: None,
    learner_id: None,
    grade_ids: &[],
    include_parents: false,
    name: None,
    family_code: None,
};

const SUBJECTS: LearnerSubjects = LearnerSubjects {
    school: 1,
    learner_id: None,
};

fn open(path: &Path) -> Engine {
    Engine::open(path, Options::default()).unwrap()
}

/// Requests a page of one record. Returns its status, its `subject_id` or `id`, and the next
/// cursor.
fn page(
    engine: &Engine,
    question: &dyn Question,
    cursor: Option<&str>,
) -> (u16, Option<u64>, Option<String>) {
    let page = Page {
        cursor,
        limit: Some(1),
        reverse_order: false,
    };
    let answer = engine.page(question, &page).unwrap();
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    let record = &body["data"][0];
    let id = record["subject_id"].as_u64().or(record["id"].as_u64());
    let next = body["meta"]["next_cursor"].as_str().map(str::to_owned);
    (answer.status.code, id, next)
}

fn cursor(engine: &Engine, question: &dyn Question) -> String {
    page(engine, question, None).2.unwrap()
}

/// Returns whether the cursor after the first learner leads to the second one.
fn continues(engine: &Engine, cursor: &str) -> bool {
    match page(engine, &LEARNERS, Some(cursor)) {
        (200, Some(8), None) => true,
        (400, None, None) => false,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_forged_cursor_that_chooses_the_year_is_refused() {
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(DATASET.as_bytes()).unwrap();
    let own = cursor(&engine, &SUBJECTS);
    assert_eq!(page(&engine, &SUBJECTS, Some(&own)), (200, Some(5), None));

    let bytes = Base64UrlUnpadded::decode_vec(&own).unwrap();
    let (this, last) = ([0xea, 0x0f], [0xe9, 0x0f]);
    let at = bytes.windows(2).rposition(|pair| pair == this).unwrap();
    let mut other = bytes.clone();
    other[at..at + 2].copy_from_slice(&last);
    let mut forged = vec![other.clone()];
    // A checksum without a key, and tags under keys that are easy to guess.
    let payload = &other[..other.len() - 4];
    let sum = SipHasher13::new().hash(payload).to_le_bytes();
    forged.push([payload, &sum[..4]].concat());
    let payload = &other[..other.len() - 16];
    for key in [[0; 16], [7; 16]] {
        let tag = SipHasher24::new_with_key(&key).hash(payload).as_bytes();
        forged.push([payload, &tag].concat());
        let mut hasher = SipHasher24::new_with_key(&key);
        hasher.write(&(payload.len() as u64).to_le_bytes());
        hasher.write(payload);
        forged.push([payload, &hasher.finish128().as_bytes()].concat());
    }
    // Every flipped bit and every truncation.
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        forged.push(flipped);
    }
    forged.extend((0..bytes.len()).map(|end| bytes[..end].to_vec()));
    for bytes in forged {
        let text = Base64UrlUnpadded::encode_string(&bytes);
        let answer = page(&engine, &SUBJECTS, Some(&text));
        assert_eq!(answer, (400, None, None), "{bytes:x?}");
    }
}

#[test]
fn a_cursor_is_valid_in_the_store_and_its_copies() {
    let folder = tempfile::tempdir().unwrap();
    let [path, copied, bare, loaded] =
        ["store", "copied", "bare", "loaded"].map(|name| folder.path().join(name));
    let engine = open(&path);
    engine.apply(DATASET.as_bytes()).unwrap();
    let cursor = cursor(&engine, &LEARNERS);
    assert!(continues(&engine, &cursor));
    engine.suspend().unwrap();
    engine.resume().unwrap();
    engine.compact().unwrap();
    engine.remove_school(1).unwrap();
    engine.apply(DATASET.as_bytes()).unwrap();
    engine.backup(&copied, Credentials::Keep).unwrap();
    engine.backup(&bare, Credentials::LeaveOut).unwrap();
    let export = export(&engine).unwrap();
    engine.close().unwrap();
    for path in [path, copied, bare] {
        assert!(continues(&open(&path), &cursor), "{}", path.display());
    }
    // Another store has another key, even if it contains the same records.
    let other = open(&loaded);
    other.apply(export.as_bytes()).unwrap();
    assert!(!continues(&other, &cursor));
}

fn key(file: &Path) -> Option<Vec<u8>> {
    let rows = rows(fs::read(file).unwrap(), META);
    let row = rows.into_iter().find(|(key, _)| key == b"cursor-key");
    row.map(|(_, key)| key)
}

/// A store whose key is damaged is not opened.
#[test]
fn a_store_without_a_key_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    open(&path).close().unwrap();
    let given = key(&path).unwrap();
    assert_eq!(given.len(), 16);
    for damaged in [&given[..15], &[], &[1; 17]] {
        let row = (b"cursor-key".to_vec(), damaged.to_vec());
        let file = with_rows(fs::read(&path).unwrap(), META, &[row]);
        fs::write(&path, file).unwrap();
        let error = Engine::open(&path, Options::default()).unwrap_err();
        assert_eq!(error.code(), "corrupt");
    }
}

/// The key belongs to the store itself, so it is in no dataset and in no answer.
#[test]
fn the_key_is_each_stores_own_and_in_no_export() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| folder.path().join(name));
    let keys = paths.map(|path| {
        let engine = open(&path);
        engine.apply(DATASET.as_bytes()).unwrap();
        let export = export(&engine).unwrap();
        let cursor = Base64UrlUnpadded::decode_vec(&cursor(&engine, &LEARNERS)).unwrap();
        engine.close().unwrap();
        let key = key(&path).unwrap();
        for bytes in [export.as_bytes(), &cursor] {
            assert!(memchr::memmem::find(bytes, &key).is_none());
        }
        key
    });
    assert_ne!(keys[0], keys[1]);
}
