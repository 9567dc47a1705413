//! Who is accountable for which learners of a school.

use crate::error::Result;
use crate::record::account::Account;
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources};
use std::sync::Arc;

/// A learner for whom somebody is accountable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Charge {
    person: u64,
    pub(super) learner: u64,
    is_open: bool,
}

/// The learners of a school by the person accountable for them, then by id.
pub(super) struct Accounts(Vec<Charge>);

impl Accounts {
    /// The learners for whom a person is accountable: those with open accounts, or all.
    pub(super) fn of_person(&self, person: u64, all: bool) -> impl Iterator<Item = Charge> {
        let start = self.0.partition_point(|charge| charge.person < person);
        let charges = self.0.get(start..).unwrap_or_default().iter().copied();
        let of_person = charges.take_while(move |charge| charge.person == person);
        of_person.filter(move |charge| all || charge.is_open)
    }
}

pub(super) fn of(snapshot: &Snapshot, school: u64) -> Result<Arc<Accounts>> {
    const SOURCES: Sources = Sources::of(&[Collection::Learners]);
    let learners = Partition::of(school, Collection::Learners);
    snapshot.decoded(0, learners, SOURCES, || {
        let mut charges = Vec::new();
        for pinned in snapshot.records(learners)?.all() {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                let Key(learner, _) = run.key(index)?;
                let account = Account::of(&run, index)?;
                charges.extend(account.accountable_person().map(|person| Charge {
                    person,
                    learner,
                    is_open: account.is_open,
                }));
            }
        }
        charges.sort_unstable();
        charges.shrink_to_fit();
        let bytes = charges.capacity() * size_of::<Charge>();
        Ok((Accounts(charges), bytes))
    })
}
