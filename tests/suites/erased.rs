//! Nothing of an erased learner is left in the bytes of the file, not even where
//! they are no longer used; nor of what was removed before a compaction.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use memchr::memmem;
use rollbook::{Compaction, Engine, Options};
use rollbook_tests::storage::asked::export;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::scenario::{
    LONG_ID, OTHER, SCHOOL, WAITING, long_learners, options, school,
};
use serde_json::{Value, json};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// The text fields of the kinds that are a learner's own.
const LEARNER_TEXTS: [&str; 28] = [
    "first_name",
    "last_name",
    "mobile_calling_code",
    "mobile_number",
    "email_address",
    "gender",
    "ethnic_group_id",
    "ethnic_group",
    "home_language_id",
    "home_language",
    "tuition_language_id",
    "tuition_language",
    "nationality",
    "admission_number",
    "family_code",
    "id_number",
    "passport_number",
    "grade_id",
    "grade",
    "register_class_name",
    "register_class_teacher_id",
    "country",
    "province",
    "education_stream",
    "photo_url",
    "parent1_id",
    "debtor_code",
    "accountable_person_id",
];
const GROUP_TEXTS: [&str; 5] = [
    "subject_group_id",
    "subject_group_name",
    "classroom_id",
    "classroom_name",
    "subject_group_teacher_id",
];

/// Texts of kinds that are no learner's: type, key and fields.
const SCHOOL_TEXTS: &[(&str, &[&str], &[&str])] = &[
    ("school", &[], &["school_name"]),
    ("grade", &["grade_id"], &["grade"]),
    ("subject", &["subject_id"], &["subject_name"]),
    (
        "parent",
        &["id"],
        &[
            "first_name",
            "last_name",
            "residential_address",
            "id_number",
        ],
    ),
    (
        "learning_outcome",
        &["learning_outcome_id"],
        &["learning_outcome_name"],
    ),
    (
        "accountable_person",
        &["accountable_person_id"],
        &["full_names", "last_name", "postal_address", "employer"],
    ),
];

/// What is looked for: bytes, and what they are.
struct Needle {
    what: String,
    bytes: Vec<u8>,
}

impl Needle {
    fn text(text: &str) -> Needle {
        Needle {
            what: text.to_owned(),
            bytes: text.as_bytes().to_vec(),
        }
    }

    fn bytes(what: String, bytes: &[u8]) -> Needle {
        Needle {
            what,
            bytes: bytes.to_vec(),
        }
    }
}

/// A learner as one dataset describes it: every text and number stands nowhere
/// else, and is another one in each of its lives.
struct Portrait {
    id: u64,
    life: u8,
    needles: Vec<Needle>,
    lines: String,
}

impl Portrait {
    /// With marks on these assessments.
    fn of(id: u64, life: u8, assessments: &[u64]) -> Portrait {
        let mut portrait = Portrait {
            id,
            life,
            needles: Vec::new(),
            lines: String::new(),
        };
        portrait.learner();
        portrait.subjects();
        portrait.absences();
        for (place, assessment) in assessments.iter().enumerate() {
            portrait.mark(place, *assessment);
        }
        portrait
    }

    fn say(&mut self, record: &Value) {
        writeln!(self.lines, "{record}").unwrap();
    }

    fn text(&mut self, field: &str) -> Value {
        let text = format!("NÄDEL {}-{field}", self.life);
        self.needles.push(Needle::text(&text));
        json!(text)
    }

    fn texts(&mut self, record: &mut Value, fields: &[&str]) {
        let kind = record["type"].as_str().unwrap().to_owned();
        for field in fields {
            record[field] = self.text(&format!("{field} of a {kind}"));
        }
    }

    /// A date that its record shows.
    fn date(&mut self, day: u8) -> Value {
        let date = format!("{}-11-{day:02}", 7310 + u32::from(self.life));
        self.needles.push(Needle::text(&date));
        json!(date)
    }

    /// A decimal that is kept as eight bytes.
    fn decimal(&mut self, place: usize) -> Value {
        let place = i64::try_from(place).unwrap();
        let whole = 739_182_640_000 + i64::from(self.life) * 1000 + place;
        let millionths = whole * 1_000_000 + 482_917;
        let text = format!("{whole}.482917");
        let bytes = millionths.to_le_bytes();
        self.needles.push(Needle::bytes(text.clone(), &bytes));
        json!(text)
    }

    fn learner(&mut self) {
        let mut record = json!({"type": "learner", "school_id": SCHOOL, "id": self.id});
        self.texts(&mut record, &LEARNER_TEXTS);
        // The names once more as a search compares them.
        let folded = format!(
            "nadel {0}-first_name of a learner nadel {0}-last_name of a learner",
            self.life
        );
        self.needles.push(Needle::text(&folded));
        record["date_of_birth"] = self.date(1);
        record["transfer_date"] = self.date(2);
        record["status"] = json!("left");
        self.say(&record);
    }

    fn subjects(&mut self) {
        for subject in 1..=2 {
            let mut terms = Vec::new();
            for term in 1..=2 {
                let place = 10 * subject + term;
                let mut record = json!({"term": term, "mark": self.decimal(place)});
                for field in GROUP_TEXTS {
                    record[field] = self.text(&format!("{field}-{place}"));
                }
                terms.push(record);
            }
            self.say(&json!({
                "type": "learner_subject", "school_id": SCHOOL, "learner_id": self.id,
                "year": 2026, "subject_id": subject, "grade_id": 4, "terms": terms,
            }));
        }
    }

    fn absences(&mut self) {
        for place in 0..3 {
            let record = json!({
                "type": "absentee", "school_id": SCHOOL, "id": ABSENCES + place,
                "learner_id": self.id, "absent_date": self.date(10 + u8::try_from(place).unwrap()),
                "absent_reason": self.text(&format!("absent_reason-{place}")),
            });
            self.say(&record);
        }
    }

    fn mark(&mut self, place: usize, assessment: u64) {
        let (second, minute) = (place as u64, u64::from(self.life));
        let time = format!("7391-11-27 23:{minute:02}:{second:02}");
        let packed = [
            (73, 33),
            (91, 26),
            (11, 22),
            (27, 17),
            (23, 12),
            (minute, 6),
        ];
        let packed = packed.iter().fold(second, |all, (n, at)| all | n << at);
        let bytes = &packed.to_be_bytes()[3..];
        self.needles.push(Needle::bytes(time.clone(), bytes));
        let record = json!({
            "type": "mark", "school_id": SCHOOL, "assessment_id": assessment,
            "learner_id": self.id, "mark": self.decimal(100 + place),
            "percentage": self.decimal(200 + place), "dtime": time,
        });
        self.say(&record);
    }

    /// What a school says of itself and of others than its learners.
    fn of_school() -> Portrait {
        let mut portrait = Portrait {
            id: 0,
            life: 0,
            needles: Vec::new(),
            lines: String::new(),
        };
        for (kind, key, fields) in SCHOOL_TEXTS {
            let mut record = json!({"type": kind, "school_id": SCHOOL});
            for name in *key {
                record[name] = json!(77_700_001);
            }
            if *kind == "school" {
                record["current_year"] = json!(2026);
            }
            portrait.texts(&mut record, fields);
            portrait.say(&record);
        }
        portrait
    }

    /// What takes the records away one by one.
    fn removal(&self) -> String {
        let mut dataset = String::new();
        for line in self.lines.lines() {
            let mut record: Value = serde_json::from_str(line).unwrap();
            let keys = [
                "type",
                "school_id",
                "id",
                "learner_id",
                "year",
                "subject_id",
            ];
            let of_absentee = record["type"] == "absentee";
            record.as_object_mut().unwrap().retain(|name, _| {
                (keys.contains(&name.as_str()) || name == "assessment_id")
                    && !(of_absentee && name == "learner_id")
            });
            record["deleted"] = json!(true);
            writeln!(dataset, "{record}").unwrap();
        }
        dataset
    }
}

/// The id of the learner's first absence.
const ABSENCES: u64 = 4_400_000;

/// The id in each way of writing it, if it can be told from other bytes.
fn id_needles(id: u64) -> Vec<Needle> {
    if id <= u64::from(u32::MAX) {
        return Vec::new();
    }
    vec![
        Needle::bytes("the id, low byte first".to_owned(), &id.to_le_bytes()),
        Needle::bytes("the id, high byte first".to_owned(), &id.to_be_bytes()),
        Needle::text(&id.to_string()),
    ]
}

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

/// Which of the needles are in the bytes.
fn found<'a>(bytes: &[u8], needles: impl IntoIterator<Item = &'a Needle>) -> Vec<&'a str> {
    let needles = needles.into_iter();
    let found = needles.filter(|needle| memmem::find(bytes, &needle.bytes).is_some());
    found.map(|needle| needle.what.as_str()).collect()
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
}

impl Lived<'_> {
    fn at(place: &Place, cache_bytes: usize, id: u64, learners: u32) -> Lived<'_> {
        let (base, mut assessments) = base(learners);
        let ids = assessments
            .iter()
            .map(|record| record["assessment_id"].as_u64().unwrap());
        // A mark that waits for its assessment is kept elsewhere.
        let ids: Vec<u64> = ids.chain([880_000_001]).collect();
        let lives = (LOADED..=LAST).map(|life| Portrait::of(id, life, &ids));
        let mut lived = Lived {
            place,
            engine: place.open(manual(cache_bytes)),
            id,
            lives: lives.collect(),
            school: Portrait::of_school(),
            seen: Vec::new(),
        };
        lived.lead(LOADED, &[&base, &lived.school.lines, &neighbours(id)]);
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
        self.seen
            .push(found(&self.place.bytes(), &life.needles).len());
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
                "learner_subject" | "mark" | "absentee" => record["learner_id"] == self.id,
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
            // It compacts by itself.
            How::Erase => return drop(engine.erase_learner(SCHOOL, lived.id).unwrap()),
            How::DeletedRecords => {
                let removal = lived.lives[usize::from(LAST - 1)].removal();
                engine.apply(removal.as_bytes()).unwrap();
            }
            How::RemoveSchool => drop(engine.remove_school(SCHOOL).unwrap()),
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
    assert_eq!(found(&place.bytes(), &ids).len(), ids.len());
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
    assert!(!lived.seen.contains(&0) || cache_bytes > LEAST_CACHE);
    left
}

const LEAST_CACHE: usize = 1 << 20;

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
    in_file(How::Erase, LEAST_CACHE, &IDS);
}

/// A backend of the app's own is one file as well.
#[test]
fn an_erased_learner_on_a_backend() {
    let [(id, learners), _] = IDS;
    let place = Place::Disk(Disk::default());
    assert_eq!(left(&place, LEAST_CACHE, id, learners, How::Erase), [0, 0]);
}

#[test]
fn records_that_were_deleted_before_a_compaction() {
    in_file(How::DeletedRecords, LEAST_CACHE, &IDS);
}

#[test]
fn a_school_that_was_removed_before_a_compaction() {
    in_file(How::RemoveSchool, LEAST_CACHE, &IDS);
}

#[test]
fn a_school_that_was_replaced_before_a_compaction() {
    in_file(How::ReplaceSchool, LEAST_CACHE, &IDS);
}
