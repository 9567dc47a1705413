//! Which records are in a scope.

use super::export::{Export, Filter};
use crate::error::Result;
use crate::record::Kind;
use crate::record::account::Account;
use crate::record::learner::{PARENT1_TAG, PARENT2_TAG};
use crate::record::scope::{Belonging, Kinds, Scope, Whom};
use crate::store::{Collection, Key, Lease, Partition, Reader, Records, Snapshot};
use std::collections::BTreeSet;

/// The people whom learners name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) parents: BTreeSet<u64>,
    pub(crate) accountable_persons: BTreeSet<u64>,
}

impl Named {
    /// Whom these learners of a school name; nothing if they are all. Without the records
    /// of learners nobody is named.
    pub(crate) fn by(
        reader: &dyn Reader,
        school: u64,
        whom: &Whom,
        kinds: Kinds,
    ) -> Result<Option<Named>> {
        let Whom::Learners(learners) = whom else {
            return Ok(None);
        };
        let mut named = Named::default();
        if !kinds.has(Kind::Learner) {
            return Ok(Some(named));
        }
        let partition = Partition::of(school, Collection::Learners);
        let records = Records::open(reader, partition)?;
        for learner in learners {
            let Some((pinned, index)) = records.get(Key::one(*learner))? else {
                continue;
            };
            let run = pinned.run()?;
            for tag in [PARENT1_TAG, PARENT2_TAG] {
                named.parents.extend(run.tag(tag, index)?);
            }
            let account = Account::of(&run, index)?;
            named
                .accountable_persons
                .extend(account.accountable_person());
        }
        Ok(Some(named))
    }

    pub(crate) fn has(&self, kind: Kind, id: u64) -> bool {
        match kind {
            Kind::Parent => self.parents.contains(&id),
            Kind::AccountablePerson => self.accountable_persons.contains(&id),
            _ => false,
        }
    }

    /// Every one of them, with the kind of its record.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Kind, u64)> {
        let parents = self.parents.iter().map(|id| (Kind::Parent, *id));
        let persons = self.accountable_persons.iter();
        parents.chain(persons.map(|id| (Kind::AccountablePerson, *id)))
    }
}

/// The records of a scope, for an export.
pub(crate) struct InScope {
    scope: Scope,
    /// The school that was met last, and whom its learners in the scope name.
    met: Option<(u64, Option<Named>)>,
}

impl InScope {
    pub(crate) fn new(scope: Scope) -> InScope {
        InScope { scope, met: None }
    }
}

impl Filter for InScope {
    fn may_take(&self, kind: Kind) -> bool {
        let is_table = matches!(
            Belonging::of(kind),
            Belonging::Table | Belonging::TableOfMarks
        );
        let has_people = |whom: &Whom| match whom {
            Whom::Everybody => true,
            Whom::Learners(learners) => !learners.is_empty(),
        };
        self.scope.kinds.has(kind) && (is_table || self.scope.schools.values().any(has_people))
    }

    fn takes(
        &mut self,
        snapshot: &Snapshot,
        kind: Kind,
        key: &[u64],
        learner: Option<u64>,
    ) -> Result<bool> {
        if !self.scope.kinds.has(kind) {
            return Ok(false);
        }
        let Some(school) = kind.is_of_school().then(|| key.first()).flatten() else {
            return Ok(true);
        };
        let Some(whom) = self.scope.whom(*school) else {
            return Ok(false);
        };
        let Whom::Learners(learners) = whom else {
            return Ok(true);
        };
        Ok(match Belonging::of(kind) {
            Belonging::Table | Belonging::TableOfMarks => true,
            Belonging::Learner => learner.is_some_and(|learner| learners.contains(&learner)),
            Belonging::Staff | Belonging::App => false,
            Belonging::Named => {
                let met = self.met.take().filter(|(met, _)| met == school);
                let (_, named) = match met {
                    Some(met) => self.met.insert(met),
                    None => {
                        let named = Named::by(snapshot, *school, whom, self.scope.kinds)?;
                        self.met.insert((*school, named))
                    }
                };
                let id = key.get(1).copied().unwrap_or_default();
                named.as_ref().is_some_and(|named| named.has(kind, id))
            }
        })
    }
}

impl Export {
    /// The records of a scope, without integrators.
    pub(crate) fn of_scope(lease: Lease, scope: &Scope) -> Export {
        Export::filtered(lease, Box::new(InScope::new(scope.clone())))
    }
}
