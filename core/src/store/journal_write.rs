//! Noting in the journal what a transaction touched, within the bounds of each area.

use super::digests::{Added, Scope};
use super::journal::{Area, Head, JOURNAL, row_key, sequence_of};
use super::journal_row::{self, Noted};
use super::read::next_sequence;
use super::touches::OfArea;
use super::write::Write;
use crate::error::Result;
use redb::{AccessGuard, ReadableTable, Table};
use std::collections::HashSet;

/// How a store keeps its journal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Journaling {
    /// What an area may take, about.
    pub(super) bytes: u64,
    /// The number of this opening of the store.
    pub(super) generation: u64,
}

/// How many records are known at once to be noted later.
const MOST_SEEN: usize = 1 << 16;

/// What a row takes beside its value.
const ROW_BYTES: usize = 32;

fn cost(row: &[u8]) -> u64 {
    (row.len() + ROW_BYTES) as u64
}

/// The rows of an area.
struct Rows<'a, 't> {
    table: &'a mut Table<'t, &'static [u8], &'static [u8]>,
    added: &'a mut Added,
    area: Area,
    head: Head,
}

impl Write<'_> {
    /// Notes what was touched under the number of this commit; says in which generation.
    pub(super) fn note_touched(&mut self, sequence: u64) -> Result<Option<u64>> {
        let Some(Journaling { bytes, generation }) = self.journaling else {
            return Ok(None);
        };
        let oldest = self.go_on(generation, sequence)?;
        let touched = self.touches.take();
        if touched.is_empty() {
            return Ok(Some(generation));
        }
        let mut table = self.transaction.open_table(JOURNAL)?;
        for (area, of_area) in touched {
            if let Some(before) = &self.before {
                before.check_journal(area)?;
            }
            let mut rows = Rows {
                head: Head::read(&table, area)?,
                table: &mut table,
                added: &mut self.added,
                area,
            };
            rows.note(of_area, sequence, bytes, oldest)?;
            let head = rows.head.encode();
            rows.replace(0, Some(&head))?;
        }
        Ok(Some(generation))
    }
}

impl Write<'_> {
    /// Leaves nothing of what was noted of an area, also if nothing is noted any more: who
    /// follows is to look at all of it.
    pub(crate) fn forget_touched(&mut self, area: Area) -> Result<()> {
        self.touches.touch_all(area);
        let Some(before) = self.before.clone() else {
            return Ok(());
        };
        if !before.has_touched(area)? {
            return Ok(());
        }
        before.check_journal(area)?;
        let sequence = next_sequence(&self.meta)?;
        let mut table = self.transaction.open_table(JOURNAL)?;
        let mut rows = Rows {
            head: Head::read(&table, area)?,
            table: &mut table,
            added: &mut self.added,
            area,
        };
        rows.raise_floor(sequence)?;
        let head = rows.head.encode();
        rows.replace(0, Some(&head))?;
        self.changes.other();
        Ok(())
    }
}

impl Rows<'_, '_> {
    fn note(&mut self, mut of_area: OfArea, sequence: u64, most: u64, oldest: u64) -> Result<()> {
        of_area.touched.sort_unstable();
        of_area.touched.dedup();
        let row = journal_row::encode(&of_area.touched, of_area.coverage);
        if of_area.is_whole || cost(&row) > most / 4 {
            return self.raise_floor(sequence);
        }
        self.put(sequence, Some(&row))?;
        if self.head.bytes > most {
            self.raise_floor(oldest)?;
        }
        if self.head.bytes > most {
            self.merge()?;
            self.shrink(most / 4 * 3)?;
        }
        Ok(())
    }

    /// Leaves each record with the last commit alone that touched it.
    fn merge(&mut self) -> Result<()> {
        let (mut seen, mut seen_coverage) = (HashSet::new(), false);
        let mut before = u64::MAX;
        while let Some((sequence, row)) = self.last_before(before)? {
            before = sequence;
            let (mut kept, mut coverage) = (Vec::new(), false);
            journal_row::each(&row, &mut |noted| {
                match noted {
                    Noted::Coverage => coverage = !std::mem::replace(&mut seen_coverage, true),
                    Noted::Record(touched) => {
                        let is_new = if seen.len() < MOST_SEEN {
                            seen.insert(touched)
                        } else {
                            !seen.contains(&touched)
                        };
                        kept.extend(is_new.then_some(touched));
                    }
                }
                Ok(())
            })?;
            let merged = journal_row::encode(&kept, coverage);
            if kept.is_empty() && !coverage {
                self.put(sequence, None)?;
            } else if merged != row {
                self.put(sequence, Some(&merged))?;
            }
        }
        Ok(())
    }

    /// Drops the oldest rows until the others take no more than this.
    fn shrink(&mut self, most: u64) -> Result<()> {
        while self.head.bytes > most
            && let Some(oldest) = self.oldest()?
        {
            self.raise_floor(oldest)?;
        }
        Ok(())
    }

    /// Nothing is told any more from before a commit.
    fn raise_floor(&mut self, floor: u64) -> Result<()> {
        while let Some(oldest) = self.oldest()?.filter(|oldest| *oldest <= floor) {
            self.put(oldest, None)?;
        }
        self.head.floor = self.head.floor.max(floor);
        Ok(())
    }

    /// The first commit of which there is a row.
    fn oldest(&self) -> Result<Option<u64>> {
        let (first, last) = (row_key(self.area, 1), row_key(self.area, u64::MAX));
        let mut rows = self
            .table
            .range::<&[u8]>(first.as_slice()..=last.as_slice())?;
        let Some(row) = rows.next() else {
            return Ok(None);
        };
        sequence_of(row?.0.value()).map(Some)
    }

    /// The last row before that of a commit.
    fn last_before(&self, sequence: u64) -> Result<Option<(u64, Vec<u8>)>> {
        let (first, last) = (row_key(self.area, 1), row_key(self.area, sequence));
        let mut rows = self
            .table
            .range::<&[u8]>(first.as_slice()..last.as_slice())?;
        let Some(row) = rows.next_back() else {
            return Ok(None);
        };
        let (key, row) = row?;
        Ok(Some((sequence_of(key.value())?, row.value().to_vec())))
    }

    /// Puts the row of a commit, or removes it.
    fn put(&mut self, sequence: u64, row: Option<&[u8]>) -> Result<()> {
        let old = self.replace(sequence, row)?;
        let bytes = self.head.bytes.saturating_add(row.map_or(0, cost));
        self.head.bytes = bytes.saturating_sub(old);
        Ok(())
    }

    /// Says what the row took that was there.
    fn replace(&mut self, sequence: u64, row: Option<&[u8]>) -> Result<u64> {
        let key = row_key(self.area, sequence);
        let old = match row {
            Some(row) => self.table.insert(key.as_slice(), row)?,
            None => self.table.remove(key.as_slice())?,
        };
        let old = old.as_ref().map(AccessGuard::value);
        let scope = Scope::Journal(self.area);
        self.added.replaced(scope, &key, old, row);
        Ok(old.map_or(0, cost))
    }
}
