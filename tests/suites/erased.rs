//! Searches the bytes of the file after a learner was erased, or records were removed and the store
//! was compacted: nothing of them remains, not even in unused pages.
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
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::{
    LONG_ID, OTHER, SCHOOL, WAITING, long_learners, options, school,
};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Where the store is whose bytes are searched.
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

    /// Returns the other files in the folder of the store. The engine must not leave any there.
    fn beside(&self) -> Vec<PathBuf> {
        let Place::File(path) = self else {
            return Vec::new();
        };
        let files = fs::read_dir(path.parent().unwrap()).unwrap();
        let files = files.map(|file| file.unwrap().path());
        files.filter(|file| file != path).collect()
    }
}

/// The versions of the data of a learner, each with other texts. The learner is removed after the
/// last one.
const LOADED: u8 = 1;
const MOVED: u8 = 2;
const SPILLED: u8 = 3;
const CANCELLED: u8 = 4;
const FAILED: u8 = 5;
const LAST: u8 = 6;

/// More data than a load stores in memory.
static LONG: LazyLock<String> = LazyLock::new(|| long_learners(0..WAITING));

/// Returns the dataset before all versions: a school, and six of its assessments.
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

/// A store with a learner, all of whose versions were loaded.
struct Lived<'a> {
    place: &'a Place,
    engine: Engine,
    id: u64,
    lives: Vec<Portrait>,
    school: Portrait,
    /// How much of each version was found in the file at its time.
    seen: Vec<usize>,
    /// The encodings of the id that were found in the file at any time.
    id_seen: HashSet<String>,
}

impl Lived<'_> {
    fn at(place: &Place, cache_bytes: usize, id: u64, learners: u32) -> Lived<'_> {
        let (base, mut assessments) = base(learners);
        let ids = assessments
            .iter()
            .map(|record| record["assessment_id"].as_u64().unwrap());
        // A mark of an unknown assessment is stored in another place.
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

    /// Runs two loads that stage the learner, but fail or are cancelled.
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

    /// Returns the export without the records that are removed in this way.
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

    /// Returns what must not be found afterwards. Checks that the last version is completely in the
    /// file.
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

/// Learners before and after the erased one, so that it is in the middle of a block.
fn neighbours(id: u64) -> String {
    let mut dataset = String::new();
    for id in [id - 1, id + 1] {
        let learner =
            json!({"type": "learner", "school_id": SCHOOL, "id": id, "first_name": "Ann"});
        writeln!(dataset, "{learner}").unwrap();
    }
    dataset
}

/// The learners of `LONG` again, with short texts.
fn short_learners() -> String {
    let mut dataset = String::new();
    for id in LONG_ID..LONG_ID + WAITING {
        let learner = json!({"type": "learner", "school_id": SCHOOL, "id": id, "first_name": "Bo"});
        writeln!(dataset, "{learner}").unwrap();
    }
    dataset
}

/// Options with which only explicit calls compact the store.
fn manual(cache_bytes: usize) -> Options {
    Options {
        compaction: Compaction::Manual,
        cache_bytes,
        ..options()
    }
}

/// How the learner is removed.
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
                // Erasing a learner also compacts the store.
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

/// The number of texts and numbers that remain in the open file, and in the closed file.
type Left = [usize; 2];

/// Removes the learner in one way, and searches for it.
fn left(place: &Place, cache_bytes: usize, id: u64, learners: u32, how: How) -> Left {
    let lived = Lived::at(place, cache_bytes, id, learners);
    let ids = id_needles(id);
    let mut needles = lived.needles(how);
    // Only staged data contains the id with the high byte first, and it may have been overwritten.
    let (staged, stored): (Vec<_>, Vec<_>) = ids.iter().partition(|id| id.what == STAGED_ID);
    let there = found(&place.bytes(), stored.iter().copied());
    assert_eq!(there.len(), stored.len());
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
        // Uncommitted data may never have been written to the file if the cache is large.
        let staged = matches!(life, CANCELLED | FAILED);
        let may_be_cached = staged && cache_bytes > SMALL_CACHE;
        assert!(
            may_be_cached || *seen == portrait.needles.len(),
            "life {life}"
        );
    }
    left
}

const SMALL_CACHE: usize = 1 << 20;

/// Ids, each with a number of learners: one that is higher than all other ids, and one that cannot
/// be confused with other bytes.
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

/// A backend of the app is also a single file.
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

/// Parents, payers and staff members are deleted by one line of a dataset each.
#[test]
fn people_who_were_deleted_before_a_compaction() {
    let disk = Disk::default();
    let engine = Engine::open_with_backend(disk.clone(), manual(SMALL_CACHE)).unwrap();
    let (people, removal) = Portrait::of_people();
    engine.apply(school(SCHOOL, 8).as_bytes()).unwrap();
    engine.apply(people.lines.as_bytes()).unwrap();
    let there = found(&disk.bytes(), &people.needles);
    assert_eq!(there.len(), people.needles.len());
    let removed = engine.apply(removal.as_bytes()).unwrap().total().removed;
    assert_eq!(removed, 3);
    engine.compact().unwrap();
    assert_eq!(found(&disk.bytes(), &people.needles), [""; 0]);
    engine.close().unwrap();
    assert_eq!(found(&disk.bytes(), &people.needles), [""; 0]);
}
