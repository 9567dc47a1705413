//! Query strings → questions (section 4), faults named in the order of each
//! endpoint's table.

use crate::Date;
use crate::query::{
    Absentees, AssessmentMarks, LearnerStatus, LearnerSubjects, Learners, SubjectMarks,
    SubjectsPerTerm,
};
use crate::record::learner::STATUSES;
use crate::record::value::integer;
use std::borrow::Cow;

/// A segment of a path without its percent escapes.
pub(super) fn decode_path(segment: &str) -> Cow<'_, str> {
    decode(segment, false)
}

/// Resolves `%xx`, and `+` to a blank where that is meant. An invalid escape
/// stays as it is; invalid UTF-8 becomes U+FFFD.
fn decode(text: &str, plus_is_blank: bool) -> Cow<'_, str> {
    let special = |byte: u8| byte == b'%' || (plus_is_blank && byte == b'+');
    if !text.bytes().any(special) {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let hex = |digit: u8| char::from(digit).to_digit(16);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if let (b'%', [high, low, after @ ..]) = (byte, after)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            bytes.push((high * 16 + low).to_le_bytes()[0]);
            rest = after;
        } else {
            bytes.push(if plus_is_blank && *byte == b'+' {
                b' '
            } else {
                *byte
            });
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// A query string.
#[derive(Clone, Copy)]
pub(super) struct Params<'a>(pub(super) &'a str);

impl<'a> Params<'a> {
    /// The value of the last parameter of this name; nothing if that is empty.
    fn get(self, name: &str) -> Option<Cow<'a, str>> {
        self.given(name).filter(|value| !value.is_empty())
    }

    /// The value of the last parameter of this name, empty or not.
    fn given(self, name: &str) -> Option<Cow<'a, str>> {
        self.0.rsplit('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key, true) == name).then(|| decode(value, true))
        })
    }

    /// `include_parents`: given with any value but these few, or none.
    pub(super) fn includes_parents(self) -> bool {
        let given = self.given("include_parents");
        given.is_some_and(|value| {
            !["0", "false", "no"]
                .iter()
                .any(|off| value.eq_ignore_ascii_case(off))
        })
    }

    fn number(self, name: &str) -> Result<Option<u64>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match integer(&value) {
                Some(number) => Ok(Some(number)),
                None => Err(format!("{name} must be an unsigned integer")),
            },
        }
    }

    fn date(self, name: &str) -> Result<Option<Date>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match Date::parse(value.as_bytes()) {
                Some(date) => Ok(Some(date)),
                None => Err(format!("{name} must be a date (YYYY-MM-DD)")),
            },
        }
    }

    fn status(self) -> Result<LearnerStatus, String> {
        let Some(value) = self.get("status") else {
            return Ok(LearnerStatus::Current);
        };
        let [current, left, waitlist] = STATUSES;
        match value.as_ref() {
            status if status == current => Ok(LearnerStatus::Current),
            status if status == left => Ok(LearnerStatus::Left),
            status if status == waitlist => Ok(LearnerStatus::Waitlist),
            _ => Err("status must be current, left or waitlist".to_owned()),
        }
    }

    /// A grade or several with commas between, each with blanks around or not.
    fn grades(self) -> Result<Vec<u64>, String> {
        let Some(value) = self.get("grade_id") else {
            return Ok(Vec::new());
        };
        let grades = value
            .split(',')
            .map(|grade| integer(grade.trim_matches(' ')));
        grades.collect::<Option<_>>().ok_or_else(|| {
            "grade_id must be an unsigned integer or a comma-separated list of them".to_owned()
        })
    }

    fn structure(self) -> Result<bool, String> {
        let value = self.get("structure").unwrap_or(Cow::Borrowed("0"));
        let is = |text: &str| value.eq_ignore_ascii_case(text);
        if is("1") || is("true") {
            Ok(true)
        } else if is("0") || is("false") {
            Ok(false)
        } else {
            Err("structure must be 1, true, 0 or false".to_owned())
        }
    }

    fn learner(self) -> Result<u64, String> {
        let learner = self.number("learner_id")?;
        learner.ok_or_else(|| "Please provide a learner_id".to_owned())
    }
}

/// The parameters of Get Learner(s), some of which own what the question
/// borrows.
pub(super) struct LearnersParams<'a> {
    status: LearnerStatus,
    since: Option<Date>,
    until: Option<Date>,
    learner_id: Option<u64>,
    grade_ids: Vec<u64>,
    include_parents: bool,
    name: Option<Cow<'a, str>>,
    family_code: Option<u64>,
}

impl<'a> LearnersParams<'a> {
    pub(super) fn read(params: Params<'a>) -> Result<LearnersParams<'a>, String> {
        Ok(LearnersParams {
            status: params.status()?,
            since: params.date("since")?,
            until: params.date("until")?,
            learner_id: params.number("learner_id")?,
            grade_ids: params.grades()?,
            include_parents: params.includes_parents(),
            name: params.get("name"),
            family_code: params.number("family_code")?,
        })
    }

    pub(super) fn question(&self, school: u64) -> Learners<'_> {
        Learners {
            school,
            status: self.status,
            since: self.since,
            until: self.until,
            learner_id: self.learner_id,
            grade_ids: &self.grade_ids,
            include_parents: self.include_parents,
            name: self.name.as_deref(),
            family_code: self.family_code,
        }
    }
}

pub(super) fn assessment_marks(school: u64, params: Params<'_>) -> Result<AssessmentMarks, String> {
    Ok(AssessmentMarks {
        school,
        learner_id: params.number("learner_id")?,
        grade_id: params.number("grade_id")?,
        subject_id: params.number("subject_id")?,
        year: params.number("year")?,
        term: params.number("term")?,
        learning_outcome_id: params.number("learning_outcome_id")?,
        assessment_id: params.number("assessment_id")?,
        structure: params.structure()?,
    })
}

pub(super) fn subjects_per_term(
    school: u64,
    params: Params<'_>,
) -> Result<SubjectsPerTerm, String> {
    let learner_id = params.learner()?;
    Ok(SubjectsPerTerm { school, learner_id })
}

pub(super) fn subject_marks(school: u64, params: Params<'_>) -> Result<SubjectMarks, String> {
    let learner_id = params.learner()?;
    Ok(SubjectMarks { school, learner_id })
}

pub(super) fn learner_subjects(school: u64, params: Params<'_>) -> Result<LearnerSubjects, String> {
    let learner_id = params.number("learner_id")?;
    Ok(LearnerSubjects { school, learner_id })
}

pub(super) fn absentees(school: u64, params: Params<'_>) -> Result<Absentees, String> {
    Ok(Absentees {
        school,
        learner_id: params.number("learner_id")?,
        from_date: params.date("from_date")?,
        to_date: params.date("to_date")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (text, expected) in [
            ("a%20b+c", "a b c"),
            ("%zz%4", "%zz%4"),
            ("%C3%A9", "é"),
            ("%ff", "\u{fffd}"),
            ("100%", "100%"),
            ("%2", "%2"),
            ("%2b", "+"),
            ("%25%32%30", "%20"),
        ] {
            assert_eq!(decode(text, true), expected, "{text}");
        }
        assert_eq!(decode_path("a+b%2Fc"), "a+b/c");
    }

    #[test]
    fn the_last_of_a_name_wins_and_an_empty_value_is_none() {
        let get = |query, name| Params(query).get(name).map(Cow::into_owned);
        assert_eq!(get("a=1&b=2&a=3", "a").as_deref(), Some("3"));
        assert_eq!(get("a=1&a=", "a"), None);
        assert_eq!(get("a=1&a", "a"), None);
        assert_eq!(get("%61=b=c", "a").as_deref(), Some("b=c"));
        assert_eq!(get("A=1;a=2", "a"), None);
        assert_eq!(get("", "a"), None);
    }

    #[test]
    fn parents_are_included_unless_switched_off() {
        for (query, expected) in [
            ("", false),
            ("include_parents", true),
            ("include_parents=", true),
            ("include_parents=x", true),
            ("include_parents=0", false),
            ("include_parents=FALSE", false),
            ("include_parents=No", false),
            ("include_parents=1&include_parents=no", false),
            ("include_parents=0&include_parents", true),
        ] {
            assert_eq!(Params(query).includes_parents(), expected, "{query}");
        }
    }

    #[test]
    fn the_first_fault_in_the_order_of_the_table_is_named() {
        let fault = |query| {
            LearnersParams::read(Params(query))
                .err()
                .unwrap_or_default()
        };
        assert_eq!(
            fault("family_code=x&grade_id=8,,9"),
            "grade_id must be an unsigned integer or a comma-separated list of them"
        );
        assert_eq!(
            fault("family_code=-1"),
            "family_code must be an unsigned integer"
        );
        assert_eq!(
            fault("until=2026-02-30&since=x"),
            "since must be a date (YYYY-MM-DD)"
        );
        assert_eq!(
            fault("status=Current"),
            "status must be current, left or waitlist"
        );
        assert_eq!(fault("grade_id=%208%20,9"), "");
        assert_eq!(
            fault("grade_id=8%099"),
            "grade_id must be an unsigned integer or a comma-separated list of them"
        );
        let marks = |query| assessment_marks(1, Params(query)).err().unwrap_or_default();
        assert_eq!(
            marks("structure=yes&year=1.5"),
            "year must be an unsigned integer"
        );
        assert_eq!(
            marks("structure=yes"),
            "structure must be 1, true, 0 or false"
        );
        assert_eq!(marks("structure=TRUE&learner_id=18446744073709551615"), "");
        assert_eq!(
            marks("learner_id=18446744073709551616"),
            "learner_id must be an unsigned integer"
        );
        assert_eq!(
            subject_marks(1, Params("learner_id=")).err().as_deref(),
            Some("Please provide a learner_id")
        );
    }
}
