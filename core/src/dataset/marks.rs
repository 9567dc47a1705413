//! A school's marks by assessment, then learner. They lie by learner, so a part
//! of them at a time is gathered and sorted.

use crate::error::{Error, Result};
use crate::record::assessment::{GRADE_TAG, SLOT_TAG, TERM_TAG, YEAR_TAG};
use crate::record::mark::Mark;
use crate::record::mark_row::{MarkRow, is_mark};
use crate::store::{Collection, Key, Partition, Reader, Snapshot};
use std::collections::BTreeMap;

/// A mark by its assessment and learner.
pub(super) struct Found {
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
) -> Result<(Vec<Found>, Option<Key>)> {
    let (places, last) = places(snapshot, school, from.0)?;
    let mut part = Gathered {
        from,
        last: Key(last, u64::MAX),
        marks: Vec::new(),
    };
    part.gather_waiting(snapshot, school)?;
    let mut places: Vec<_> = places.into_iter().collect();
    places.sort_unstable_by_key(|(_, assessments)| assessments.first().copied());
    for ((grade, year, term), assessments) in places {
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
type Places = BTreeMap<(u64, u64, u64), Vec<u64>>;

/// Where the next assessments from this one on lie, and up to which one none is
/// left out.
fn places(snapshot: &Snapshot, school: u64, from: u64) -> Result<(Places, u64)> {
    let mut places = Places::new();
    let mut count = 0;
    let records = snapshot.records(Partition::of(school, Collection::AssessmentPlaces))?;
    for page in records.between(Key(from, 0), Key::MAX) {
        let (page, indices) = page?;
        let run = page.run()?;
        for index in indices {
            let Key(assessment, _) = run.key(index)?;
            if count == ASSESSMENTS {
                return Ok((places, assessment.saturating_sub(1)));
            }
            let tag = |tag| run.tag(tag, index)?.ok_or_else(damaged);
            let place = (tag(GRADE_TAG)?, tag(YEAR_TAG)?, tag(TERM_TAG)?);
            places.entry(place).or_default().push(assessment);
            count += 1;
        }
    }
    Ok((places, u64::MAX))
}

/// The assessments of a term by slot.
fn slots(
    snapshot: &Snapshot,
    partition: Partition,
    term: u64,
    assessments: &[u64],
) -> Result<BTreeMap<u64, u64>> {
    let records = snapshot.records(partition)?;
    let slot = |assessment: &u64| {
        let found = records.get(Key(term, *assessment))?;
        let (page, index) = found.ok_or_else(damaged)?;
        let slot = page.run()?.tag(SLOT_TAG, index)?;
        Ok((slot.ok_or_else(damaged)?, *assessment))
    };
    assessments.iter().map(slot).collect()
}

/// The marks of a part.
struct Gathered {
    /// The first mark that may be of it.
    from: Key,
    /// The last one.
    last: Key,
    marks: Vec<Found>,
}

impl Gathered {
    fn gather_waiting(&mut self, snapshot: &Snapshot, school: u64) -> Result<()> {
        let waiting = snapshot.records(Partition::of(school, Collection::WaitingMarks))?;
        for page in waiting.between(self.from, self.last) {
            let (page, indices) = page?;
            let run = page.run()?;
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
        for page in rows.between(Key(term, 0), Key(term, u64::MAX)) {
            let (page, indices) = page?;
            let run = page.run()?;
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
        self.marks.push(Found { key, mark });
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

fn damaged() -> Box<Error> {
    Error::corrupt("a record is not at its place")
}
