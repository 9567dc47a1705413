//! A learner whose texts and numbers are unique, so that they can be found among bytes.

use memchr::memmem;
use rollbook_tests::storage::scenario::SCHOOL;
use rollbook_tests::twin::texts_of;
use serde_json::{Value, json};
use std::fmt::Write;

/// The texts of the subject of a learner in a term.
const GROUP_TEXTS: [&str; 5] = [
    "subject_group_id",
    "subject_group_name",
    "classroom_id",
    "classroom_name",
    "subject_group_teacher_id",
];

/// Kinds with texts that do not belong to a learner, with their keys in addition to the school.
const SCHOOL_KINDS: [(&str, Option<&str>); 7] = [
    ("school", None),
    ("grade", Some("grade_id")),
    ("subject", Some("subject_id")),
    ("parent", Some("id")),
    ("learning_outcome", Some("learning_outcome_id")),
    ("accountable_person", Some("accountable_person_id")),
    ("staff_member", Some("id")),
];

/// What is searched for: bytes, and a description.
pub(crate) struct Needle {
    pub(crate) what: String,
    pub(crate) bytes: Vec<u8>,
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

/// A learner in one version: every text and number is unique, and differs between versions.
pub(crate) struct Portrait {
    id: u64,
    life: u8,
    pub(crate) needles: Vec<Needle>,
    pub(crate) lines: String,
}

impl Portrait {
    /// Makes a learner with marks in these assessments.
    pub(crate) fn new(id: u64, life: u8, assessments: &[u64]) -> Portrait {
        let mut portrait = Portrait {
            id,
            life,
            needles: Vec::new(),
            lines: String::new(),
        };
        portrait.learner();
        portrait.subjects();
        portrait.absences();
        portrait.discipline();
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

    /// Sets all text fields of the kind of the record.
    fn texts(&mut self, record: &mut Value) {
        let kind = record["type"].as_str().unwrap().to_owned();
        for field in texts_of(&kind) {
            record[field] = self.text(&format!("{field} of a {kind}"));
        }
    }

    /// Returns a date that the record shows.
    fn date(&mut self, day: u8) -> Value {
        let date = format!("{}-11-{day:02}", 7310 + u32::from(self.life));
        self.needles.push(Needle::text(&date));
        json!(date)
    }

    /// Returns a decimal that is stored as eight bytes.
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
        self.texts(&mut record);
        // The names are also stored folded, for searches.
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

    fn discipline(&mut self) {
        for place in 0..2 {
            let mut record = json!({
                "type": "discipline", "school_id": SCHOOL, "id": DISCIPLINE + place,
                "learner_id": self.id,
                "discipline_date": self.date(20 + u8::try_from(place).unwrap()),
            });
            for field in texts_of("discipline") {
                record[field] = self.text(&format!("{field}-{place}"));
            }
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

    /// Makes the records of a school that do not belong to a learner.
    pub(crate) fn of_school() -> Portrait {
        let mut portrait = Portrait {
            id: 0,
            life: 0,
            needles: Vec::new(),
            lines: String::new(),
        };
        for (kind, key) in SCHOOL_KINDS {
            let mut record = json!({"type": kind, "school_id": SCHOOL});
            match key {
                Some(key) => record[key] = json!(77_700_001),
                None => record["current_year"] = json!(2026),
            }
            portrait.texts(&mut record);
            portrait.say(&record);
        }
        portrait
    }

    /// Makes people who are not learners, and the lines that delete them.
    pub(crate) fn of_people() -> (Portrait, String) {
        let mut portrait = Portrait {
            id: 0,
            life: 0,
            needles: Vec::new(),
            lines: String::new(),
        };
        let mut removals = String::new();
        for kind in ["parent", "accountable_person", "staff_member"] {
            let (_, key) = SCHOOL_KINDS
                .into_iter()
                .find(|(of, _)| *of == kind)
                .unwrap();
            let mut record = json!({"type": kind, "school_id": SCHOOL});
            record[key.unwrap()] = json!(77_700_001);
            let mut removal = record.clone();
            removal["deleted"] = json!(true);
            writeln!(removals, "{removal}").unwrap();
            portrait.texts(&mut record);
            portrait.say(&record);
        }
        (portrait, removals)
    }

    /// Returns lines that delete the records one by one.
    pub(crate) fn removal(&self) -> String {
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
            let is_dated = ["absentee", "discipline"].contains(&record["type"].as_str().unwrap());
            record.as_object_mut().unwrap().retain(|name, _| {
                (keys.contains(&name.as_str()) || name == "assessment_id")
                    && !(is_dated && name == "learner_id")
            });
            record["deleted"] = json!(true);
            writeln!(dataset, "{record}").unwrap();
        }
        dataset
    }
}

/// The id of the first absence of the learner.
const ABSENCES: u64 = 4_400_000;
/// The id of the first discipline record of the learner.
const DISCIPLINE: u64 = 4_500_000;

/// The name of the encoding in which a load stages the id.
pub(crate) const STAGED_ID: &str = "the id, high byte first";

/// Returns the encodings of the id. Returns none if the id is too small to be distinguished from
/// other bytes.
pub(crate) fn id_needles(id: u64) -> Vec<Needle> {
    if u32::try_from(id).is_ok() {
        return Vec::new();
    }
    vec![
        Needle::bytes("the id, low byte first".to_owned(), &id.to_le_bytes()),
        Needle::bytes(STAGED_ID.to_owned(), &id.to_be_bytes()),
        Needle::text(&id.to_string()),
    ]
}

/// Returns which of the needles are in the bytes.
pub(crate) fn found<'a>(
    bytes: &[u8],
    needles: impl IntoIterator<Item = &'a Needle>,
) -> Vec<&'a str> {
    let needles = needles.into_iter();
    let found = needles.filter(|needle| memmem::find(bytes, &needle.bytes).is_some());
    found.map(|needle| needle.what.as_str()).collect()
}
