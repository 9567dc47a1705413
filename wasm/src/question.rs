//! Decodes the questions of JavaScript. A question consists of texts: its name, then the name and
//! value of each field.

use crate::error::{Error, Result};
use rollbook::{Date, LearnerStatus, LookupList, Question};
use std::cell::OnceCell;
use std::str::FromStr;

/// The given fields of a question.
struct Fields<'a> {
    given: &'a [&'a str],
    /// The list of numbers that the question borrows.
    list: OnceCell<Vec<u64>>,
}

impl Fields<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        let mut pairs = self.given.as_chunks::<2>().0.iter();
        let pair = pairs.find(|[key, _]| *key == name);
        pair.map(|[_, value]| *value)
    }

    /// Returns the value of a field, or its default if it is optional and not given.
    fn take<'f, T: Field<'f>>(&'f self, name: &str) -> Result<T> {
        match self.get(name) {
            Some(text) => {
                let read = T::read(self, text);
                read.ok_or_else(|| {
                    Error::bad_argument(&format!("{name}: {text} is not a valid value"))
                })
            }
            None => T::DEFAULT
                .ok_or_else(|| Error::bad_argument(&format!("{name} is missing: give it"))),
        }
    }

    /// Fails if a field is given whose name is not one of these.
    fn check_names(&self, names: &[&str]) -> Result<()> {
        let mut given = self.given.as_chunks::<2>().0.iter();
        match given.find(|[name, _]| !names.contains(name)) {
            None => Ok(()),
            Some([name, _]) => {
                let names = names.join(", ");
                Err(Error::bad_argument(&format!(
                    "{name} is not a field of this question, which has {names}"
                )))
            }
        }
    }
}

/// The type of a field.
trait Field<'f>: Sized {
    /// The default, or `None` if the field is required.
    const DEFAULT: Option<Self>;

    fn read(fields: &'f Fields<'_>, text: &'f str) -> Option<Self>;
}

macro_rules! fields {
    ($($type:ty: $default:expr, $read:expr;)*) => {$(
        impl<'f> Field<'f> for $type {
            const DEFAULT: Option<Self> = $default;

            fn read(fields: &'f Fields<'_>, text: &'f str) -> Option<Self> {
                let read: fn(&'f Fields<'_>, &'f str) -> Option<Self> = $read;
                read(fields, text)
            }
        }
    )*};
}

fields! {
    u64: None, |_, text| parse(text);
    Option<u64>: Some(None), |_, text| parse(text).map(Some);
    &'f str: None, |_, text| Some(text);
    Option<&'f str>: Some(None), |_, text| Some(Some(text));
    Option<Date>: Some(None), |_, text| parse(text).map(Some);
    bool: Some(false), |_, text| parse(text);
    LearnerStatus: Some(LearnerStatus::Current), |_, text| match text {
        "current" => Some(LearnerStatus::Current),
        "left" => Some(LearnerStatus::Left),
        "waitlist" => Some(LearnerStatus::Waitlist),
        _ => None,
    };
    LookupList: None, |_, text| match text {
        "ethnicGroup" => Some(LookupList::EthnicGroup),
        "maritalStatus" => Some(LookupList::MaritalStatus),
        "gender" => Some(LookupList::Gender),
        "language" => Some(LookupList::Language),
        _ => None,
    };
    &'f [u64]: Some(&[]), |fields, text| {
        let numbers: Option<_> = text.split_terminator(',').map(parse).collect();
        Some(fields.list.get_or_init(|| numbers.unwrap_or_default()))
    };
}

fn parse<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

macro_rules! questions {
    ($($name:literal $question:ident { $($field:ident),* })*) => {
        /// Decodes a question and passes it to `ask`. `ask` is a pointer, so that this function is
        /// compiled only once.
        pub(crate) fn with(
            question: &str,
            ask: &dyn Fn(&dyn Question) -> Result<()>,
        ) -> Result<()> {
            let texts = texts(question)?;
            let (name, given) = texts.split_first().ok_or_else(unknown_question)?;
            let fields = &Fields { given, list: OnceCell::new() };
            let question: Box<dyn Question + '_> = match *name {
                $($name => {
                    fields.check_names(&[$(stringify!($field)),*])?;
                    Box::new(rollbook::$question {
                        $($field: fields.take(stringify!($field))?,)*
                    })
                })*
                _ => return Err(unknown_question()),
            };
            ask(&*question)
        }
    };
}

questions! {
    "learners" Learners {
        school, status, since, until, learner_id, grade_ids, include_parents, name, family_code
    }
    "assessmentMarks" AssessmentMarks {
        school, learner_id, grade_id, subject_id, year, term, learning_outcome_id, assessment_id,
        structure
    }
    "subjectsPerTerm" SubjectsPerTerm { school, learner_id }
    "subjectMarks" SubjectMarks { school, learner_id }
    "learnerSubjects" LearnerSubjects { school, learner_id }
    "schools" Schools { username, school }
    "clients" Clients { username, school, api_type_id }
    "absentees" Absentees { school, id, learner_id, from_date, to_date }
    "financeLearners" FinanceLearners {
        school, learner_id, debtor_code, accountable_person_id, parent_id, all_accounts,
        include_parents, include_accountable_person
    }
    "accountablePersons" AccountablePersons {
        school, debtor_code, accountable_person_id, all_accounts, include_learners
    }
    "parents" Parents { school, parent_id }
    "staffMembers" StaffMembers { school, staff_member_id }
    "schoolInfo" SchoolInfo { school }
    "discipline" Discipline { school, id, learner_id, from_date, to_date }
    "grades" Grades { school, grade_id }
    "lookup" Lookup { list, id }
}

/// Splits several texts that were passed as one: the length of each text and a comma, then a
/// semicolon, then all texts. Lengths are in UTF-16 code units, as in JavaScript.
#[cfg_attr(module, optimize(speed))]
pub(crate) fn texts(packed: &str) -> Result<Vec<&str>> {
    let invalid = || Error::bad_argument("expected texts with their lengths");
    let (lengths, mut rest) = packed.split_once(';').ok_or_else(invalid)?;
    let mut texts = Vec::with_capacity(lengths.len() / 2);
    let mut length = 0_usize;
    for byte in lengths.bytes() {
        match byte {
            b'0'..=b'9' => {
                let digit = usize::from(byte - b'0');
                length = length.saturating_mul(10).saturating_add(digit);
            }
            b',' => {
                let end = bytes_of(rest, length).ok_or_else(invalid)?;
                let (text, after) = rest.split_at_checked(end).ok_or_else(invalid)?;
                texts.push(text);
                (rest, length) = (after, 0);
            }
            _ => return Err(invalid()),
        }
    }
    Ok(texts)
}

/// Returns the length in bytes of the first UTF-16 code units of a text.
fn bytes_of(text: &str, units: usize) -> Option<usize> {
    if text.get(..units).is_some_and(str::is_ascii) {
        return Some(units);
    }
    let mut bytes = 0;
    let mut left = units;
    let mut chars = text.chars();
    while left > 0 {
        let char = chars.next()?;
        left = left.checked_sub(char.len_utf16())?;
        bytes += char.len_utf8();
    }
    Some(bytes)
}

fn unknown_question() -> Error {
    Error::bad_argument("there is no such question")
}
