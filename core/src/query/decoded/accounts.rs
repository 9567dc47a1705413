//! The learners of a school by the person who is accountable for them.

use crate::error::Result;
use crate::record::stored::account::Account;
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources};
use std::sync::Arc;

/// A learner for whom a person is accountable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Charge {
    person: u64,
    pub(crate) learner: u64,
    is_open: bool,
}

/// The learners of a school, ordered by their accountable person, then by id.
pub(crate) struct Accounts(Vec<Charge>);

impl Accounts {
    /// Returns the learners for whom a person is accountable: all of them, or only those with
    /// open accounts.
    pub(crate) fn of_person(&self, person: u64, all: bool) -> impl Iterator<Item = Charge> {
        let start = self.0.partition_point(|charge| charge.person < person);
        let charges = self.0.get(start..).unwrap_or_default().iter().copied();
        let of_person = charges.take_while(move |charge| charge.person == person);
        of_person.filter(move |charge| all || charge.is_open)
    }
}

pub(crate) fn read(snapshot: &Snapshot, school: u64) -> Result<Arc<Accounts>> {
    const SOURCES: Sources = Sources::new(&[Collection::Learners]);
    let learners = Partition::new(school, Collection::Learners);
    snapshot.decoded(0, learners, SOURCES, || {
        let mut charges = Vec::new();
        let mut records = snapshot.records(learners)?.all();
        while let Some(record) = records.next()? {
            let Key(learner, _) = record.key()?;
            let account = Account::read(&record.block()?, record.index())?;
            charges.extend(account.accountable_person().map(|person| Charge {
                person,
                learner,
                is_open: account.is_open,
            }));
        }
        charges.sort_unstable();
        charges.shrink_to_fit();
        let bytes = charges.capacity() * size_of::<Charge>();
        Ok((Accounts(charges), bytes))
    })
}
