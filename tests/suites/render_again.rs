//! Records that another version rendered are rendered again from what is kept,
//! a school at its first use: no answer is ever the old rendering.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{
    Absentees, Answer, AssessmentMarks, Credentials, Engine, LearnerSubjects, Learners, Options,
    Result, Schools, SetState, SubjectMarks,
};
use rollbook_tests::sample::USERNAME;
use rollbook_tests::storage::asked::{answers, export, get, targets};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::faulty::{Deed, Fault, Faulty};
use rollbook_tests::storage::images::windows;
use rollbook_tests::storage::recorder::Recorder;
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, options, school};
use rollbook_tests::storage::tables::{META, RUNS, rows, with_rows};
use rollbook_tests::storage::watchdog::Watchdog;
use rollbook_tests::storage::wrapping::Wrapping;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A school that has no record.
const UNKNOWN: u64 = 4040;

/// The collection in which all schools' own records lie.
const SCHOOLS: u8 = 1;

/// A store's file with two schools, rendered by this version, and what it
/// answers.
struct Fresh {
    file: Vec<u8>,
    /// The version by which it is rendered.
    version: u32,
    export: String,
    answers: Vec<Answer>,
    typed: Vec<Answer>,
}

impl Fresh {
    fn of(learners: u32) -> Fresh {
        let disk = Disk::default();
        let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
        for (id, learners) in [(SCHOOL, learners), (OTHER, learners / 2)] {
            engine.apply(school(id, learners).as_bytes()).unwrap();
        }
        let fresh = Fresh {
            version: 0,
            export: export(&engine).unwrap(),
            answers: all_answers(&engine),
            typed: typed(&engine).unwrap(),
            file: Vec::new(),
        };
        engine.close().unwrap();
        let file = disk.bytes();
        Fresh {
            version: Meta::of(&file).rendered,
            file,
            ..fresh
        }
    }

    /// The file as an engine of another version would have left it.
    fn aged(&self, version: u32) -> Aged {
        let (file, renderings) = rendered_otherwise(&self.file, &[SCHOOL, OTHER]);
        let file = with_number(file, b"rendered", version);
        assert!(renderings > 500);
        Aged { file, renderings }
    }

    /// Nothing is left of the other version, and nothing else has changed.
    fn is_all_there_is(&self, engine: &Engine, what: &str) {
        assert!(all_answers(engine) == self.answers, "{what}: other answers");
        assert!(typed(engine).unwrap() == self.typed, "{what}: other answers");
        assert!(export(engine).unwrap() == self.export, "{what}: other export");
        is_sound(engine, what);
    }
}

struct Aged {
    file: Vec<u8>,
    /// How many records are rendered otherwise.
    renderings: usize,
}

fn all_answers(engine: &Engine) -> Vec<Answer> {
    [answers(engine, SCHOOL), answers(engine, OTHER)].concat()
}

fn is_sound(engine: &Engine, what: &str) {
    let verified = engine.verify().unwrap();
    let problems = &verified.problems[..verified.problems.len().min(3)];
    assert!(verified.is_sound(), "{what}: {problems:?}");
}

/// What the schools are asked without credentials, whose hashing takes time.
fn typed(engine: &Engine) -> Result<Vec<Answer>> {
    let mut all = Vec::new();
    for school in [SCHOOL, OTHER] {
        all.extend(typed_of(engine, school)?);
    }
    let schools = Schools {
        username: USERNAME,
        school: None,
    };
    all.push(engine.ask(&schools)?);
    Ok(all)
}

fn typed_of(engine: &Engine, school: u64) -> Result<Vec<Answer>> {
    let learners = Learners {
        school,
        include_parents: true,
        ..Learners::default()
    };
    let marks = AssessmentMarks {
        school,
        learner_id: Some(7),
        ..AssessmentMarks::default()
    };
    let subject_marks = SubjectMarks {
        school,
        learner_id: 7,
    };
    let subjects = LearnerSubjects {
        school,
        ..LearnerSubjects::default()
    };
    let absentees = Absentees {
        school,
        ..Absentees::default()
    };
    let own = Schools {
        username: USERNAME,
        school: Some(school),
    };
    Ok(vec![
        engine.ask(&learners)?,
        engine.ask(&marks)?,
        engine.ask(&subject_marks)?,
        engine.ask(&subjects)?,
        engine.ask(&absentees)?,
        engine.ask(&own)?,
    ])
}

/// What a store says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Meta {
    rendered: u32,
    /// The versions of the first school and of the second.
    own: [Option<u32>; 2],
    sequence: u32,
    rows: usize,
}

impl Meta {
    fn of(file: &[u8]) -> Meta {
        let rows = rows(file.to_vec(), META);
        let number = |key: &[u8]| {
            let (_, value) = rows.iter().find(|(found, _)| found == key)?;
            Some(u32::from_le_bytes(*value.first_chunk().unwrap()))
        };
        Meta {
            rendered: number(b"rendered").unwrap(),
            own: [SCHOOL, OTHER].map(|school| number(&own_key(school))),
            sequence: number(b"sequence").unwrap(),
            rows: rows.len(),
        }
    }
}

/// The key of a school's own version.
fn own_key(school: u64) -> Vec<u8> {
    [b"rendered-".as_slice(), &school.to_be_bytes()].concat()
}

fn with_number(file: Vec<u8>, key: &[u8], number: u32) -> Vec<u8> {
    let row = (key.to_vec(), number.to_le_bytes().to_vec());
    with_rows(file, META, &[row])
}

/// A rendering: where it lies, and where its members lie.
struct Rendering {
    end: usize,
    members: Vec<std::ops::Range<usize>>,
}

/// The end of a string that starts here, its quotes included.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    if bytes.get(start) != Some(&b'"') {
        return None;
    }
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The object of strings that starts here, if one does.
fn rendering_at(bytes: &[u8], start: usize) -> Option<Rendering> {
    let mut members = Vec::new();
    let mut at = start;
    loop {
        let member = at + 1;
        let value = string_end(bytes, member)? + 1;
        if bytes.get(value - 1) != Some(&b':') {
            return None;
        }
        at = string_end(bytes, value)?;
        members.push(member..at);
        match bytes.get(at)? {
            b',' => {}
            b'}' => {
                let end = at + 1;
                return Some(Rendering { end, members });
            }
            _ => return None,
        }
    }
}

/// The bytes with the members of every rendering in reverse, which says the
/// same and takes as many bytes; and how many renderings there were.
fn reversed(bytes: &[u8], is_meant: impl Fn(&[u8]) -> bool) -> (Vec<u8>, usize) {
    let (mut out, mut at, mut count) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let found = rendering_at(bytes, at)
            .filter(|_| bytes[at] == b'{')
            .filter(|found| is_meant(&bytes[at..found.end]));
        let Some(Rendering { end, mut members }) = found else {
            out.push(bytes[at]);
            at += 1;
            continue;
        };
        count += usize::from(members.len() > 1);
        members.reverse();
        let members: Vec<_> = members.into_iter().map(|member| &bytes[member]).collect();
        out.push(b'{');
        out.extend(members.join(&b','));
        out.push(b'}');
        at = end;
    }
    (out, count)
}

/// The file with the records of some schools rendered by another version;
/// and how many records these are.
fn rendered_otherwise(file: &[u8], schools: &[u64]) -> (Vec<u8>, usize) {
    let mut count = 0;
    let mut changed = Vec::new();
    for (key, run) in rows(file.to_vec(), RUNS) {
        let school = u64::from_be_bytes(*key.first_chunk().unwrap());
        let (run, renderings) = if key[8] == SCHOOLS {
            let own = |id: &u64| format!("\"school_id\":\"{id}\"").into_bytes();
            let own: Vec<_> = schools.iter().map(own).collect();
            reversed(&run, |rendering| {
                let mut own = own.iter();
                own.any(|own| rendering.windows(own.len()).any(|part| part == own))
            })
        } else if schools.contains(&school) {
            reversed(&run, |_| true)
        } else {
            (run, 0)
        };
        count += renderings;
        changed.push((key, run));
    }
    (with_rows(file.to_vec(), RUNS, &changed), count)
}

/// Which of these files' runs differ, by the school in their keys.
fn other_runs(one: &[u8], other: &[u8]) -> Vec<u64> {
    let (one, other) = (rows(one.to_vec(), RUNS), rows(other.to_vec(), RUNS));
    assert_eq!(one.len(), other.len());
    let differ = one.iter().zip(&other).filter(|(one, other)| one != other);
    differ
        .map(|((key, _), _)| u64::from_be_bytes(*key.first_chunk().unwrap()))
        .collect()
}

/// Were nothing rendered again, the other rendering would be answered.
#[test]
fn another_rendering_shows() {
    let fresh = Fresh::of(40);
    let aged = fresh.aged(fresh.version);
    let engine = Engine::open_with_backend(Disk::of(aged.file.clone()), options()).unwrap();
    let found = all_answers(&engine);
    let differ = found.iter().zip(&fresh.answers).filter(|(a, b)| a != b);
    let differ = differ.count();
    println!(
        "{} renderings show in {differ} of {} answers",
        aged.renderings,
        found.len()
    );
    assert!(differ > 15);
    assert_eq!(export(&engine).unwrap(), fresh.export);
    assert!(!engine.verify().unwrap().is_sound());
}

/// What one does with an engine.
type Use = fn(&Engine);

fn ask_learners(engine: &Engine) {
    let learners = Learners {
        school: SCHOOL,
        ..Learners::default()
    };
    assert_eq!(engine.ask(&learners).unwrap().status.code, 200);
}

fn request_learners(engine: &Engine) {
    let answer = get(engine, &targets(SCHOOL)[0]);
    assert_eq!(answer.status.code, 200);
}

fn ask_schools(engine: &Engine) {
    let schools = Schools {
        username: USERNAME,
        school: None,
    };
    assert_eq!(engine.ask(&schools).unwrap().status.code, 200);
}

/// A record that is there already: nothing else changes.
fn apply_unchanged(engine: &Engine) {
    let export = export(engine).unwrap();
    let is_one = |line: &&str| line.contains("\"learner\"") && line.contains("1000");
    let line = export.lines().find(is_one).unwrap();
    engine.apply(line.as_bytes()).unwrap();
}

fn replace_unchanged(engine: &Engine) {
    let export = export(engine).unwrap();
    let own = |line: &&str| line.contains("\"school_id\":1000,");
    let lines: Vec<_> = export.lines().filter(own).collect();
    assert!(lines.len() > 300);
    engine
        .replace_school(SCHOOL, lines.join("\n").as_bytes())
        .unwrap();
}

/// The first use of a school renders its records and no others, in one commit;
/// opening does not, and neither does what needs no rendering.
#[test]
fn at_first_use() {
    let own: [(&str, Use); 4] = [
        ("a question", ask_learners),
        ("a request", request_learners),
        ("apply", apply_unchanged),
        ("replace_school", replace_unchanged),
    ];
    let all: [(&str, Use); 2] = [
        ("a question about all", ask_schools),
        ("a request about all", |engine| {
            let answer = get(engine, "/api/v1/finplus/debtmanagement/schools");
            assert_eq!(answer.status.code, 200);
        }),
    ];
    let none: [(&str, Use); 4] = [
        ("open", |_| ()),
        ("export", |engine| drop(export(engine).unwrap())),
        ("stats", |engine| drop(engine.stats().unwrap())),
        ("backup", |engine| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("backup");
            engine.backup(&path, Credentials::Keep).unwrap();
            let copy = Engine::open(&path, options()).unwrap();
            assert!(typed(&copy).unwrap() == typed(engine_of_fresh()).unwrap());
        }),
    ];
    let fresh = Fresh::of(40);
    let ours = Some(fresh.version);
    let (mut uses, mut renderings) = (0, 0);
    for version in [fresh.version - 1, fresh.version + 1] {
        let aged = fresh.aged(version);
        renderings += aged.renderings;
        let before = Meta::of(&aged.file);
        let kinds = [(&own[..], [ours, None]), (&all, [ours, ours]), (&none, [None, None])];
        for (doors, expected) in kinds {
            for (name, door) in doors {
                let what = format!("{name}, version {version}");
                let disk = Disk::of(aged.file.clone());
                let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
                assert_eq!(Meta::of(&disk.bytes()), before, "{what}: at opening");
                door(&engine);
                let file = disk.bytes();
                let after = Meta::of(&file);
                assert_eq!(after.own, expected, "{what}");
                let changed = other_runs(&aged.file, &file);
                let left = other_runs(&fresh.file, &file);
                let commits = after.sequence - before.sequence;
                match expected {
                    [None, None] => {
                        assert_eq!(after, before, "{what}");
                        assert!(changed.is_empty(), "{what}: {} runs", changed.len());
                    }
                    [_, None] => {
                        assert_eq!((commits, after.rendered), (1, version), "{what}");
                        assert!(!changed.contains(&OTHER), "{what}: the other school too");
                        assert!(left.contains(&OTHER), "{what}: the other school too");
                        assert!(!left.contains(&SCHOOL), "{what}: {left:?} left");
                    }
                    [_, Some(_)] => {
                        assert_eq!((commits, after.rendered), (1, fresh.version), "{what}");
                        assert!(left.is_empty(), "{what}: {left:?} left");
                    }
                }
                fresh.is_all_there_is(&engine, &what);
                let again = Meta::of(&disk.bytes());
                assert!(typed(&engine).unwrap() == fresh.typed);
                assert_eq!(Meta::of(&disk.bytes()), again, "{what}: once more");
                assert_eq!(again.rendered, fresh.version);
                assert!(other_runs(&fresh.file, &disk.bytes()).is_empty(), "{what}");
                uses += 1;
            }
        }
    }
    println!("{uses} first uses, {renderings} renderings");
}
