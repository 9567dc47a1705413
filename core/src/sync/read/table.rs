//! Which members the objects of each answer have, and what each tells. A member that
//! stands in no table is unknown: it is named and passed over, whatever its name.

use crate::record::field::position;
use crate::record::{Kind, absentee, accountable_person, discipline, grade, learner, lookup};
use crate::record::{parent, school, staff_member};

/// The objects of an answer that are records of a kind.
pub(super) struct Table {
    pub(super) kind: Kind,
    /// Fields whose members have their names, by their positions, in the usual order.
    pub(super) own: &'static [usize],
    /// All other members.
    pub(super) others: &'static [(&'static str, To)],
    /// A member without which an object is none of these.
    pub(super) needed: Option<usize>,
}

/// Where a member goes whose name is not that of a field.
#[derive(Clone, Copy)]
pub(super) enum To {
    /// To the field at this position.
    Field(usize),
    /// It repeats the school that was asked about.
    School,
    /// It holds records of this make, in an array,
    Records(&'static Table),
    /// or alone.
    Record(&'static Table),
}

impl Table {
    const fn new(kind: Kind, own: &'static [usize]) -> Table {
        Table {
            kind,
            own,
            others: &[],
            needed: None,
        }
    }

    const fn needing(self, field: usize) -> Table {
        Table {
            needed: Some(field),
            ..self
        }
    }

    const fn with(self, others: &'static [(&'static str, To)]) -> Table {
        Table { others, ..self }
    }
}

/// So many positions from this one on.
const fn from<const N: usize>(first: usize) -> [usize; N] {
    let mut positions = [first; N];
    let (mut rest, mut at): (&mut [usize], usize) = (&mut positions, first);
    while let [position, others @ ..] = rest {
        *position = at;
        at += 1;
        rest = others;
    }
    positions
}

/// Get Schools (4.6): all that is answered of a school.
pub(super) static SCHOOL: Table = Table::new(
    Kind::School,
    const { &from::<24>(position(school::FIELDS, "school_name")) },
)
.with(&[("school_id", To::School)])
.needing(school::NAME);

pub(super) static INFO: Table = Table::new(Kind::School, &school::INFO)
    .with(&[("tuition_languages", To::Field(school::TUITION_LANGUAGES))])
    .needing(school::NAME);

/// The lookup of grades, which has their long names.
pub(super) static GRADE: Table = Table::new(Kind::Grade, &[]).with(&[
    ("id", To::Field(position(grade::FIELDS, "grade_id"))),
    ("name", To::Field(grade::NAME)),
]);

pub(super) fn of_lookup(kind: Kind) -> &'static Table {
    const fn table(kind: Kind) -> Table {
        Table::new(kind, const { &from::<2>(position(lookup::FIELDS, "id")) })
    }
    static ETHNIC_GROUP: Table = table(Kind::EthnicGroup);
    static MARITAL_STATUS: Table = table(Kind::MaritalStatus);
    static GENDER: Table = table(Kind::Gender);
    static LANGUAGE: Table = table(Kind::Language);
    match kind {
        Kind::EthnicGroup => &ETHNIC_GROUP,
        Kind::MaritalStatus => &MARITAL_STATUS,
        Kind::Gender => &GENDER,
        _ => &LANGUAGE,
    }
}

pub(super) static PARENT: Table = Table::new(
    Kind::Parent,
    const { &from::<25>(position(parent::FIELDS, "id")) },
);

/// A learner (2.1), with its parents or without.
pub(super) static LEARNER: Table = Table::new(
    Kind::Learner,
    const { &from::<29>(position(learner::FIELDS, "id")) },
)
.with(&[("parents", To::Records(&PARENT))]);

/// A learner's account, with all that may be included.
pub(super) static ACCOUNT: Table = Table::new(
    Kind::Learner,
    const {
        &[
            position(learner::FIELDS, "first_name"),
            position(learner::FIELDS, "last_name"),
            position(learner::FIELDS, "gender"),
            position(learner::FIELDS, "grade"),
            position(learner::FIELDS, "debtor_code"),
            position(learner::FIELDS, "parent1_id"),
            position(learner::FIELDS, "parent2_id"),
            position(learner::FIELDS, "accountable_person_id"),
        ]
    },
)
.with(&[
    ("learner_id", To::Field(position(learner::FIELDS, "id"))),
    ("parents", To::Records(&PARENT)),
    ("accountable_person", To::Record(&ACCOUNTABLE_PERSON)),
]);

pub(super) static ACCOUNTABLE_PERSON: Table = Table::new(
    Kind::AccountablePerson,
    const {
        &from::<19>(position(
            accountable_person::FIELDS,
            "accountable_person_id",
        ))
    },
);

pub(super) static ABSENTEE: Table = Table::new(
    Kind::Absentee,
    const { &from::<4>(position(absentee::FIELDS, "id")) },
);

pub(super) static DISCIPLINE: Table = Table::new(
    Kind::Discipline,
    const { &from::<8>(position(discipline::FIELDS, "id")) },
);

pub(super) static STAFF_MEMBER: Table = Table::new(
    Kind::StaffMember,
    const { &from::<23>(position(staff_member::FIELDS, "id")) },
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::field::Role;

    /// What is answered of a record is what its table has: a field that comes to a kind
    /// must come to its table, and no fact may be read from a member of its name.
    #[test]
    fn tables_have_all_that_is_answered_and_no_fact() {
        for table in [
            &SCHOOL,
            &PARENT,
            &LEARNER,
            &ACCOUNTABLE_PERSON,
            &ABSENTEE,
            &DISCIPLINE,
            &STAFF_MEMBER,
            of_lookup(Kind::Gender),
        ] {
            let fields = table.kind.fields().iter().enumerate();
            let answered = fields.filter(|(_, field)| field.is_answered());
            let answered: Vec<usize> = answered.map(|(index, _)| index).collect();
            let first = usize::from(table.kind == Kind::School);
            assert_eq!(Some(table.own), answered.get(first..), "{:?}", table.kind);
        }
        for table in [&ACCOUNT, &GRADE, &INFO] {
            let count = table.own.len() + table.others.len();
            assert!(count <= 64, "a bit each");
        }
        let facts = LEARNER
            .own
            .iter()
            .filter_map(|index| learner::FIELDS.get(*index));
        assert!(facts.clone().all(|field| field.role != Role::Fact));
    }
}
