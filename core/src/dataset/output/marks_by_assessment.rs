//! Reads the marks of a school in the order of their assessments and then learners. They are stored
//! by learner, so a bounded number of them is collected and sorted at a time.

use crate::error::Result;
use crate::record::address::{GradeTerm, misplaced, slot_of};
use crate::record::kinds::assessment::shared_slot;
use crate::record::kinds::mark::Mark;
use crate::record::stored::mark_row::MarkRow;
use crate::store::{Collection, Key, Partition, Reader, Snapshot};
use std::collections::BTreeMap;

/// A mark by its assessment and learner.
pub(crate) struct KeyedMark {
    pub(crate) key: Key,
    pub(crate) mark: Mark,
}

/// The number of marks in a part. Up to twice as many are in memory. The rows of a term are read
/// once for each part that contains marks of the term.
const MARKS: usize = 1 << 16;

/// The maximum number of assessments that are looked up for a part.
const ASSESSMENTS: usize = 1 << 14;

/// Returns the next part of the marks of a school, from this assessment and learner on, in order.
/// Also returns the key from which the next part begins, if any key is left.
pub(crate) fn from(
    snapshot: &Snapshot,
    school: u64,
    from: Key,
) -> Result<(Vec<KeyedMark>, Option<Key>)> {
    let (assessments, last) = assessments(snapshot, school, from.0)?;
    let mut part = MarksOfPart {
        from,
        last: Key(last, u64::MAX),
        marks: Vec::new(),
    };
    part.collect_waiting(snapshot, school)?;
    let mut grade_terms: Vec<_> = assessments.into_iter().collect();
    grade_terms.sort_unstable_by_key(|(_, assessments)| assessments.first().copied());
    for (at, assessments) in grade_terms {
        if assessments.first().is_some_and(|id| *id > part.last.0) {
            break;
        }
        let slots = slots_of(snapshot, school, at, &assessments)?;
        let rows = at.partition(school, Collection::MarkRows);
        part.collect_rows(snapshot, rows, at.term, &slots)?;
    }
    part.marks.sort_unstable_by_key(|found| found.key);
    Ok((part.marks, part.last.next()))
}

/// Assessments by grade, year and term, in ascending order.
type ByGradeTerm = BTreeMap<GradeTerm, Vec<u64>>;

/// Returns the next assessments from this one on by grade, year and term, and the id up to which
/// they are complete.
fn assessments(snapshot: &Snapshot, school: u64, from: u64) -> Result<(ByGradeTerm, u64)> {
    let mut found = ByGradeTerm::new();
    let mut count = 0;
    let records = snapshot.records(Partition::new(school, Collection::AssessmentIndex))?;
    let mut records = records.cursor(Key(from, 0), Key::MAX);
    while let Some(record) = records.next()? {
        let Key(assessment, _) = record.key()?;
        if count == ASSESSMENTS {
            return Ok((found, assessment.saturating_sub(1)));
        }
        let at = GradeTerm::from_item(&record.item()?)?;
        found.entry(at).or_default().push(assessment);
        count += 1;
    }
    Ok((found, u64::MAX))
}

/// Returns these assessments of a term by slot.
fn slots_of(
    snapshot: &Snapshot,
    school: u64,
    at: GradeTerm,
    assessments: &[u64],
) -> Result<BTreeMap<u64, u64>> {
    let mut slots = BTreeMap::new();
    for id in assessments {
        if slots
            .insert(slot_of(snapshot, school, at, *id)?, *id)
            .is_some()
        {
            return Err(shared_slot());
        }
    }
    Ok(slots)
}

/// The marks of a part, while they are collected.
struct MarksOfPart {
    /// The first key that the part may contain.
    from: Key,
    /// The last key that the part may contain.
    last: Key,
    marks: Vec<KeyedMark>,
}

impl MarksOfPart {
    fn collect_waiting(&mut self, snapshot: &Snapshot, school: u64) -> Result<()> {
        let waiting = snapshot.records(Partition::new(school, Collection::WaitingMarks))?;
        let mut waiting = waiting.cursor(self.from, self.last);
        while let Some(record) = waiting.next()? {
            let key = record.key()?;
            if key > self.last {
                break;
            }
            self.add(key, record.column(0)?)?;
        }
        Ok(())
    }

    fn collect_rows(
        &mut self,
        snapshot: &Snapshot,
        rows: Partition,
        term: u64,
        slots: &BTreeMap<u64, u64>,
    ) -> Result<()> {
        let rows = snapshot.records(rows)?;
        let mut rows = rows.cursor(Key(term, 0), Key(term, u64::MAX));
        while let Some(row) = rows.next()? {
            let Key(_, learner) = row.key()?;
            let mut remaining = slots.iter().peekable();
            for mark in MarkRow::open(row.column(0)?)?.marks() {
                let (slot, mark) = mark?;
                while let Some((of, assessment)) = remaining.next_if(|(of, _)| **of <= slot) {
                    if *of == slot {
                        self.add(Key(*assessment, learner), mark)?;
                    }
                }
                if remaining.peek().is_none() {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Adds a mark, unless it belongs to another part. If there are too many marks, those with the
    /// largest keys are left to the next part.
    fn add(&mut self, key: Key, mark: &[u8]) -> Result<()> {
        if key < self.from || key > self.last {
            return Ok(());
        }
        let mark = Mark::decode(mark)?.ok_or_else(misplaced)?;
        self.marks.push(KeyedMark { key, mark });
        if self.marks.len() == 2 * MARKS {
            self.marks
                .select_nth_unstable_by_key(MARKS, |found| found.key);
            self.marks.truncate(MARKS);
            let last = self.marks.iter().map(|found| found.key).max();
            self.last = last.unwrap_or(self.last);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{Credentials, Engine, Options};
    use crate::record::stored::mark_row::steps;
    use std::fmt::Write as _;

    type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    /// Returns a store with a school in which two learners have a mark for each of `assessments`
    /// assessments of one term, and three marks wait for their assessment.
    fn engine(assessments: u64) -> Result<Engine> {
        let mut lines = String::new();
        for id in 1..=assessments {
            lines += &assessment(id, 1);
            for learner in [1, 7] {
                writeln!(
                    lines,
                    r#"{{"type":"mark","school_id":1,"assessment_id":{id},"learner_id":{learner},"mark":"{}"}}"#,
                    id % 20
                )?;
            }
        }
        for id in [3, 4000, u64::MAX] {
            writeln!(
                lines,
                r#"{{"type":"mark","school_id":1,"assessment_id":{id},"learner_id":9,"mark":"1"}}"#
            )?;
        }
        let engine = Engine::memory(Options::default())?;
        engine.apply(lines.as_bytes())?;
        Ok(engine)
    }

    fn assessment(id: u64, term: u64) -> String {
        format!(
            "{{\"type\":\"assessment\",\"school_id\":1,\"assessment_id\":{id},\"grade_id\":9,\"year\":2026,\"term\":{term},\"subject_id\":10,\"learning_outcome_id\":5,\"assessment_date\":\"2026-02-03\",\"weight\":\"10\",\"mark_out_of\":\"20\"}}\n"
        )
    }

    fn export(engine: &Engine) -> Result<String> {
        let mut text = String::new();
        for line in engine.export(Credentials::Keep)? {
            text += &line?;
            text.push('\n');
        }
        Ok(text)
    }

    /// Checks that twice the assessments take about twice the steps, and at most `each` steps for
    /// each of their marks.
    fn is_linear(steps: impl Fn(u64) -> Result<u64>, each: u64) -> Result<()> {
        let (some, twice) = (steps(1500)?, steps(3000)?);
        assert!(some > 0 && twice * 10 < some * 25, "{some} {twice}");
        assert!(twice <= 3000 * 2 * each, "{twice}");
        Ok(())
    }

    #[test]
    fn an_export_walks_rows_once() -> Result<()> {
        is_linear(
            |assessments| {
                let engine = engine(assessments)?;
                let (steps, text) = steps::count_steps(|| export(&engine));
                assert!(text?.lines().count() as u64 >= 3 * assessments);
                Ok(steps)
            },
            2,
        )
    }

    /// Assessments are moved to another term and then removed, and their marks with them.
    #[test]
    fn marks_that_move_walk_rows_once() -> Result<()> {
        is_linear(
            |assessments| {
                let engine = engine(assessments)?;
                let moved: String = (1..=assessments).map(|id| assessment(id, 2)).collect();
                let mut removals = String::new();
                for id in 1..=assessments {
                    writeln!(
                        removals,
                        r#"{{"type":"assessment","school_id":1,"assessment_id":{id},"deleted":true}}"#
                    )?;
                }
                let before = export(&engine)?;
                let (steps, applied) = steps::count_steps(|| {
                    engine.apply(moved.as_bytes())?;
                    engine.apply(removals.as_bytes())
                });
                applied?;
                engine.apply(before.as_bytes())?;
                assert!(export(&engine)? == before);
                assert!(engine.verify()?.is_sound());
                Ok(steps)
            },
            10,
        )
    }

    /// Assessments exchange slots within one dataset, in any order.
    #[test]
    fn a_slot_may_change_hands_within_a_dataset() -> Result<()> {
        let engine = engine(40)?;
        let before = export(&engine)?;
        let apply = |terms: &dyn Fn(u64) -> u64| {
            let lines: String = (1..=40).map(|id| assessment(id, terms(id))).collect();
            engine.apply(lines.as_bytes())
        };
        for round in 0..6 {
            apply(&|id| 1 + (id / 3 + round) % 3)?;
            assert!(engine.verify()?.is_sound());
        }
        apply(&|id| 1 + id % 2)?;
        apply(&|id| 2 - id % 2)?;
        assert!(engine.verify()?.is_sound());
        apply(&|_| 1)?;
        assert!(export(&engine)? == before);
        Ok(())
    }
}
