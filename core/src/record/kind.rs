//! The catalogue of kinds: one row per kind, with everything that other layers need to know of
//! it.

use super::field::Field;
use super::kinds::{
    absentee, accountable_person, api_type, assessment, client_integration, discipline, grade,
    integrator, learner, learner_subject, learning_outcome, learning_program, lookup, mark, parent,
    school, staff_member, subject, term, year,
};
use super::storage::{Dated, Storage};
use crate::record::values::value::Value;
use crate::store::{Collection, Key, Partition};

/// The declaration of a kind.
pub(crate) struct KindDeclaration {
    /// The name of the kind in the `type` of a line.
    pub(crate) name: &'static str,
    /// The fields: first those of the key, then the others in the order of the answer.
    pub(crate) fields: &'static [Field],
    pub(crate) storage: Storage,
    /// Whether a record requires that its school is in the store.
    pub(crate) needs_school: bool,
    /// Checks the rules between the fields of a new record.
    pub(crate) rules: fn(&[Value<'_>]) -> Result<(), String>,
    /// Replaces equivalent values by one canonical value, in addition to [`Field::default`], so
    /// that equal records have equal bytes.
    pub(crate) canonical: fn(&mut [Value<'_>]),
}

impl KindDeclaration {
    const fn new(
        name: &'static str,
        fields: &'static [Field],
        storage: Storage,
    ) -> KindDeclaration {
        KindDeclaration {
            name,
            fields,
            storage,
            needs_school: false,
            rules: |_| Ok(()),
            canonical: |_| {},
        }
    }

    const fn needs_school(self) -> KindDeclaration {
        KindDeclaration {
            needs_school: true,
            ..self
        }
    }

    const fn rules(self, rules: fn(&[Value<'_>]) -> Result<(), String>) -> KindDeclaration {
        KindDeclaration { rules, ..self }
    }

    const fn canonical(self, canonical: fn(&mut [Value<'_>])) -> KindDeclaration {
        KindDeclaration { canonical, ..self }
    }
}

/// Declares the kinds in the order of an export. The numbers are part of the format. A new kind
/// has the next number, wherever its row is inserted.
macro_rules! catalogue {
    ($($kind:ident = $number:literal, $name:literal, $file:ident, $storage:expr
        $(, $more:ident $with:tt)*;)*) => {
        /// A kind of record.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub(crate) enum Kind { $($kind = $number,)* }

        impl Kind {
            /// All kinds, in the order of an export.
            pub(crate) const ALL: [Kind; [$($number),*].len()] = [$(Kind::$kind),*];

            /// Returns the kind with this number.
            pub(crate) const fn numbered(number: u8) -> Option<Kind> {
                match number {
                    $($number => Some(Kind::$kind),)*
                    _ => None,
                }
            }

            pub(crate) const fn row(self) -> &'static KindDeclaration {
                match self {
                    $(Kind::$kind => const {
                        &KindDeclaration::new($name, $file::FIELDS, $storage)$(.$more $with)*
                    },)*
                }
            }
        }
    };
}

pub(crate) const ABSENTEES: Dated = Dated {
    records: Collection::Absentees,
    dates: Collection::AbsenteeIndex,
};

pub(crate) const DISCIPLINE: Dated = Dated {
    records: Collection::Discipline,
    dates: Collection::DisciplineIndex,
};

catalogue! {
    School = 0, "school", school, Storage::Global(Collection::Schools), canonical(school::canonical);
    ApiType = 1, "api_type", api_type, Storage::Global(Collection::ApiTypes);
    Integrator = 2, "integrator", integrator, Storage::Integrators, rules(integrator::rules);
    ClientIntegration = 3, "client_integration", client_integration, Storage::Authorisations,
        needs_school();
    EthnicGroup = 17, "ethnic_group", lookup, Storage::Global(Collection::EthnicGroups);
    MaritalStatus = 18, "marital_status", lookup, Storage::Global(Collection::MaritalStatuses);
    Gender = 19, "gender", lookup, Storage::Global(Collection::Genders);
    Language = 20, "language", lookup, Storage::Global(Collection::Languages);
    Year = 4, "year", year, Storage::BySchool(Collection::Years),
        needs_school(), canonical(year::canonical);
    Term = 5, "term", term, Storage::BySchool(Collection::Terms), needs_school();
    Grade = 6, "grade", grade, Storage::BySchool(Collection::Grades),
        canonical(grade::canonical);
    Parent = 7, "parent", parent, Storage::BySchool(Collection::Parents);
    Learner = 8, "learner", learner, Storage::BySchool(Collection::Learners);
    Subject = 9, "subject", subject, Storage::BySchool(Collection::Subjects);
    LearnerSubject = 14, "learner_subject", learner_subject, Storage::LearnerSubjects,
        rules(learner_subject::rules);
    LearningOutcome = 10, "learning_outcome", learning_outcome,
        Storage::BySchool(Collection::LearningOutcomes);
    LearningProgram = 11, "learning_program", learning_program,
        Storage::ByGradeAndYear(Collection::LearningPrograms);
    Assessment = 15, "assessment", assessment, Storage::Assessments;
    Mark = 16, "mark", mark, Storage::Marks;
    Absentee = 13, "absentee", absentee,
        Storage::Dated { at: ABSENTEES, field: absentee::ABSENT_DATE };
    AccountablePerson = 12, "accountable_person", accountable_person,
        Storage::BySchool(Collection::AccountablePersons);
    StaffMember = 21, "staff_member", staff_member, Storage::BySchool(Collection::StaffMembers);
    Discipline = 22, "discipline", discipline,
        Storage::Dated { at: DISCIPLINE, field: discipline::DISCIPLINE_DATE };
}

impl Kind {
    /// The highest number of a kind. The numbers have no gaps.
    #[expect(clippy::cast_possible_truncation, reason = "a kind's number is a byte")]
    pub(crate) const HIGHEST: u8 = Kind::ALL.len() as u8 - 1;

    /// Returns the kind that the `type` of a line names.
    pub(crate) fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the kind whose records are the entries of the collection, one for each.
    pub(crate) fn stored_in(collection: Collection) -> Option<Kind> {
        let mut kinds = Kind::ALL.into_iter();
        kinds.find(|kind| kind.storage().collection() == Some(collection))
    }

    pub(crate) const fn name(self) -> &'static str {
        self.row().name
    }

    pub(crate) const fn fields(self) -> &'static [Field] {
        self.row().fields
    }

    pub(crate) const fn storage(self) -> Storage {
        self.row().storage
    }

    /// Returns true if errors in records of this kind can be found only after the whole dataset
    /// was read. This applies to schools, and to records that require a school.
    pub(crate) fn is_checked_at_end(self) -> bool {
        self == Kind::School || self.row().needs_school
    }

    /// Returns the collections of the records, if they are ordered by date.
    pub(crate) fn dated(self) -> Option<Dated> {
        match self.storage() {
            Storage::Dated { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Returns true if the key contains a user name.
    pub(crate) const fn has_username(self) -> bool {
        matches!(
            self.storage(),
            Storage::Integrators | Storage::Authorisations
        )
    }

    /// Returns true if the key contains a school.
    pub(crate) fn is_of_school(self) -> bool {
        let mut fields = self.fields().iter();
        fields.any(|field| field.is_key() && field.name == "school_id")
    }

    /// Returns the positions of the key fields, without the school.
    pub(crate) fn key_fields(self) -> impl Iterator<Item = usize> {
        let is_of_school = self == Kind::School || self.is_of_school();
        let fields = self.fields().iter().enumerate();
        let key = fields.filter(|(_, field)| field.is_key());
        key.map(|(index, _)| index).skip(usize::from(is_of_school))
    }

    /// Returns the index of the learner among the numbers of the key without the school, if the key
    /// contains a learner.
    pub(crate) fn learner_in_key(self) -> Option<usize> {
        let name = match self {
            Kind::Learner => "id",
            _ => "learner_id",
        };
        let fields = self.fields();
        let mut key = self.key_fields();
        key.position(|index| fields.get(index).is_some_and(|field| field.name == name))
    }

    /// Returns the values of the key fields of a stored record, in the order of the fields.
    pub(crate) fn key_of(self, partition: Partition, key: Key) -> Vec<u64> {
        let count = self.fields().iter().filter(|field| field.is_key()).count();
        self.storage().key_of(partition, key, count)
    }

    /// Returns the learner to whom a record belongs, and with whom it is erased. `filter_column`
    /// returns the value of a filter column of the record.
    pub(crate) fn learner(
        self,
        key: &[u64],
        filter_column: impl FnOnce(usize) -> crate::error::Result<Option<u64>>,
    ) -> crate::error::Result<Option<u64>> {
        let name = match self {
            Kind::Learner => "id",
            _ => "learner_id",
        };
        let field = self.fields().iter().position(|field| field.name == name);
        let Some(index) = field else {
            return Ok(None);
        };
        match self.fields().get(index) {
            Some(field) if field.is_key() => Ok(key.get(index).copied()),
            Some(Field {
                filter_column: Some(number),
                ..
            }) => filter_column(usize::from(*number)),
            _ => Ok(None),
        }
    }
}

/// Returns the highest render version of any field of any kind.
pub(crate) const fn newest_rendering() -> u32 {
    let mut newest = 0;
    let mut kinds: &[Kind] = &Kind::ALL;
    while let [kind, others @ ..] = kinds {
        let mut fields = kind.fields();
        while let [field, more @ ..] = fields {
            if field.since > newest {
                newest = field.since;
            }
            fields = more;
        }
        kinds = others;
    }
    newest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::kinds::assessment;
    use std::collections::BTreeSet;

    #[test]
    fn the_numbers_of_the_kinds_have_no_gap() {
        let numbers: BTreeSet<_> = Kind::ALL.into_iter().map(|kind| kind as usize).collect();
        assert!(numbers.into_iter().eq(0..Kind::ALL.len()));
        for kind in Kind::ALL {
            assert_eq!(Kind::numbered(kind as u8), Some(kind));
            assert_eq!(Kind::named(kind.name()), Some(kind));
        }
    }

    #[test]
    fn residual_fields_of_a_kind_have_distinct_numbers() {
        for kind in Kind::ALL {
            let numbers: Vec<_> = kind
                .fields()
                .iter()
                .filter_map(|f| f.residual_field)
                .collect();
            let distinct: BTreeSet<_> = numbers.iter().collect();
            assert_eq!(distinct.len(), numbers.len(), "{kind:?}");
            assert!(!numbers.contains(&0), "{kind:?}");
        }
    }

    /// Checks that no collection contains two kinds, and that its blocks have exactly the
    /// filter columns that the fields of its kind use.
    #[test]
    fn every_kind_fits_its_collection() {
        let mut seen = BTreeSet::new();
        for kind in Kind::ALL {
            let Some(collection) = kind.storage().collection() else {
                continue;
            };
            assert!(seen.insert(collection), "{kind:?}");
            let fields = kind.fields().iter();
            let filter_columns = fields.flat_map(|field| [field.filter_column, field.end_column]);
            let mut filter_columns: Vec<_> = filter_columns.flatten().map(usize::from).collect();
            if kind == Kind::Assessment {
                filter_columns.push(assessment::SLOT_COLUMN);
            }
            filter_columns.sort_unstable();
            assert!(
                filter_columns
                    .into_iter()
                    .eq(0..collection.layout().filter_columns),
                "{kind:?}"
            );
        }
    }

    /// Checks that each record that belongs to a learner is erased with the learner.
    #[test]
    fn every_record_with_a_learner_can_be_erased() {
        for kind in Kind::ALL {
            let has_learner = kind.fields().iter().any(|field| field.name == "learner_id");
            let learner = kind.learner(&[5; 5], |_| Ok(Some(5)));
            let is_own = has_learner || kind == Kind::Learner;
            assert_eq!(learner, Ok(is_own.then_some(5)), "{kind:?}");
        }
    }

    #[test]
    fn keys_are_derived_from_their_addresses() {
        for kind in Kind::ALL {
            let keys = kind.fields().iter().filter(|field| field.is_key());
            let key: Vec<u64> = keys.zip(11..).map(|(_, number)| number).collect();
            if let Some((partition, at)) = kind.storage().address(&key) {
                assert_eq!(kind.key_of(partition, at), key, "{kind:?}");
            }
        }
    }
}
