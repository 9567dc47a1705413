//! Marks find their row through their assessment; without one they wait.

use super::Commit;
use super::assessments::{place_of, slot_of, spot};
use super::rows::{CLEAR, SET, row_edit};
use crate::error::Result;
use crate::record::Kind;

impl Commit<'_, '_> {
    /// Places all marks of the assessment at hand.
    pub(super) fn marks(&mut self) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let &[school, assessment, _] = head.words() else {
            return Ok(());
        };
        let at = match place_of(self.write, school, assessment)? {
            Some(place) => {
                // A mark must not take the place of another assessment's.
                self.slots.check(self.write, school, place)?;
                Some((place, slot_of(self.write, school, place, assessment)?))
            }
            None => None,
        };
        while let Some(head) = self.staged.head()? {
            let learner = match (head.kind, head.words()) {
                (Kind::Mark, [s, a, learner]) if (*s, *a) == (school, assessment) => *learner,
                _ => break,
            };
            let (partition, key, slot) = spot(school, assessment, learner, at);
            let edit = match self.staged.take()?.put {
                Some(mark) => row_edit(SET, slot, mark),
                None => row_edit(CLEAR, slot, &[]),
            };
            self.rows.push(partition, key, &edit)?;
            self.rows.spill(self.write)?;
        }
        Ok(())
    }
}
