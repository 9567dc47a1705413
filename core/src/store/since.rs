//! What was touched since a moment: the journal, read.

use super::checksum;
use super::history::History;
use super::journal::{Area, Head, Touched, row_key};
use super::journal_row::{self, Noted};
use super::read::read_rows;
use super::snapshot::Snapshot;
use crate::error::Result;
use std::collections::BTreeSet;

/// A place in the history of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Moment {
    /// The opening of the store that made the commit; the content of the store if the
    /// journal does not tell of the commit.
    pub(crate) generation: u64,
    /// The number of the commit.
    pub(crate) sequence: u64,
}

/// What was touched since a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Since {
    /// These records, which may be as before, and whether what was seen of the school.
    Records {
        touched: BTreeSet<Touched>,
        coverage: bool,
    },
    /// Whatever there is: more was touched than the journal tells.
    Whole,
}

/// Who has more to look at again looks at everything.
const MOST_TOLD: usize = 1 << 16;

impl Snapshot {
    /// The moment that this is.
    pub(crate) fn moment(&self) -> Result<Moment> {
        let (sequence, generation) = History::read(&self.meta)?.last;
        let generation = match generation {
            Some(generation) => generation,
            None => self.content()?,
        };
        Ok(Moment {
            generation,
            sequence,
        })
    }

    /// What stands for the generation where the last commit was not noted: it tells this
    /// content from any other, so that who has it is known to have missed nothing.
    fn content(&self) -> Result<u64> {
        let mut content: u64 = 0;
        read_rows(&self.digests, &[], &mut |key, digest| {
            content = checksum::of(&[key, &content.to_le_bytes()].concat(), digest);
            Ok(())
        })?;
        Ok(content)
    }

    /// Whether the journal tells of what came after a moment: it is one of this store's
    /// history, and nothing since went by unnoted.
    pub(crate) fn knows(&self, moment: Moment) -> Result<bool> {
        let history = History::read(&self.meta)?;
        Ok(match history.last.1 {
            Some(_) => history.knows(moment.generation, moment.sequence),
            None => moment == self.moment()?,
        })
    }

    /// What was touched after a moment.
    pub(crate) fn touched_since(&self, area: Area, moment: Moment) -> Result<Since> {
        if !self.knows(moment)? {
            return Ok(Since::Whole);
        }
        self.check_journal(area)?;
        let (mut touched, mut coverage) = (BTreeSet::new(), false);
        if let Some(journal) = &self.journal {
            if moment.sequence < Head::read(journal, area)?.floor {
                return Ok(Since::Whole);
            }
            let after = row_key(area, moment.sequence.saturating_add(1));
            let last = row_key(area, u64::MAX);
            for row in journal.range::<&[u8]>(after.as_slice()..=last.as_slice())? {
                let (_, value) = row?;
                journal_row::each(value.value(), &mut |noted| {
                    match noted {
                        Noted::Coverage => coverage = true,
                        Noted::Record(record) if touched.len() <= MOST_TOLD => {
                            touched.insert(record);
                        }
                        Noted::Record(_) => {}
                    }
                    Ok(())
                })?;
            }
        }
        if touched.len() > MOST_TOLD {
            return Ok(Since::Whole);
        }
        Ok(Since::Records { touched, coverage })
    }
}
