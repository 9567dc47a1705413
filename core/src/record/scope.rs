//! Which part of a store's records a follower holds.

use super::kind::Kind;
use crate::error::{Error, Result, public};
use crate::varint;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a store's records: what a follower may hold, and an export of a part has.
///
/// It names schools, of a school all learners or some, and may be limited to some kinds
/// of records.
///
/// - A **school** is all that it has.
/// - **Learners** of a school are themselves with their subjects, marks, absences and
///   discipline, and their parents and accountable persons. No member of staff is among
///   them.
/// - The **tables** that these name come along: schools, API types, the lists that are the
///   same for all schools, years, terms, grades, subjects, and with marks the assessments,
///   learning outcomes and learning programs. They tell of nobody.
/// - Integrators, their passwords and client integrations are never part of a scope.
///
/// ```
/// use rollbook::Scope;
///
/// let everybody = Scope::default().school(1000);
/// let family = Scope::default().learners(1000, [1, 2]);
/// let absences = Scope::default().school(1000).only(["learner", "absentee"])?;
/// assert!(everybody != family && everybody != absences);
/// assert_eq!(Scope::default().learners(1000, [2, 1, 2]), family);
/// # Ok::<(), rollbook::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    pub(crate) schools: BTreeMap<u64, Whom>,
    pub(crate) kinds: Kinds,
}

/// Whose records of a school.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whom {
    Everybody,
    Learners(BTreeSet<u64>),
}

/// To whom a record belongs, so that it goes where they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Belonging {
    /// To nobody: a table that others name.
    Table,
    /// The same, of marks.
    TableOfMarks,
    /// To a learner.
    Learner,
    /// To whoever names it: a parent or an accountable person.
    Named,
    Staff,
    /// To the app: it is never part of a scope.
    App,
}

impl Belonging {
    pub(crate) const fn of(kind: Kind) -> Belonging {
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
            | Kind::Subject => Belonging::Table,
            Kind::LearningOutcome | Kind::LearningProgram | Kind::Assessment => {
                Belonging::TableOfMarks
            }
            Kind::Learner
            | Kind::LearnerSubject
            | Kind::Mark
            | Kind::Absentee
            | Kind::Discipline => Belonging::Learner,
            Kind::Parent | Kind::AccountablePerson => Belonging::Named,
            Kind::StaffMember => Belonging::Staff,
            Kind::Integrator | Kind::ClientIntegration => Belonging::App,
        }
    }
}

/// A set of kinds, as bits by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u64);

impl Default for Kinds {
    /// All of them, those of newer versions included.
    fn default() -> Kinds {
        Kinds(u64::MAX)
    }
}

impl Kinds {
    /// Whether records of a kind are in.
    pub(crate) fn has(self, kind: Kind) -> bool {
        match Belonging::of(kind) {
            Belonging::App => false,
            Belonging::Table => true,
            Belonging::TableOfMarks => self.named(Kind::Mark),
            _ => self.named(kind),
        }
    }

    fn named(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }

    /// What both have.
    pub(crate) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    fn are_within(self, other: Kinds) -> bool {
        self.0 & !other.0 == 0
    }
}

impl Scope {
    /// The same with all of a school.
    #[must_use]
    pub fn school(mut self, school: u64) -> Scope {
        self.schools.insert(school, Whom::Everybody);
        self
    }

    /// The same with these learners of a school, beside those that are in already.
    #[must_use]
    pub fn learners(mut self, school: u64, learners: impl IntoIterator<Item = u64>) -> Scope {
        let nobody = || Whom::Learners(BTreeSet::new());
        if let Whom::Learners(in_already) = self.schools.entry(school).or_insert_with(nobody) {
            in_already.extend(learners);
        }
        self
    }

    /// The same limited to these kinds, by the names that their `type` bears. Of the kinds
    /// that tell of people these alone are in; tables always come along, those of marks
    /// with `mark`.
    ///
    /// # Errors
    /// `unsupported` if a name is of no kind, or of one that is never part of a scope.
    pub fn only<'a>(mut self, kinds: impl IntoIterator<Item = &'a str>) -> public::Result<Scope> {
        let mut bits = 0;
        for name in kinds {
            let kind = Kind::named(name).filter(|kind| Belonging::of(*kind) != Belonging::App);
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

    /// Whose records of a school are in, if any.
    pub(crate) fn whom(&self, school: u64) -> Option<&Whom> {
        self.schools.get(&school)
    }

    /// Whether all of it is in another one.
    pub(crate) fn is_within(&self, other: &Scope) -> bool {
        let is_within = |(school, whom): (&u64, &Whom)| match (whom, other.whom(*school)) {
            (_, Some(Whom::Everybody)) => true,
            (Whom::Learners(some), Some(Whom::Learners(others))) => some.is_subset(others),
            _ => false,
        };
        self.kinds.are_within(other.kinds) && self.schools.iter().all(is_within)
    }

    /// Whether a record of a school may be in it, as far as it says itself whose it is.
    pub(crate) fn may_have(&self, kind: Kind, school: u64, owner: Option<u64>) -> bool {
        self.kinds.has(kind)
            && match (self.whom(school), Belonging::of(kind)) {
                (None, _) | (_, Belonging::App) => false,
                (Some(Whom::Everybody), _) => true,
                (Some(whom), Belonging::Learner) => owner.is_some_and(|owner| whom.has(owner)),
                (Some(_), belonging) => belonging != Belonging::Staff,
            }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        // Mostly none is left out.
        varint::push(out, !self.kinds.0);
        push_ascending(out, self.schools.keys());
        for whom in self.schools.values() {
            match whom {
                Whom::Everybody => out.push(0),
                Whom::Learners(learners) => {
                    out.push(1);
                    push_ascending(out, learners.iter());
                }
            }
        }
    }

    pub(crate) fn decode(bytes: &mut &[u8]) -> Result<Scope> {
        let kinds = Kinds(!varint::take(bytes)?);
        let mut schools = BTreeMap::new();
        for school in take_ascending(bytes)? {
            let whom = match varint::take(bytes)? {
                0 => Whom::Everybody,
                1 => Whom::Learners(take_ascending(bytes)?.into_iter().collect()),
                _ => return Err(Error::corrupt("a scope is damaged")),
            };
            schools.insert(school, whom);
        }
        Ok(Scope { schools, kinds })
    }
}

impl Whom {
    pub(crate) fn has(&self, learner: u64) -> bool {
        match self {
            Whom::Everybody => true,
            Whom::Learners(learners) => learners.contains(&learner),
        }
    }
}

/// How many, then each as its distance from the one before.
fn push_ascending<'a>(out: &mut Vec<u8>, numbers: impl ExactSizeIterator<Item = &'a u64>) {
    varint::push(out, numbers.len() as u64);
    let mut last = 0;
    for number in numbers {
        varint::push(out, number.wrapping_sub(last));
        last = *number;
    }
}

fn take_ascending(bytes: &mut &[u8]) -> Result<Vec<u64>> {
    // Each takes a byte at least, so that no more is made than was given.
    let count = varint::take(bytes)?;
    let mut numbers = Vec::new();
    let mut last = 0_u64;
    for _ in 0..count {
        last = last.wrapping_add(varint::take(bytes)?);
        numbers.push(last);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let is_app = Belonging::of(kind) == Belonging::App;
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
