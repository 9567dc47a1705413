//! Get Learner Subjects (4.5).

use super::lookup::Lookup;
use super::tables::Subject;
use super::{Array, Outcome, Question, View};
use crate::json::{self, Chunks, Padded};
use crate::record::bake::RENDERING;
use crate::record::learner::{NAMES_END_TAG, RENDERING_START, STATUS_TAG};
use crate::store::{Collection, Key, Partition, Reader};
use crate::{Error, Result};

/// Get Learner Subjects (4.5): one record per learner and subject of the
/// current year (2.3), by learner, then subject.
///
/// Without `learner_id` the current learners' subjects; with it those of the
/// learner, whatever its status.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, LearnerSubjects, Options};
/// let engine = Engine::memory(Options::default())?;
/// let none = LearnerSubjects { school: 1, learner_id: Some(7) };
/// assert_eq!(engine.ask(&none)?.status.code, 404);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LearnerSubjects {
    /// The school's login id.
    pub school: u64,
    /// One learner.
    pub learner_id: Option<u64>,
}

impl Question for LearnerSubjects {
    fn answer(&self, view: View<'_>, out: &mut Vec<u8>) -> Result<Outcome> {
        let tables = view.tables(self.school)?;
        let Some(year) = tables.current_year else {
            return Ok(Outcome::Nothing);
        };
        let subjects = Partition::of_year(self.school, Collection::LearnerSubjects, year);
        let subjects = view.snapshot.records(subjects)?;
        let learners = Partition::of(self.school, Collection::Learners);
        let mut learners = Lookup::new(view.snapshot.records(learners)?);
        let (from, to) = match self.learner_id {
            Some(id) => (Key(id, 0), Key(id, u64::MAX)),
            None => (Key::MIN, Key::MAX),
        };
        // The part that a learner's records share, for the learner at hand.
        let mut start = Padded::default();
        let mut of = None;
        let mut is_shown = false;
        let array = Array::open(out);
        let mut written = Chunks::new(out);
        for page in subjects.between(from, to) {
            let (page, indices) = page?;
            let run = page.run()?;
            for Key(learner, subject) in run.keys().take(indices.end).skip(indices.start) {
                if of != Some(learner) {
                    of = Some(learner);
                    let asked_for = self.learner_id.is_some();
                    is_shown = push_start(learner, asked_for, &mut learners, &mut start)?;
                }
                if !is_shown {
                    continue;
                }
                match tables.subject(subject) {
                    Some(subject) => written.push_both(&start, &subject.listed),
                    None => written.push_both(&start, &Subject::new(subject, "", "", "").listed),
                }
            }
        }
        drop(written);
        Ok(array.close(out))
    }
}

/// Writes what precedes the subject in a learner's records; says whether the
/// learner is to be answered.
fn push_start(
    learner: u64,
    asked_for: bool,
    learners: &mut Lookup<'_>,
    start: &mut Padded,
) -> Result<bool> {
    let Some((page, index)) = learners.find(Key::one(learner))? else {
        if asked_for {
            let mut id = Vec::new();
            json::push_quoted_integer(&mut id, learner);
            start.set(&[
                b"{\"learner_id\":",
                &id,
                b",\"first_name\":\"\",\"last_name\":\"\",\"subject_id\":",
            ]);
        }
        return Ok(asked_for);
    };
    let run = page.run()?;
    if !asked_for && run.tag(STATUS_TAG, index)? != Some(0) {
        return Ok(false);
    }
    let end = run
        .tag(NAMES_END_TAG, index)?
        .and_then(|end| usize::try_from(end).ok());
    let names = end.and_then(|end| {
        run.record(RENDERING, index)
            .ok()?
            .get(RENDERING_START.len()..end)
    });
    let names = names.ok_or_else(|| Error::corrupt("a learner has no names"))?;
    start.set(&[b"{\"learner_id\":", names, b",\"subject_id\":"]);
    Ok(true)
}
