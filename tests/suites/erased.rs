//! Nothing of an erased learner is left in the bytes of the file, not even where
//! they are no longer used; nor of what was removed before a compaction.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

pub(crate) mod portrait;

use portrait::{Needle, Portrait, STAGED_ID, found, id_needles};
use rollbook::{Compaction, Engine, Options};
use rollbook_tests::storage::asked::export;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::scenario::{
    LONG_ID, OTHER, SCHOOL, WAITING, long_learners, options, school,
};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Where a store lies whose bytes are looked at.
enum Place {
    File(PathBuf),
    Disk(Disk),
}

impl Place {
    fn open(&self, options: Options) -> Engine {
        match self {
            Place::File(path) => Engine::open(path, options).unwrap(),
            Place::Disk(disk) => Engine::open_with_backend(disk.clone(), options).unwrap(),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Place::File(path) => fs::read(path).unwrap(),
            Place::Disk(disk) => disk.bytes(),
        }
    }

    /// Bytes that lie beside the store, which no engine may leave there.
    fn beside(&self) -> Vec<PathBuf> {
        let Place::File(path) = self else {
            return Vec::new();
        };
        let files = fs::read_dir(path.parent().unwrap()).unwrap();
        let files = files.map(|file| file.unwrap().path());
        files.filter(|file| file != path).collect()
    }
}

/// The lives that a learner leads, each under other names. After the last one
/// it goes.
const LOADED: u8 = 1;
const MOVED: u8 = 2;
const SPILLED: u8 = 3;
const CANCELLED: u8 = 4;
const FAILED: u8 = 5;
const LAST: u8 = 6;

/// More than a load keeps in memory.
static LONG: LazyLock<String> = LazyLock::new(|| long_learners(0..WAITING));

/// The base of all lives: a school, and six of its assessments.
fn base(learners: u32) -> (String, Vec<Value>) {
    let base = school(SCHOOL, learners);
    let records = base
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut assessments: Vec<Value> = records
        .filter(|record| record["type"] == "assessment")
        .collect();
    let step = assessments.len().div_ceil(6);
    assessments = assessments.into_iter().step_by(step).collect();
    (base, assessments)
}

/// A store in which a learner has led all its lives.
struct Lived<'a> {
    place: &'a Place,
    engine: Engine,
    id: u64,
    lives: Vec<Portrait>,
    school: Portrait,
    /// How much of each life was in the file in its time.
    seen: Vec<usize>,
    /// Which ways of writing the id were in the file at any time.
    id_seen: HashSet<String>,
}

impl Lived<'_> {
    fn at(place: &Place, cache_bytes: usize, id: u64, learners: u32) -> Lived<'_> {
        let (base, mut assessments) = base(learners);
        let ids = assessments
            .iter()
            .map(|record| record["assessment_id"].as_u64().unwrap());
        // A mark that waits for its assessment is kept elsewhere.
        let ids: Vec<u64> = ids.chain([880_000_001]).collect();
        let lives = (LOADED..=LAST).map(|life| Portrait::new(id, life, &ids));
        let mut lived = Lived {
            place,
            engine: place.open(manual(cache_bytes)),
            id,
            lives: lives.collect(),
            school: Portrait::of_school(),
            seen: Vec::new(),
            id_seen: HashSet::new(),
        };
        let school_lines = lived.school.lines.clone();
        lived.lead(LOADED, &[&base, &school_lines, &neighbours(id)]);
        let mut moved = String::new();
        for record in &mut assessments {
            record["term"] = json!(1 + record["term"].as_u64().unwrap() % 4);
            writeln!(moved, "{record}").unwrap();
        }
        lived.lead(MOVED, &[&moved]);
        lived.rest();
        let other = school(OTHER, learners / 2);
        lived.engine.apply(other.as_bytes()).unwrap();
        lived.lead(SPILLED, &[LONG.as_str()]);
        lived.rest();
        lived.give_up();
        lived.engine.apply(short_learners().as_bytes()).unwrap();
        lived.lead(LAST, &[]);
        lived.rest();
        lived
    }

    fn lines(&self, life: u8) -> &str {
        &self.lives[usize::from(life - 1)].lines
    }

    fn look(&mut self) {
        let life = &self.lives[self.seen.len()];
        let bytes = self.place.bytes();
        self.seen.push(found(&bytes, &life.needles).len());
        let ids = id_needles(self.id);
        self.id_seen
            .extend(found(&bytes, &ids).into_iter().map(str::to_owned));
    }

    fn lead(&mut self, life: u8, more: &[&str]) {
        let dataset = [&more.concat(), self.lines(life)].concat();
        self.engine.apply(dataset.as_bytes()).unwrap();
        self.look();
    }

    /// Two loads that stage the learner and come to nothing.
    fn give_up(&mut self) {
        let mut cancelled = self.engine.load();
        cancelled.push(self.lines(CANCELLED).as_bytes()).unwrap();
        cancelled.push(LONG.as_bytes()).unwrap();
        self.look();
        cancelled.cancel();
        let mut failed = self.engine.load();
        failed.push(self.lines(FAILED).as_bytes()).unwrap();
        failed.push(LONG.as_bytes()).unwrap();
        self.look();
        assert!(failed.push(b"x\n").is_err());
    }

    fn rest(&self) {
        if let Place::File(_) = self.place {
            self.engine.suspend().unwrap();
            self.engine.resume().unwrap();
        }
    }

    /// What is exported without what goes in this way.
    fn others(&self, how: How) -> String {
        let mut others = String::new();
        for line in export(&self.engine).unwrap().lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let own = match record["type"].as_str().unwrap() {
                "learner" => record["id"] == self.id,
                "learner_subject" | "mark" | "absentee" | "discipline" => {
                    record["learner_id"] == self.id
                }
                _ => false,
            };
            if record["school_id"] != SCHOOL || !(own || how.takes_school()) {
                others.push_str(line);
                others.push('\n');
            }
        }
        others
    }

    /// What must not be found afterwards; all of it that was loaded last is there.
    fn needles(&self, how: How) -> Vec<&Needle> {
        let bytes = self.place.bytes();
        let last = &self.lives[usize::from(LAST - 1)].needles;
        let mut there: Vec<&Needle> = last.iter().collect();
        if how.takes_school() {
            there.extend(&self.school.needles);
        }
        let missing = there.len() - found(&bytes, there.iter().copied()).len();
        assert_eq!(missing, 0, "of what was loaded last");
        let before = &self.lives[..usize::from(LAST - 1)];
        let before: Vec<&Needle> = before.iter().flat_map(|life| &life.needles).collect();
        assert_ne!(found(&bytes, before.iter().copied()).len(), 0);
        there.extend(before);
        there
    }
}

/// Learners on both sides of the one that goes, so that it lies among others.
fn neighbours(id: u64) -> String {
    let mut dataset = String::new();
    for id in [id - 1, id + 1] {
        let learner =
            json!({"type": "learner", "school_id": SCHOOL, "id": id, "first_name": "Ann"});
        writeln!(dataset, "{learner}").unwrap();
    }
    dataset
}

/// The long learners again, with less to say.
fn short_learners() -> String {
    let mut dataset = String::new();
    for id in LONG_ID..LONG_ID + WAITING {
        let learner = json!({"type": "learner", "school_id": SCHOOL, "id": id, "first_name": "Bo"});
        writeln!(dataset, "{learner}").unwrap();
    }
    dataset
}

/// Nothing compacts but what is asked to.
fn manual(cache_bytes: usize) -> Options {
    Options {
        compaction: Compaction::Manual,
        cache_bytes,
        ..options()
    }
}

/// How it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Erase,
    DeletedRecords,
    RemoveSchool,
    ReplaceSchool,
}

impl How {
    fn takes_school(self) -> bool {
        matches!(self, How::RemoveSchool | How::ReplaceSchool)
    }

    fn carry_out(self, lived: &Lived<'_>) {
        let engine = &lived.engine;
        match self {
            How::Erase => {
                // It compacts by itself.
                engine.erase_learner(SCHOOL, lived.id).unwrap();
                return;
            }
            How::DeletedRecords => {
                let removal = lived.lives[usize::from(LAST - 1)].removal();
                engine.apply(removal.as_bytes()).unwrap();
            }
            How::RemoveSchool => {
                engine.remove_school(SCHOOL).unwrap();
            }
            How::ReplaceSchool => {
                let whole = school(SCHOOL, 8);
                engine.replace_school(SCHOOL, whole.as_bytes()).unwrap();
            }
        }
        engine.compact().unwrap();
    }
}

/// What is still found: open, and when it was closed.
type Left = [usize; 2];

/// Removes the learner in one way, and looks for it.
fn left(place: &Place, cache_bytes: usize, id: u64, learners: u32, how: How) -> Left {
    let lived = Lived::at(place, cache_bytes, id, learners);
    let ids = id_needles(id);
    let mut needles = lived.needles(how);
    // Only what is staged has it high byte first, and may have been written over since.
    let (staged, kept): (Vec<_>, Vec<_>) = ids.iter().partition(|id| id.what == STAGED_ID);
    let there = found(&place.bytes(), kept.iter().copied());
    assert_eq!(there.len(), kept.len());
    assert!(staged.iter().all(|id| lived.id_seen.contains(&id.what)));
    needles.extend(&ids);
    let others = lived.others(how);
    let before = place.bytes().len();
    how.carry_out(&lived);
    let open = place.bytes();
    if how != How::ReplaceSchool {
        assert_eq!(export(&lived.engine).unwrap(), others);
    }
    assert_eq!(lived.others(how), others);
    let verified = lived.engine.verify().unwrap();
    assert!(verified.is_sound(), "{:?}", verified.problems);
    lived.engine.close().unwrap();
    let closed = place.bytes();
    assert_eq!(place.beside(), Vec::<PathBuf>::new());
    let left = [open.as_slice(), &closed].map(|bytes| {
        let left = found(bytes, needles.iter().copied());
        if let [first, ..] = left[..] {
            println!("found: {first} and {} more", left.len() - 1);
        }
        left.len()
    });
    let engine = place.open(manual(cache_bytes));
    assert_eq!(engine.verify().unwrap().problems, Vec::<String>::new());
    println!(
        "{how:?} with a cache of {cache_bytes}: of {} texts and numbers, {:?} of each life were \
         there in its time; {before} bytes became {}, which hold {} of them",
        needles.len(),
        lived.seen,
        closed.len(),
        left[1]
    );
    for (life, (seen, portrait)) in (LOADED..).zip(lived.seen.iter().zip(&lived.lives)) {
        // What was not committed may have stayed in the cache, if that is large.
        let staged = matches!(life, CANCELLED | FAILED);
        let held = staged && cache_bytes > SMALL_CACHE;
        assert!(held || *seen == portrait.needles.len(), "life {life}");
    }
    left
}

const SMALL_CACHE: usize = 1 << 20;

/// An id beyond those of others' years and terms, and one that no other bytes
/// are mistaken for.
const IDS: [(u64, u32); 2] = [(90_001, 12), (0x5eed_c0de_9b3d_01e7, 150)];

fn in_file(how: How, cache_bytes: usize, ids: &[(u64, u32)]) {
    let mut all = Vec::new();
    for (id, learners) in ids {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::File(folder.path().join("store"));
        all.push(left(&place, cache_bytes, *id, *learners, how));
    }
    assert_eq!(all, vec![[0, 0]; ids.len()]);
}

#[test]
fn an_erased_learner() {
    in_file(How::Erase, 32 << 20, &IDS);
}

#[test]
fn an_erased_learner_with_a_small_cache() {
    in_file(How::Erase, SMALL_CACHE, &IDS);
}

/// A backend of the app's own is one file as well.
#[test]
fn an_erased_learner_on_a_backend() {
    let [(id, learners), _] = IDS;
    let place = Place::Disk(Disk::default());
    assert_eq!(left(&place, SMALL_CACHE, id, learners, How::Erase), [0, 0]);
}

#[test]
fn records_that_were_deleted_before_a_compaction() {
    in_file(How::DeletedRecords, SMALL_CACHE, &IDS);
}

#[test]
fn a_school_that_was_removed_before_a_compaction() {
    in_file(How::RemoveSchool, SMALL_CACHE, &IDS);
}

#[test]
fn a_school_that_was_replaced_before_a_compaction() {
    in_file(How::ReplaceSchool, SMALL_CACHE, &IDS);
}

/// Parents, who pays, and staff are erased with a line of the dataset each.
#[test]
fn people_who_were_deleted_before_a_compaction() {
    let disk = Disk::default();
    let engine = Engine::open_with_backend(disk.clone(), manual(SMALL_CACHE)).unwrap();
    let (people, gone) = Portrait::of_people();
    engine.apply(school(SCHOOL, 8).as_bytes()).unwrap();
    engine.apply(people.lines.as_bytes()).unwrap();
    let there = found(&disk.bytes(), &people.needles);
    assert_eq!(there.len(), people.needles.len());
    let removed = engine.apply(gone.as_bytes()).unwrap().total().removed;
    assert_eq!(removed, 3);
    engine.compact().unwrap();
    assert_eq!(found(&disk.bytes(), &people.needles), [""; 0]);
    engine.close().unwrap();
    assert_eq!(found(&disk.bytes(), &people.needles), [""; 0]);
}
