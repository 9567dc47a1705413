//! Seats: in which grades and terms of a year a learner has a mark row, so that
//! a question about one learner looks nowhere else.

use crate::dataset::commit::deferred::{Deferred, InOrder};
use crate::dataset::commit::direct::decision;
use crate::dataset::summary::Change;
use crate::error::{Error, Result};
use crate::record::varint;
use crate::store::{Decision, Edits, Item, ItemBuffer, Key, Partition, Write};
use std::collections::BTreeSet;

/// A row of this term is there from now on, or gone.
pub(super) fn seat_edit(taken: bool, term: u64) -> Vec<u8> {
    let mut edit = vec![u8::from(taken)];
    varint::push(&mut edit, term);
    edit
}

/// The terms of a kept seat.
pub(crate) fn terms(mut seat: &[u8]) -> Result<BTreeSet<u64>> {
    let mut terms = BTreeSet::new();
    while !seat.is_empty() {
        let term = varint::take(&mut seat)?;
        if terms.last().is_some_and(|last| *last >= term) {
            return Err(Error::corrupt("the terms of a seat are damaged"));
        }
        terms.insert(term);
    }
    Ok(terms)
}

pub(super) fn merge(write: &mut Write<'_>, seats: &mut Deferred) -> Result<()> {
    let mut edits = seats.sorted(write)?;
    while let Some((partition, _)) = edits.place()? {
        let mut seats = SeatEdits {
            edits: &mut edits,
            partition,
        };
        write.merge(partition, &mut seats)?;
    }
    Ok(())
}

struct SeatEdits<'a, 't> {
    edits: &'a mut InOrder<'t>,
    partition: Partition,
}

impl Edits for SeatEdits<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        self.edits.key_in(self.partition)
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let mut terms = terms(old.map_or(&[], |old| old.lanes[0]))?;
        self.edits.each(|edit| {
            let damaged = || Error::corrupt("an edit of seats is damaged");
            let (taken, mut term) = edit.split_first().ok_or_else(damaged)?;
            let term = varint::take(&mut term)?;
            if *taken == 1 {
                terms.insert(term);
            } else {
                terms.remove(&term);
            }
            Ok(())
        })?;
        let [lane, ..] = &mut new.lanes;
        for term in terms {
            varint::push(lane, term);
        }
        let before = old.map(|old| old.lanes[0]);
        let after = (!lane.is_empty()).then_some(lane.as_slice());
        Ok(decision(Change::of(before, after)))
    }
}
