//! Lines with one fault, of every kind in `dataset.md`.

use super::World;
use super::fields::Fields;
use super::ids::NO_SCHOOL;
use super::near_misses::near_misses;

/// Lines that are not records.
const BROKEN: [&str; 20] = [
    "{",
    "}",
    "[]",
    "null",
    "\"learner\"",
    "1",
    "x",
    "{\"type\":\"learner\",}",
    "{\"type\":\"learner\"}{}",
    "{'type':'learner'}",
    "{\"type\":\"grade\",\"school_id\":01,\"grade_id\":1}",
    "{\"type\":\"grade\",\"school_id\":+1,\"grade_id\":1}",
    "{\"type\":\"grade\",\"school_id\":1,\"grade_id\":1,\"grade\":\"\\ud800\"}",
    "{\"type\":\"grade\",\"school_id\":1,\"grade_id\":1,\"\\udc00\":1}",
    "{\"type\":\"grade\",\"school_id\":1,\"grade_id\":1,\"grade\":\"a\tb\"}",
    "{\"type\":\"grade\",\"school_id\":1,\"grade_id\":1,\"grade\":\"\\x\"}",
    "{\"type\":\"grade\",\"school_id\":1,\"grade_id\":1,\"grade\":NaN}",
    "\u{feff}{\"type\":\"grade\",\"school_id\":1,\"grade_id\":1}",
    "\u{a0}",
    "// grade",
];

/// Lines with a fault that random changes would seldom produce.
const FAULTY: [&str; 31] = [
    "{}",
    "{\"school_id\":1000}",
    "{\"type\":null,\"school_id\":1000}",
    "{\"type\":\"\"}",
    "{\"type\":\"Learner\",\"school_id\":1000,\"id\":1}",
    "{\"type\":\"pupil\"}",
    "{\"type\":{\"learner\":1}}",
    "{\"type\":\"learner\",\"school_id\":1000,\"id\":1,\"deleted\":false}",
    "{\"type\":\"learner\",\"school_id\":1000,\"id\":1,\"deleted\":\"true\"}",
    "{\"type\":\"learner\",\"school_id\":1000,\"id\":1,\"deleted\":1}",
    "{\"type\":\"learner\",\"school_id\":1000,\"id\":1,\"deleted\":true,\"first_name\":\"x\"}",
    "{\"type\":\"learner\",\"school_id\":1000,\"id\":1,\"account\":\"Open\"}",
    "{\"type\":\"learner\",\"school_id\":1000,\"id\":1,\"status\":\"left\",\"transfer_date\":\"2026-02-30\"}",
    "{\"type\":\"learner\",\"school_id\":1000,\"id\":1,\"status\":\"Left\",\"transfer_date\":\"2026-05-14\"}",
    "{\"type\":\"learner\",\"school_id\":1000,\"id\":1,\"nick\\u006eame\":\"x\"}",
    "{\"type\":\"api_type\",\"api_type_id\":8,\"api_type\":\"x\"}",
    "{\"type\":\"api_type\",\"api_type_id\":8,\"family\":\"Administration\"}",
    "{\"type\":\"api_type\",\"api_type_id\":8,\"family\":[]}",
    "{\"type\":\"api_type\",\"api_type_id\":8,\"family\":[\"finance\",\"finance\"]}",
    "{\"type\":\"school\",\"school_id\":1000,\"current_year\":null}",
    "{\"type\":\"school\",\"school_id\":1000,\"current_year\":2026,\"has_hostel\":\"yes\"}",
    "{\"type\":\"school\",\"school_id\":1000,\"current_year\":2026,\"utc_offset\":\"02:00\"}",
    "{\"type\":\"integrator\",\"username\":\"demo\"}",
    "{\"type\":\"integrator\",\"username\":\"\",\"password\":\"x\"}",
    "{\"type\":\"integrator\",\"username\":\"demo\",\"password\":\"x\",\"password_hash\":\"$argon2id$v=19$m=256,t=1,p=1$c29tZSBzYWx0IGhlcmU$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}",
    "{\"type\":\"integrator\",\"username\":\"demo\",\"password_hash\":\"demo\"}",
    "{\"type\":\"mark\",\"school_id\":1000,\"assessment_id\":1,\"learner_id\":1,\"percentage\":\"A\"}",
    "{\"type\":\"mark\",\"school_id\":1000,\"assessment_id\":1,\"learner_id\":1,\"captured\":2}",
    "{\"type\":\"client_integration\",\"username\":\"demo\",\"school_id\":1000,\"api_type_id\":8,\"state\":2}",
    "{\"type\":\"learner_subject\",\"school_id\":1000,\"learner_id\":1,\"year\":2026,\"subject_id\":9,\"grade_id\":9,\"terms\":[{\"term\":2},{\"term\":\"02\"}]}",
    "{\"type\":\"learner_subject\",\"school_id\":1000,\"learner_id\":1,\"year\":2026,\"subject_id\":9,\"grade_id\":9,\"terms\":[{\"term\":2},null]}",
];

impl World {
    /// Returns a line that is almost always refused.
    pub(super) fn faulty_line(&mut self, school: u64) -> String {
        match self.dice.below(100) {
            0 if self.dice.chance(50) => self.long_line(),
            0..=3 => self.long_username(),
            4..=15 => self.dice.pick(&BROKEN).to_owned(),
            16..=45 => self.dice.pick(&FAULTY).to_owned(),
            46..=53 => self.in_a_missing_school(),
            _ => {
                let fields = self.record(school);
                let fields = self.spoiled(fields);
                fields.line(&mut self.dice)
            }
        }
    }

    /// Makes one change: a value at the limit of its form, or a field that is unknown, repeated or
    /// missing.
    pub(super) fn spoiled(&mut self, mut fields: Fields) -> Fields {
        let dice = &mut self.dice;
        let place = dice.between(1, fields.0.len() - 1);
        match dice.below(12) {
            0 => fields.raw("nickname", "1".to_owned()),
            1 => {
                let twice = fields.0[place].clone();
                fields.0.push(twice);
                fields
            }
            2 | 3 => {
                fields.0.remove(place);
                fields
            }
            _ => {
                let kind = fields.0[0].1.trim_matches('"').to_owned();
                let (name, value) = &mut fields.0[place];
                dice.pick(near_misses(&kind, name)).clone_into(value);
                fields
            }
        }
    }

    /// Returns a record that requires its school, which does not exist.
    pub(super) fn in_a_missing_school(&mut self) -> String {
        let fields = match self.dice.below(3) {
            0 => self.year(NO_SCHOOL, 2026),
            1 => self.term(NO_SCHOOL, 2026, 1),
            _ => self.any_client_integration(NO_SCHOOL),
        };
        fields.line(&mut self.dice)
    }

    /// Returns a line of one mebibyte, or one byte longer.
    fn long_line(&mut self) -> String {
        let line = "{\"type\":\"grade\"}";
        let length = self.dice.between(1_048_576, 1_048_577);
        format!("{line}{}", " ".repeat(length - line.len()))
    }

    fn long_username(&mut self) -> String {
        let length = self.dice.pick(&[256, 257]);
        format!(
            "{{\"type\":\"integrator\",\"username\":\"{}\",\"password\":\"x\"}}",
            "u".repeat(length)
        )
    }
}
