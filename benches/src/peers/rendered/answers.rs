//! How rows of finished JSON are joined to answers.

use crate::ask::What;
use anyhow::{Context, Result};
use memchr::memmem::{self, Finder};
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::io::Write;

/// Fills the buffer with an array of the rows that are pushed; leaves it empty
/// if there are none.
pub fn array(out: &mut Vec<u8>, rows: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
    out.clear();
    out.push(b'[');
    rows(out)?;
    if out.len() == 1 {
        out.clear();
    } else {
        out.pop();
        out.push(b']');
    }
    Ok(())
}

/// Adds a row to an array.
#[inline]
pub fn push_row(row: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(row);
    out.push(b',');
}

/// Adds a learner with the parents whose rows are pushed.
#[inline]
pub fn push_family(
    learner: &[u8],
    out: &mut Vec<u8>,
    parents: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    let open = learner.strip_suffix(b"}");
    out.extend_from_slice(open.context("a learner is no object")?);
    out.extend_from_slice(b",\"parents\":[");
    let none = out.len();
    parents(out)?;
    if out.len() > none {
        out.pop();
    }
    out.extend_from_slice(b"]},");
    Ok(())
}

/// Where a row of assessment marks stands in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the levels of the specification")]
pub struct Place {
    pub grade: u64,
    pub term: u64,
    pub learner: u64,
}

/// An answer of assessment marks (2.6) being written, from rows that come in
/// its order.
pub struct MarksAnswer<'a> {
    out: &'a mut Vec<u8>,
    at: Option<Place>,
}

impl<'a> MarksAnswer<'a> {
    /// An answer that holds nothing yet.
    pub fn new(out: &'a mut Vec<u8>) -> MarksAnswer<'a> {
        out.clear();
        MarksAnswer { out, at: None }
    }

    /// Adds one row, or several of one place joined by commas. The heading is
    /// that of the grade.
    #[inline]
    pub fn push(&mut self, heading: &[u8], place: Place, rows: &[u8]) {
        if self.at == Some(place) {
            self.out.push(b',');
        } else {
            self.open(heading, place);
        }
        self.out.extend_from_slice(rows);
    }

    /// Closes the levels that the row before was in, and opens those of the
    /// next.
    fn open(&mut self, heading: &[u8], place: Place) {
        let before = self.at.replace(place);
        let same_grade = before.is_some_and(|before| before.grade == place.grade);
        let same_term = same_grade && before.is_some_and(|before| before.term == place.term);
        let closed: &[u8] = match before {
            None => b"{",
            Some(_) if same_term => b"}},",
            Some(_) if same_grade => b"}}}},",
            Some(_) => b"}}}}}}}},",
        };
        self.out.extend_from_slice(closed);
        if !same_grade {
            self.out.extend_from_slice(heading);
        }
        let Place { term, learner, .. } = place;
        let opened = if same_term {
            write!(
                self.out,
                r#""{learner}":{{"learner_id":"{learner}","subjects":{{"#
            )
        } else {
            write!(
                self.out,
                r#""{term}":{{"term":"{term}","learners":{{"{learner}":{{"learner_id":"{learner}","subjects":{{"#
            )
        };
        debug_assert!(opened.is_ok(), "a buffer takes everything");
    }

    /// Ends the answer; the buffer stays empty if there were no rows.
    pub fn finish(self) {
        if self.at.is_some() {
            self.out.extend_from_slice(b"}}}}}}}}}");
        }
    }
}

const OUTCOMES: &[u8] = b"\"learning_outcomes\":{";

/// Takes one learning outcome out of rows of assessment marks.
pub struct OutcomeFilter {
    outcome: String,
    mention: Finder<'static>,
}

impl OutcomeFilter {
    /// The filter of a question, if it has one.
    pub fn of(what: What) -> Option<OutcomeFilter> {
        let What::MarksOfOutcome { outcome, .. } = what else {
            return None;
        };
        let mention = format!(r#""learning_outcome_id":"{outcome}""#);
        Some(OutcomeFilter {
            outcome: outcome.to_string(),
            mention: Finder::new(&mention).into_owned(),
        })
    }

    /// Fills the buffer with the row as it is with this outcome alone; false
    /// if it has none.
    pub fn narrow(&self, row: &[u8], kept: &mut Vec<u8>) -> Result<bool> {
        // Most rows are of other subjects. Quotes inside texts are escaped, so
        // that a member is found nowhere else.
        if self.mention.find(row).is_none() {
            return Ok(false);
        }
        let outcomes = memmem::find(row, OUTCOMES).map(|at| at + OUTCOMES.len());
        let parts = outcomes.and_then(|at| Some((row.get(..at)?, row.get(at - 1..row.len() - 1)?)));
        let (start, outcomes) = parts.context("a row without outcomes")?;
        let mut json = serde_json::Deserializer::from_slice(outcomes);
        let Some(found) = Member(&self.outcome).deserialize(&mut json)? else {
            return Ok(false);
        };
        kept.clear();
        kept.extend_from_slice(start);
        write!(kept, r#""{}":{found}}}}}"#, self.outcome)?;
        Ok(true)
    }
}

/// Finds a member of an object.
struct Member<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for Member<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<&str>()? {
            if name == self.0 {
                found = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(rows: &[(u64, u64, u64, &str)]) -> String {
        let mut out = b"before".to_vec();
        let mut answer = MarksAnswer::new(&mut out);
        for (grade, term, learner, row) in rows {
            let place = Place {
                grade: *grade,
                term: *term,
                learner: *learner,
            };
            let heading = format!(r#""{grade}":{{"years":{{"2026":{{"terms":{{"#);
            answer.push(heading.as_bytes(), place, row.as_bytes());
        }
        answer.finish();
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn levels_are_opened_and_closed() {
        assert_eq!(answer(&[]), "");
        let written = answer(&[
            (8, 1, 5, r#""20":{}"#),
            (8, 1, 5, r#""21":{}"#),
            (8, 1, 6, r#""20":{}"#),
            (8, 2, 6, r#""20":{}"#),
            (9, 2, 6, r#""20":{}"#),
        ]);
        let one = |id| format!(r#""{id}":{{"learner_id":"{id}","subjects":{{"20":{{}}}}}}"#);
        let five = r#""5":{"learner_id":"5","subjects":{"20":{},"21":{}}}"#;
        let term = |term, learners: &str| {
            format!(r#""{term}":{{"term":"{term}","learners":{{{learners}}}}}"#)
        };
        let grade = |grade, terms: &str| {
            format!(r#""{grade}":{{"years":{{"2026":{{"terms":{{{terms}}}}}}}}}"#)
        };
        let six = one(6);
        let first = [term(1, &[five, &six].join(",")), term(2, &six)].join(",");
        let grades = [grade(8, &first), grade(9, &term(2, &six))].join(",");
        assert_eq!(written, format!("{{{grades}}}"));
    }

    #[test]
    fn one_outcome_is_kept() -> Result<()> {
        let filter = OutcomeFilter::of(What::MarksOfOutcome {
            grade: 9,
            term: 1,
            outcome: 4,
        });
        let filter = filter.context("a filter")?;
        let outcome = |id| format!(r#""{id}":{{"learning_outcome_id":"{id}","assessments":{{}}}}"#);
        let row = |outcomes: &[String]| {
            let outcomes = outcomes.join(",");
            format!(r#""7":{{"subject_name":"\"4\"","learning_outcomes":{{{outcomes}}}}}"#)
        };
        let mut kept = Vec::new();
        for (outcomes, found) in [([3, 4], true), ([4, 44], true), ([3, 44], false)] {
            let all = row(&outcomes.map(outcome));
            assert_eq!(filter.narrow(all.as_bytes(), &mut kept)?, found);
            if found {
                assert_eq!(String::from_utf8_lossy(&kept), row(&[outcome(4)]));
            }
        }
        Ok(())
    }
}
