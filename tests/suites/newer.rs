//! Data of a newer version that is unknown is refused with `newer_format` and not changed;
//! everything else is answered.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use rollbook::{Absentees, Engine, Error, LearnerSubjects, Learners, Result};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::numbers::numbers;
use rollbook_tests::storage::requests::{code, export};
use rollbook_tests::storage::scenario::options;
use rollbook_tests::storage::small::{SCHOOL, store};
use rollbook_tests::storage::tables::{BLOCK_INDEXES, BLOCKS, META, rows, with_rows};

const LEARNERS: u8 = 7;

fn open(file: &[u8]) -> Result<Engine> {
    Engine::open_with_backend(Disk::new(file.to_vec()), options())
}

fn learners(engine: &Engine) -> Result<Vec<u8>> {
    let all = Learners {
        school: SCHOOL,
        ..Learners::default()
    };
    engine.ask(&all).map(|answer| answer.body)
}

/// Returns the block of the learners of the school.
fn learners_block(file: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let blocks = rows(file.to_vec(), BLOCKS);
    let is_one = |key: &[u8]| key[..8] == SCHOOL.to_be_bytes() && key[8] == LEARNERS;
    blocks.into_iter().find(|(key, _)| is_one(key)).unwrap()
}

/// Returns a store whose record counts contain one more kind.
fn with_kind(kind: u64, count: u64) -> Vec<u8> {
    let file = store();
    let meta = rows(file.clone(), META);
    let (key, mut totals) = meta.into_iter().find(|(key, _)| key == b"totals").unwrap();
    totals.extend([kind, count].map(u64::to_le_bytes).concat());
    with_rows(file, META, &[(key, totals)])
}

#[test]
fn records_of_an_unknown_kind() {
    let file = with_kind(23, 3);
    let disk = Disk::new(file.clone());
    let refused = Engine::open_with_backend(disk.clone(), options()).unwrap_err();
    let expected = Error::NewerFormat {
        what: "kind".to_owned(),
        found: 23,
        supported: 22,
    };
    assert_eq!(refused, expected);
    assert!(disk.bytes() == file, "the file was changed");
}

/// A newer version may have removed all records of the kind.
#[test]
fn an_unknown_kind_without_records() {
    let engine = open(&with_kind(23, 0)).unwrap();
    let whole = open(&store()).unwrap();
    assert!(export(&engine).unwrap() == export(&whole).unwrap());
    let line = r#"{"type":"grade","school_id":1000,"grade_id":77,"grade":"77"}"#;
    engine.apply(line.as_bytes()).unwrap();
    assert!(engine.verify().unwrap().is_sound());
}

/// All questions about the learners are refused; others are answered.
#[test]
fn a_block_with_one_more_filter_column() {
    let file = store();
    let (key, block) = learners_block(&file);
    let count = usize::try_from(u32::from_le_bytes(block[..4].try_into().unwrap())).unwrap();
    assert_eq!((block[4], block[6]), (7, 3));
    let filter_columns_end = 8 + 4 * 3 + count * (16 + 4 * 3 + 2 + 8 * 7);
    let mut newer = block.clone();
    newer[4] = 8;
    newer.splice(filter_columns_end..filter_columns_end, vec![0; 8 * count]);
    let engine = open(&with_rows(file, BLOCKS, &[(key, newer)])).unwrap();
    assert_eq!(code(learners(&engine)), "newer_format");
    assert_eq!(code(export(&engine)), "newer_format");
    let line = r#"{"type":"learner","school_id":1000,"id":1,"first_name":"New"}"#;
    assert_eq!(code(engine.apply(line.as_bytes())), "newer_format");
    let absentees = Absentees {
        school: SCHOOL,
        ..Absentees::default()
    };
    assert_eq!(code(engine.ask(&absentees)), "ok");
}

/// Answers are copied from the pre-rendered record. Only operations that need its residual fields
/// are refused.
#[test]
fn an_unknown_residual_field() {
    let file = store();
    let (key, block) = learners_block(&file);
    let mut fields = numbers(BLOCKS, &key, &block);
    fields.retain(|number| number.what.ends_with("number of a fact"));
    let newer = fields.last().unwrap().with(&block, 99);
    let engine = open(&with_rows(file.clone(), BLOCKS, &[(key, newer)])).unwrap();
    let whole = open(&file).unwrap();
    assert!(learners(&engine).unwrap() == learners(&whole).unwrap());
    assert_eq!(code(export(&engine)), "newer_format");
}

#[test]
fn an_unknown_collection() {
    let file = store();
    let indexes = rows(file.clone(), BLOCK_INDEXES);
    let (mut key, index) = indexes.into_iter().last().unwrap();
    key[8] = 33;
    let engine = open(&with_rows(file, BLOCK_INDEXES, &[(key, index)])).unwrap();
    assert_eq!(code(export(&engine)), "newer_format");
    let subjects = LearnerSubjects {
        school: SCHOOL,
        ..LearnerSubjects::default()
    };
    assert_eq!(code(engine.ask(&subjects)), "ok");
}
