//! The scope of a follower: the part of a store's records that it has.

use crate::error::{Error, Result, public};
use crate::record::kind::Kind;
use crate::varint;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A part of a store's records, which a follower stores or an export contains.
///
/// A scope consists of schools, with all learners of a school or some of them. It can be
/// limited to some kinds of records.
///
/// - A **school** includes all of its records.
/// - **Learners** of a school include their own records, their subjects, marks, absences and
///   discipline, and their parents and accountable persons. Members of staff are not included.
/// - **Tables** to which these records refer are always included: schools, API types, the lists
///   that are the same for all schools, years, terms, grades, subjects, and with marks the
///   assessments, learning outcomes and learning programs. They contain no personal data.
/// - Integrators, their passwords and client integrations are never part of a scope.
///
/// Clones of a scope share their lists of learners.
///
/// ```
/// use rollbook::Scope;
///
/// let whole_school = Scope::default().school(1000);
/// let family = Scope::default().learners(1000, [1, 2]);
/// let absences = Scope::default().school(1000).only(["learner", "absentee"])?;
/// assert!(whole_school != family && whole_school != absences);
/// assert_eq!(Scope::default().learners(1000, [2, 1, 2]), family);
/// # Ok::<(), rollbook::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    pub(crate) schools: BTreeMap<u64, Audience>,
    pub(crate) kinds: Kinds,
}

/// The learners of a school whose records are in a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Audience {
    Everybody,
    /// Some learners. The set may be large, so that clones share it.
    Learners(Arc<BTreeSet<u64>>),
}

/// The owner of a record, which determines the scopes that contain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordOwner {
    /// The record belongs to no one. It is part of a table to which others refer.
    Table,
    /// The record is part of a table to which marks refer.
    TableOfMarks,
    /// The record belongs to a learner.
    Learner,
    /// The record is a parent or an accountable person, and belongs to the learners who refer
    /// to it.
    Named,
    Staff,
    /// The record belongs to the app, and is never part of a scope.
    App,
}

impl RecordOwner {
    pub(crate) const fn of_kind(kind: Kind) -> RecordOwner {
        match kind {
            Kind::School
            | Kind::ApiType
            | Kind::EthnicGroup
            | Kind::MaritalStatus
            | Kind::Gender
            | Kind::Language
            | Kind::Year
            | Kind::Term
            | Kind::Grade
            | Kind::Subject => RecordOwner::Table,
            Kind::LearningOutcome | Kind::LearningProgram | Kind::Assessment => {
                RecordOwner::TableOfMarks
            }
            Kind::Learner
            | Kind::LearnerSubject
            | Kind::Mark
            | Kind::Absentee
            | Kind::Discipline => RecordOwner::Learner,
            Kind::Parent | Kind::AccountablePerson => RecordOwner::Named,
            Kind::StaffMember => RecordOwner::Staff,
            Kind::Integrator | Kind::ClientIntegration => RecordOwner::App,
        }
    }
}

/// A set of kinds, as a bit for each number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u64);

impl Default for Kinds {
    /// Returns the set of all kinds, including those of newer versions.
    fn default() -> Kinds {
        Kinds(u64::MAX)
    }
}

impl Kinds {
    /// Returns true if the set includes records of a kind.
    pub(crate) fn has(self, kind: Kind) -> bool {
        match RecordOwner::of_kind(kind) {
            RecordOwner::App => false,
            RecordOwner::Table => true,
            RecordOwner::TableOfMarks => self.named(Kind::Mark),
            _ => self.named(kind),
        }
    }

    fn named(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }

    /// Returns the kinds that are in both sets.
    pub(crate) fn intersection(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub(crate) fn encode(self, out: &mut Vec<u8>) {
        // Usually no kind is excluded, so the complement is shorter.
        varint::push(out, !self.0);
    }

    pub(crate) fn decode(bytes: &mut &[u8]) -> Result<Kinds> {
        Ok(Kinds(!varint::take(bytes)?))
    }

    fn are_within(self, other: Kinds) -> bool {
        self.0 & !other.0 == 0
    }
}

impl Scope {
    /// Adds all of a school to the scope.
    #[must_use]
    pub fn school(mut self, school: u64) -> Scope {
        self.schools.insert(school, Audience::Everybody);
        self
    }

    /// Adds these learners of a school to those that are already in the scope.
    #[must_use]
    pub fn learners(mut self, school: u64, learners: impl IntoIterator<Item = u64>) -> Scope {
        let no_learners = || Audience::Learners(Arc::default());
        if let Audience::Learners(included) = self.schools.entry(school).or_insert_with(no_learners)
        {
            Arc::make_mut(included).extend(learners);
        }
        self
    }

    /// Limits the scope to these kinds, which are given by the name in their `type`. It then
    /// includes only these kinds of personal data. Tables are always included, but those of
    /// marks only with `mark`.
    ///
    /// # Errors
    /// Fails with `unsupported` if a name is unknown, or belongs to a kind that is never part
    /// of a scope.
    pub fn only<'a>(mut self, kinds: impl IntoIterator<Item = &'a str>) -> public::Result<Scope> {
        let mut bits = 0;
        for name in kinds {
            let kind =
                Kind::named(name).filter(|kind| RecordOwner::of_kind(*kind) != RecordOwner::App);
            let kind = kind.ok_or_else(|| {
                Error::unsupported(&format!(
                    "a scope has no kind {name:?}: name kinds of records other than integrators"
                ))
            })?;
            bits |= 1 << kind as u8;
        }
        self.kinds = Kinds(bits);
        Ok(self)
    }

    /// Returns the audience of a school, or `None` if the school is not in the scope.
    pub(crate) fn audience(&self, school: u64) -> Option<&Audience> {
        self.schools.get(&school)
    }

    /// Returns true if this scope is a part of the other one.
    pub(crate) fn is_within(&self, other: &Scope) -> bool {
        let is_within = |(school, whom): (&u64, &Audience)| match (whom, other.audience(*school)) {
            (_, Some(Audience::Everybody)) => true,
            (Audience::Learners(some), Some(Audience::Learners(others))) => some.is_subset(others),
            _ => false,
        };
        self.kinds.are_within(other.kinds) && self.schools.iter().all(is_within)
    }

    /// Returns true if the scope may contain a record of a school, as far as the record itself
    /// shows its owner.
    pub(crate) fn may_have(&self, kind: Kind, school: u64, owner: Option<u64>) -> bool {
        self.kinds.has(kind)
            && match (self.audience(school), RecordOwner::of_kind(kind)) {
                (None, _) | (_, RecordOwner::App) => false,
                (Some(Audience::Everybody), _) => true,
                (Some(whom), RecordOwner::Learner) => owner.is_some_and(|owner| whom.has(owner)),
                (Some(_), belonging) => belonging != RecordOwner::Staff,
            }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        self.kinds.encode(out);
        push_ascending(out, self.schools.keys());
        for whom in self.schools.values() {
            match whom {
                Audience::Everybody => out.push(0),
                Audience::Learners(learners) => {
                    out.push(1);
                    push_ascending(out, learners.iter());
                }
            }
        }
    }

    pub(crate) fn decode(bytes: &mut &[u8]) -> Result<Scope> {
        let kinds = Kinds::decode(bytes)?;
        let mut schools = BTreeMap::new();
        for school in take_ascending(bytes)? {
            let whom = match varint::take(bytes)? {
                0 => Audience::Everybody,
                1 => Audience::Learners(Arc::new(take_numbers(bytes)?)),
                _ => return Err(Error::corrupt("a scope is damaged")),
            };
            schools.insert(school, whom);
        }
        Ok(Scope { schools, kinds })
    }
}

impl Audience {
    pub(crate) fn has(&self, learner: u64) -> bool {
        match self {
            Audience::Everybody => true,
            Audience::Learners(learners) => learners.contains(&learner),
        }
    }
}

/// Writes the count of the numbers, then each number as the difference from the previous one.
pub(crate) fn push_ascending<'a>(
    out: &mut Vec<u8>,
    numbers: impl ExactSizeIterator<Item = &'a u64>,
) {
    varint::push(out, numbers.len() as u64);
    let mut last = 0;
    for number in numbers {
        varint::push(out, number.wrapping_sub(last));
        last = *number;
    }
}

fn take_ascending(bytes: &mut &[u8]) -> Result<Vec<u64>> {
    // Memory grows only with the bytes that are read, because the count may be damaged.
    let count = varint::take(bytes)?;
    let mut numbers = Vec::new();
    let mut last = 0_u64;
    for _ in 0..count {
        last = last.wrapping_add(varint::take(bytes)?);
        numbers.push(last);
    }
    Ok(numbers)
}

pub(crate) fn take_numbers(bytes: &mut &[u8]) -> Result<BTreeSet<u64>> {
    Ok(take_ascending(bytes)?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use crate::record::replication::scope::*;

    #[test]
    fn scopes_come_back_and_cuts_are_seen() -> public::Result<()> {
        let scope = Scope::default()
            .school(0)
            .school(u64::MAX)
            .learners(7, [1, u64::MAX, 5])
            .learners(9, [])
            .only(["learner", "mark"])?;
        let mut bytes = Vec::new();
        scope.encode(&mut bytes);
        let mut rest = bytes.as_slice();
        assert_eq!(Scope::decode(&mut rest)?, scope);
        assert!(rest.is_empty());
        for end in 0..bytes.len() {
            assert!(Scope::decode(&mut bytes.get(..end).unwrap_or_default()).is_err());
        }
        Ok(())
    }

    #[test]
    fn tables_come_along_and_integrators_never() -> public::Result<()> {
        let absences = Scope::default().only(["learner", "absentee"])?.kinds;
        for (kind, is_in) in [
            (Kind::Grade, true),
            (Kind::Absentee, true),
            (Kind::Mark, false),
            (Kind::Assessment, false),
            (Kind::Parent, false),
            (Kind::Integrator, false),
        ] {
            assert_eq!(absences.has(kind), is_in, "{kind:?}");
        }
        for kind in Kind::ALL {
            let is_app = RecordOwner::of_kind(kind) == RecordOwner::App;
            assert_eq!(Kinds::default().has(kind), !is_app, "{kind:?}");
        }
        for name in ["integrator", "client_integration", "colour"] {
            let refused = Scope::default().only([name]);
            assert_eq!(refused.map_err(|error| error.code()), Err("unsupported"));
        }
        Ok(())
    }

    #[test]
    fn a_part_is_within_the_whole() -> public::Result<()> {
        let all = Scope::default().school(1).school(2);
        let some = Scope::default().learners(1, [5, 6]);
        let marks = Scope::default().school(1).only(["mark"])?;
        assert!(some.is_within(&all) && marks.is_within(&all) && all.is_within(&all));
        assert!(!all.is_within(&some) && !all.is_within(&marks));
        assert!(!some.is_within(&marks));
        assert!(Scope::default().is_within(&Scope::default().learners(1, [])));
        assert!(Scope::default().learners(1, [5]).is_within(&some));
        assert!(!Scope::default().learners(1, [5, 7]).is_within(&some));
        assert!(!Scope::default().learners(3, []).is_within(&all));
        Ok(())
    }
}
