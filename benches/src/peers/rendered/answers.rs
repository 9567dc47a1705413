//! Joins rows of finished JSON to answers.

use crate::ask::What;
use anyhow::{Context, Result};
use memchr::memmem::{self, Finder};
use serde_json::value::RawValue;
use std::io::Write;

/// Fills the buffer with an array of the rows that are pushed. It stays empty if there are none.
pub(crate) fn array(
    out: &mut Vec<u8>,
    rows: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
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
pub(crate) fn push_row(row: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(row);
    out.push(b',');
}

/// Adds a learner with the parents whose rows are pushed.
#[inline]
pub(crate) fn push_family(
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

/// The place of a row of assessment marks in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) grade: u64,
    pub(crate) term: u64,
    pub(crate) learner: u64,
}

/// An answer of assessment marks (2.6) under construction, from rows in the order of the answer.
pub(crate) struct MarksAnswer<'a> {
    out: &'a mut Vec<u8>,
    at: Option<Place>,
}

impl<'a> MarksAnswer<'a> {
    /// Creates an empty answer.
    pub(crate) fn new(out: &'a mut Vec<u8>) -> MarksAnswer<'a> {
        out.clear();
        MarksAnswer { out, at: None }
    }

    /// Adds one row, or several of one place joined by commas. The heading is that of the grade.
    #[inline]
    pub(crate) fn push(&mut self, heading: &[u8], place: Place, rows: &[u8]) {
        if self.at == Some(place) {
            self.out.push(b',');
        } else {
            self.open(heading, place);
        }
        self.out.extend_from_slice(rows);
    }

    /// Closes the levels that contained the previous row, and opens those of the next.
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

    /// Ends the answer. The buffer stays empty if there were no rows.
    pub(crate) fn finish(self) {
        if self.at.is_some() {
            self.out.extend_from_slice(b"}}}}}}}}}");
        }
    }
}

const OUTCOMES: &[u8] = b"\"learning_outcomes\":{";

/// Extracts one learning outcome from rows of assessment marks.
pub(crate) struct OutcomeFilter {
    outcome: u64,
    start: Finder<'static>,
}

impl OutcomeFilter {
    /// Returns the filter of a question, if it has one.
    pub(crate) fn for_question(what: What) -> Option<OutcomeFilter> {
        let What::MarksOfOutcome { outcome, .. } = what else {
            return None;
        };
        let start = format!(r#"{{"learning_outcome_id":"{outcome}""#);
        Some(OutcomeFilter {
            outcome,
            start: Finder::new(&start).into_owned(),
        })
    }

    /// Fills the buffer with the row reduced to this outcome. Returns false if the row does not
    /// have it.
    pub(crate) fn narrow(&self, row: &[u8], narrowed: &mut Vec<u8>) -> Result<bool> {
        // Most rows belong to other subjects. Quotes inside texts are escaped, so this finds only
        // the start of an outcome.
        let Some(start) = self.start.find(row) else {
            return Ok(false);
        };
        let json = serde_json::Deserializer::from_slice(row.get(start..).unwrap_or_default());
        let outcome: &RawValue = json.into_iter().next().context("a row is cut")??;
        let before = memmem::find(row, OUTCOMES).context("a row without outcomes")?;
        narrowed.clear();
        narrowed.extend_from_slice(row.get(..before + OUTCOMES.len()).unwrap_or_default());
        write!(narrowed, r#""{}":{outcome}}}}}"#, self.outcome)?;
        Ok(true)
    }
}
