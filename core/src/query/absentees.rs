//! Get Learner Absentees (4.9).

use super::window;
use super::{Array, Outcome, Question, View};
use crate::record::absentee::LEARNER_TAG;
use crate::record::bake::RENDERING;
use crate::store::{Collection, Key, Partition, Reader};
use crate::{Date, Result};

/// Get Learner Absentees (4.9): an array of absentee records (2.7) by date,
/// then id, whatever the learners' status.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Absentees, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// let line = r#"{"type":"absentee","school_id":1,"id":5,"learner_id":7,"absent_date":"2026-05-04"}"#;
/// engine.apply(line.as_bytes())?;
/// let may = Absentees { school: 1, to_date: "2026-05-31".parse().ok(), ..Absentees::default() };
/// let answer = engine.ask(&may)?;
/// let expected = r#"[{"id":"5","learner_id":"7","absent_date":"2026-05-04","absent_reason":""}]"#;
/// assert_eq!(answer.text(), expected);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Absentees {
    /// The school's login id.
    pub school: u64,
    /// One learner.
    pub learner_id: Option<u64>,
    /// The first day; a month before `to_date` unless given.
    pub from_date: Option<Date>,
    /// The last day, at most 31 days later; today unless given.
    pub to_date: Option<Date>,
}

impl Question for Absentees {
    fn answer(&self, view: View<'_>, out: &mut Vec<u8>) -> Result<Outcome> {
        let today = view.today(self.school)?;
        let window = match window::of_absences(self.from_date, self.to_date, today) {
            Ok(window) => window,
            Err(rule) => return Ok(Outcome::Refused(rule)),
        };
        let absentees = Partition::of(self.school, Collection::Absentees);
        let absentees = view.snapshot.records(absentees)?;
        let (from, to) = (
            Key(window.from.number(), 0),
            Key(window.to.number(), u64::MAX),
        );
        let array = Array::open(out);
        for page in absentees.between(from, to) {
            let (page, indices) = page?;
            let run = page.run()?;
            let Some(learner) = self.learner_id else {
                if !indices.is_empty() {
                    out.extend_from_slice(run.stretch(RENDERING, indices.start, indices.end)?);
                    out.push(b',');
                }
                continue;
            };
            let wanted = learner.to_le_bytes();
            let learners = run.tag_column(LEARNER_TAG)?;
            for index in indices {
                if learners.get(index) == Some(&wanted) {
                    out.extend_from_slice(run.record(RENDERING, index)?);
                    out.push(b',');
                }
            }
        }
        Ok(array.close(out))
    }
}
