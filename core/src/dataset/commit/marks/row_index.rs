//! The index of mark rows: the grades and terms of a year in which a learner has a row. A question
//! about one learner reads only these rows.

use crate::dataset::commit::change_counter::decision;
use crate::dataset::commit::pending_edits::{Deferred, InOrder};
use crate::dataset::summary::Change;
use crate::error::{Error, Result};
use crate::store::{Decision, Edits, Item, ItemBuffer, Key, Partition, Write};
use crate::varint;
use std::collections::BTreeSet;

/// Returns an edit which records that a row of this term was added or removed.
pub(super) fn edit(is_added: bool, term: u64) -> Vec<u8> {
    let mut edit = vec![u8::from(is_added)];
    varint::push(&mut edit, term);
    edit
}

/// Returns the terms in which a learner has rows in a grade.
pub(crate) fn terms(mut bytes: &[u8]) -> Result<BTreeSet<u64>> {
    let mut terms = BTreeSet::new();
    while !bytes.is_empty() {
        let term = varint::take(&mut bytes)?;
        if terms.last().is_some_and(|last| *last >= term) {
            return Err(Error::corrupt(
                "the terms of an index of mark rows are damaged",
            ));
        }
        terms.insert(term);
    }
    Ok(terms)
}

pub(super) fn merge(write: &mut Write<'_>, index: &mut Deferred) -> Result<()> {
    let mut edits = index.sorted(write)?;
    while let Some((partition, _)) = edits.address()? {
        let mut index = IndexEdits {
            edits: &mut edits,
            partition,
        };
        write.merge(partition, &mut index)?;
    }
    Ok(())
}

struct IndexEdits<'a, 't> {
    edits: &'a mut InOrder<'t>,
    partition: Partition,
}

impl Edits for IndexEdits<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        self.edits.key_in(self.partition)
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let mut terms = terms(old.map_or(&[], |old| old.columns[0]))?;
        self.edits.each(|edit| {
            let damaged = || Error::corrupt("an edit of the index of mark rows is damaged");
            let (is_added, mut term) = edit.split_first().ok_or_else(damaged)?;
            let term = varint::take(&mut term)?;
            if *is_added == 1 {
                terms.insert(term);
            } else {
                terms.remove(&term);
            }
            Ok(())
        })?;
        let [column, ..] = &mut new.columns;
        for term in terms {
            varint::push(column, term);
        }
        let before = old.map(|old| old.columns[0]);
        let after = (!column.is_empty()).then_some(column.as_slice());
        Ok(decision(Change::between(before, after)))
    }
}
