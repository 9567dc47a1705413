//! Generates random datasets with few ids, so that the same records occur often.

use serde_json::Value;
use std::collections::BTreeMap;

use crate::store::{ChangedKey, LogPartition};

/// A splitmix64 generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a random number from 1 to `most`.
    pub(crate) fn up_to(&mut self, most: u64) -> u64 {
        1 + self.number() % most
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.up_to(100) <= percent
    }

    /// Returns a random element.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(usize::try_from(self.up_to(of.len().max(1) as u64) - 1).unwrap_or(0))
    }
}

pub(crate) const SCHOOLS: [u64; 2] = [1000, 1001];

/// A kind of record: its name and number, its key fields after the school, and the other fields of
/// a line. `%4` is replaced by a random number from 1 to 4.
struct Form {
    name: &'static str,
    number: u8,
    of_school: bool,
    key: &'static str,
    rest: &'static str,
    often: usize,
}

const fn form(
    name: &'static str,
    number: u8,
    of_school: bool,
    key: &'static str,
    rest: &'static str,
    often: usize,
) -> Form {
    Form {
        name,
        number,
        of_school,
        key,
        rest,
        often,
    }
}

/// The fields are written according to the dataset format, and the numbers according to the file
/// format.
#[rustfmt::skip]
const FORMS: [Form; 21] = [
    form("school", 0, true, "", r#""school_name":"%3","current_year":2026"#, 2),
    form("api_type", 1, false, r#""api_type_id":%3"#, r#""api_type":"%3","family":"finance""#, 2),
    form("ethnic_group", 17, false, r#""id":%3"#, r#""name":"%3""#, 1),
    form("marital_status", 18, false, r#""id":%3"#, r#""name":"%3""#, 1),
    form("gender", 19, false, r#""id":%3"#, r#""name":"%3""#, 1),
    form("language", 20, false, r#""id":%3"#, r#""name":"%3""#, 1),
    form("year", 4, true, r#""year":202%6"#, r#""year_name":"%3""#, 1),
    form("term", 5, true, r#""year":2026,"term":%3"#, r#""term_id":%9"#, 1),
    form("grade", 6, true, r#""grade_id":%3"#, r#""grade":"%3""#, 1),
    form("parent", 7, true, r#""id":%5"#, r#""first_name":"%3""#, 2),
    form("learner", 8, true, r#""id":%5"#, r#""first_name":"%3","grade_id":"%3""#, 3),
    form("subject", 9, true, r#""subject_id":%3"#, r#""subject_name":"%3""#, 1),
    form("learning_outcome", 10, true, r#""learning_outcome_id":%3"#,
        r#""learning_outcome_name":"%3""#, 1),
    form("learning_program", 11, true,
        r#""grade_id":%2,"year":2026,"term":%2,"subject_id":%2"#, r#""released":"1""#, 1),
    form("accountable_person", 12, true, r#""accountable_person_id":%5"#,
        r#""first_name":"%3""#, 1),
    form("absentee", 13, true, r#""id":%9"#,
        r#""learner_id":%5,"absent_date":"2026-05-0%3""#, 4),
    form("learner_subject", 14, true, r#""learner_id":%5,"year":2026,"subject_id":%3"#,
        r#""grade_id":%2,"terms":[{"term":%2,"mark":%9}]"#, 4),
    form("assessment", 15, true, r#""assessment_id":%6"#,
        r#""grade_id":%2,"year":2026,"term":%2,"subject_id":%3,"learning_outcome_id":%2,"assessment_date":"2026-02-0%9","weight":%2"#, 6),
    form("mark", 16, true, r#""assessment_id":%6,"learner_id":%5"#, r#""mark":%4"#, 14),
    form("staff_member", 21, true, r#""id":%3"#, r#""first_name":"%3""#, 1),
    form("discipline", 22, true, r#""id":%9"#,
        r#""learner_id":%5,"discipline_date":"2026-05-0%3""#, 3),
];

fn filled(text: &str, random: &mut Random) -> String {
    let mut parts = text.split('%');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (most, rest) = part.split_at_checked(1).unwrap_or((part, ""));
        let number = random.up_to(most.parse().unwrap_or(1));
        filled.extend([number.to_string().as_str(), rest]);
    }
    filled
}

/// Returns a line of a school, or a line that belongs to no school.
fn line(random: &mut Random, school: u64) -> String {
    let forms: Vec<&Form> = FORMS
        .iter()
        .flat_map(|form| std::iter::repeat_n(form, form.often))
        .collect();
    let Some(form) = random.pick(&forms) else {
        return String::new();
    };
    let school = form.of_school.then(|| format!(r#""school_id":{school}"#));
    let key = filled(form.key, random);
    let is_deleted = form.name != "school" && random.chance(20);
    let rest = if is_deleted {
        r#""deleted":true"#.to_owned()
    } else {
        filled(form.rest, random)
    };
    let fields = [school.unwrap_or_default(), key, rest];
    let fields: Vec<String> = fields
        .into_iter()
        .filter(|field| !field.is_empty())
        .collect();
    format!(r#"{{"type":"{}",{}}}"#, form.name, fields.join(","))
}

/// Returns a dataset of at most `most` lines and the records of schools, of only one school if one
/// is given.
pub(crate) fn dataset(random: &mut Random, school: Option<u64>, most: u64) -> String {
    let mut dataset = String::new();
    for _ in 0..random.up_to(most) {
        let of = school.or_else(|| random.pick(&SCHOOLS).copied());
        let line = line(random, of.unwrap_or(0));
        if school.is_none() || line.contains("school_id") {
            dataset += &(line + "\n");
        }
    }
    for school in SCHOOLS
        .into_iter()
        .filter(|one| school.is_none_or(|school| *one == school))
    {
        if !dataset.contains(&format!(r#""type":"school","school_id":{school}"#)) {
            let line = format!(r#"{{"type":"school","school_id":{school},"current_year":2026}}"#);
            dataset += &(line + "\n");
        }
    }
    dataset
}

/// The lines of an export by the changed key of their record, without access rights.
pub(crate) type Records = BTreeMap<(LogPartition, ChangedKey), String>;

pub(crate) fn records(lines: &[String]) -> Records {
    let lines = lines.iter();
    lines
        .filter_map(|line| Some((record(line)?, line.clone())))
        .collect()
}

fn record(line: &str) -> Option<(LogPartition, ChangedKey)> {
    let record: Value = serde_json::from_str(line).ok()?;
    let number = |name: &str| {
        let value = record.get(name)?;
        let text = value.as_str().map(str::to_owned);
        text.unwrap_or_else(|| value.to_string())
            .parse::<u64>()
            .ok()
    };
    let name = record.get("type")?.as_str()?;
    let form = FORMS.iter().find(|form| form.name == name)?;
    let log_partition = if form.of_school {
        LogPartition::School(number("school_id")?)
    } else {
        LogPartition::Global
    };
    let fields = form
        .key
        .split(',')
        .filter_map(|field| field.split('"').nth(1));
    let own = ["absentee", "discipline"]
        .contains(&name)
        .then_some("learner_id");
    let mut changed_key = ChangedKey {
        kind: form.number,
        words: [0; 4],
    };
    for (word, field) in changed_key.words.iter_mut().zip(fields.chain(own)) {
        *word = number(field)?;
    }
    Some((log_partition, changed_key))
}
