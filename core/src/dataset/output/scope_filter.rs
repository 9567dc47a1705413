//! Selects the records of a scope.

use super::export::Export;
use super::line_writer::ExportFilter;
use crate::error::Result;
use crate::record::Kind;
use crate::record::kinds::learner::{PARENT1_COLUMN, PARENT2_COLUMN};
use crate::record::replication::scope::{Audience, Kinds, RecordOwner, Scope};
use crate::record::stored::account::Account;
use crate::store::{Collection, Key, Lease, Partition, Reader, Records, Snapshot};
use std::collections::BTreeSet;

/// The people that learners name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct NamedPeople {
    pub(crate) parents: BTreeSet<u64>,
    pub(crate) accountable_persons: BTreeSet<u64>,
}

impl NamedPeople {
    /// Returns the people that these learners of a school name, or `None` if the audience is
    /// everybody. If the scope excludes the records of learners, no one is named.
    pub(crate) fn by(
        reader: &dyn Reader,
        school: u64,
        audience: &Audience,
        kinds: Kinds,
    ) -> Result<Option<NamedPeople>> {
        let Audience::Learners(learners) = audience else {
            return Ok(None);
        };
        let learners = learners.iter().copied();
        NamedPeople::of_learners(reader, school, learners, kinds).map(Some)
    }

    /// Returns the people that these learners of a school name. If the scope excludes the records
    /// of learners, no one is named.
    pub(crate) fn of_learners(
        reader: &dyn Reader,
        school: u64,
        learners: impl Iterator<Item = u64>,
        kinds: Kinds,
    ) -> Result<NamedPeople> {
        let mut named = NamedPeople::default();
        if !kinds.has(Kind::Learner) {
            return Ok(named);
        }
        let partition = Partition::new(school, Collection::Learners);
        let records = Records::open(reader, partition)?;
        for learner in learners {
            let Some(record) = records.get(Key::one(learner))? else {
                continue;
            };
            for column in [PARENT1_COLUMN, PARENT2_COLUMN] {
                named.parents.extend(record.filter_column(column)?);
            }
            let account = Account::read(&record.block()?, record.index())?;
            named
                .accountable_persons
                .extend(account.accountable_person());
        }
        Ok(named)
    }

    pub(crate) fn has(&self, kind: Kind, id: u64) -> bool {
        match kind {
            Kind::Parent => self.parents.contains(&id),
            Kind::AccountablePerson => self.accountable_persons.contains(&id),
            _ => false,
        }
    }

    /// Returns all people with the kinds of their records.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Kind, u64)> {
        let parents = self.parents.iter().map(|id| (Kind::Parent, *id));
        let persons = self.accountable_persons.iter();
        parents.chain(persons.map(|id| (Kind::AccountablePerson, *id)))
    }
}

/// Selects the records of a scope for an export.
struct InScope {
    scope: Scope,
    /// The last school, and the people that its learners in the scope name.
    last: Option<(u64, Option<NamedPeople>)>,
}

impl InScope {
    fn new(scope: Scope) -> InScope {
        InScope { scope, last: None }
    }
}

impl ExportFilter for InScope {
    fn may_select(&self, kind: Kind) -> bool {
        let is_table = matches!(
            RecordOwner::of_kind(kind),
            RecordOwner::Table | RecordOwner::TableOfMarks
        );
        let has_people = |audience: &Audience| match audience {
            Audience::Everybody => true,
            Audience::Learners(learners) => !learners.is_empty(),
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
        let Some(audience) = self.scope.audience(*school) else {
            return Ok(false);
        };
        let Audience::Learners(learners) = audience else {
            return Ok(true);
        };
        Ok(match RecordOwner::of_kind(kind) {
            RecordOwner::Table | RecordOwner::TableOfMarks => true,
            RecordOwner::Learner => learner.is_some_and(|learner| learners.contains(&learner)),
            RecordOwner::Staff | RecordOwner::App => false,
            RecordOwner::Named => {
                let last = self.last.take().filter(|(last, _)| last == school);
                let (_, named) = match last {
                    Some(last) => self.last.insert(last),
                    None => {
                        let named = NamedPeople::by(snapshot, *school, audience, self.scope.kinds)?;
                        self.last.insert((*school, named))
                    }
                };
                let id = key.get(1).copied().unwrap_or_default();
                named.as_ref().is_some_and(|named| named.has(kind, id))
            }
        })
    }
}

impl Export {
    /// Exports the records of a scope, without integrators and client integrations.
    pub(crate) fn of_scope(lease: Lease, scope: &Scope) -> Export {
        Export::filtered(lease, Box::new(InScope::new(scope.clone())))
    }
}
