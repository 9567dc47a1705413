//! A school's marks by assessment, then learner. They lie by learner, so a part
//! of them at a time is gathered and sorted.

use crate::error::{Error, Failure, Result};
use crate::record::assessment::{self, GRADE_TAG, SLOT_TAG, TERM_TAG, YEAR_TAG};
use crate::record::mark::Mark;
use crate::record::mark_row::{MarkRow, is_mark};
use crate::store::{Collection, Key, Partition, Reader, Snapshot};
use std::collections::BTreeMap;

/// A mark by its assessment and learner.
pub(super) struct KeyedMark {
    pub(super) key: Key,
    pub(super) mark: Mark,
}

/// How many marks are gathered at once; twice as many lie in memory. The rows of
/// a term are walked once for each part that has marks of it.
const MARKS: usize = 1 << 16;

/// How many assessments are looked up for a part.
const ASSESSMENTS: usize = 1 << 14;

/// The marks of a school from this assessment and learner on, in their order,
/// and where those begin that are left.
pub(super) fn from(
    snapshot: &Snapshot,
    school: u64,
    from: Key,
) -> Result<(Vec<KeyedMark>, Option<Key>)> {
    let (assessments, last) = assessments(snapshot, school, from.0)?;
    let mut part = Gathered {
        from,
        last: Key(last, u64::MAX),
        marks: Vec::new(),
    };
    part.gather_waiting(snapshot, school)?;
    let mut grade_terms: Vec<_> = assessments.into_iter().collect();
    grade_terms.sort_unstable_by_key(|(_, assessments)| assessments.first().copied());
    for ((grade, year, term), assessments) in grade_terms {
        if assessments.first().is_some_and(|id| *id > part.last.0) {
            break;
        }
        let of = |collection| Partition::of_grade_year(school, collection, grade, year);
        let slots = slots(snapshot, of(Collection::Assessments), term, &assessments)?;
        part.gather_rows(snapshot, of(Collection::MarkRows), term, &slots)?;
    }
    part.marks.sort_unstable_by_key(|found| found.key);
    Ok((part.marks, part.last.next()))
}

/// Assessments by grade, year and term, ascending.
type ByGradeTerm = BTreeMap<(u64, u64, u64), Vec<u64>>;

/// Where the next assessments from this one on lie, and up to which one none is
/// left out.
fn assessments(snapshot: &Snapshot, school: u64, from: u64) -> Result<(ByGradeTerm, u64)> {
    let mut found = ByGradeTerm::new();
    let mut count = 0;
    let records = snapshot.records(Partition::of(school, Collection::AssessmentIndex))?;
    for pinned in records.between(Key(from, 0), Key::MAX) {
        let (pinned, indices) = pinned?;
        let run = pinned.run()?;
        for index in indices {
            let Key(assessment, _) = run.key(index)?;
            if count == ASSESSMENTS {
                return Ok((found, assessment.saturating_sub(1)));
            }
            let tag = |tag| run.tag(tag, index)?.ok_or_else(damaged);
            let grade_term = (tag(GRADE_TAG)?, tag(YEAR_TAG)?, tag(TERM_TAG)?);
            found.entry(grade_term).or_default().push(assessment);
            count += 1;
        }
    }
    Ok((found, u64::MAX))
}

/// The assessments of a term by slot.
fn slots(
    snapshot: &Snapshot,
    partition: Partition,
    term: u64,
    assessments: &[u64],
) -> Result<BTreeMap<u64, u64>> {
    let records = snapshot.records(partition)?;
    let slot = |id: u64| {
        let found = records.get(Key(term, id))?;
        let (pinned, index) = found.ok_or_else(damaged)?;
        assessment::slot(pinned.run()?.tag(SLOT_TAG, index)?)
    };
    let mut slots = BTreeMap::new();
    for id in assessments {
        if slots.insert(slot(*id)?, *id).is_some() {
            return Err(assessment::shared_slot());
        }
    }
    Ok(slots)
}

/// The marks of a part.
struct Gathered {
    /// The first mark that may be of it.
    from: Key,
    /// The last one.
    last: Key,
    marks: Vec<KeyedMark>,
}

impl Gathered {
    fn gather_waiting(&mut self, snapshot: &Snapshot, school: u64) -> Result<()> {
        let waiting = snapshot.records(Partition::of(school, Collection::WaitingMarks))?;
        for pinned in waiting.between(self.from, self.last) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                let key = run.key(index)?;
                if key > self.last {
                    return Ok(());
                }
                self.take(key, run.record(0, index)?)?;
            }
        }
        Ok(())
    }

    fn gather_rows(
        &mut self,
        snapshot: &Snapshot,
        rows: Partition,
        term: u64,
        slots: &BTreeMap<u64, u64>,
    ) -> Result<()> {
        let rows = snapshot.records(rows)?;
        for pinned in rows.between(Key(term, 0), Key(term, u64::MAX)) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                let Key(_, learner) = run.key(index)?;
                let mut wanted = slots.iter().peekable();
                for (slot, mark) in (0..).zip(MarkRow::open(run.record(0, index)?)?.slots()) {
                    let mark = mark?;
                    let of = wanted.next_if(|wanted| *wanted.0 == slot);
                    if let Some((_, assessment)) = of.filter(|_| is_mark(mark)) {
                        self.take(Key(*assessment, learner), mark)?;
                    }
                    if wanted.peek().is_none() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes a mark, unless it is of another part. When there are too many, the
    /// last ones are left to the next.
    fn take(&mut self, key: Key, mark: &[u8]) -> Result<()> {
        if key < self.from || key > self.last {
            return Ok(());
        }
        let mark = Mark::decode(mark)?.ok_or_else(damaged)?;
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

fn damaged() -> Failure {
    Error::corrupt("a record is not where its index says")
}

#[cfg(test)]
mod tests {
    use crate::engine::{Credentials, Engine, Options};
    use crate::record::mark_row::steps;
    use std::fmt::Write as _;

    type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

    /// A school in which two learners have a mark for each of so many assessments
    /// of one term, and three marks wait.
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

    /// Whether twice the assessments take about twice the steps, and not more
    /// than so many for each of their marks.
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
                let (steps, text) = steps::of(|| export(&engine));
                assert!(text?.lines().count() as u64 >= 3 * assessments);
                Ok(steps)
            },
            2,
        )
    }

    /// Assessments that go to another term, or go, take their marks along.
    #[test]
    fn marks_that_move_walk_rows_once() -> Result<()> {
        is_linear(
            |assessments| {
                let engine = engine(assessments)?;
                let moved: String = (1..=assessments).map(|id| assessment(id, 2)).collect();
                let mut gone = String::new();
                for id in 1..=assessments {
                    writeln!(
                        gone,
                        r#"{{"type":"assessment","school_id":1,"assessment_id":{id},"deleted":true}}"#
                    )?;
                }
                let before = export(&engine)?;
                let (steps, applied) = steps::of(|| {
                    engine.apply(moved.as_bytes())?;
                    engine.apply(gone.as_bytes())
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

    /// Marks swap their slots with those of assessments that come and go within
    /// one dataset, whichever is written first.
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
