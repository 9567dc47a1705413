//! The members of the objects in each answer, and the field that each member contains. A member
//! that is in no table is unknown: it is skipped, and its name is recorded.

use crate::record::Kind;
use crate::record::field::{position, positions_from};
use crate::record::kinds::{
    absentee, accountable_person, discipline, grade, learner, lookup, parent, school, staff_member,
};

/// The members of objects that are records of a kind.
pub(crate) struct MemberTable {
    pub(crate) kind: Kind,
    /// The positions of the fields whose members have the same names, in the usual order.
    pub(crate) own: &'static [usize],
    /// All other members.
    pub(crate) others: &'static [(&'static str, To)],
    /// The position of a field without which an object is invalid.
    pub(crate) needed: Option<usize>,
}

/// The target of a member whose name is not that of a field.
#[derive(Clone, Copy)]
pub(crate) enum To {
    /// The member contains the field at this position.
    Field(usize),
    /// The member repeats the id of the requested school.
    School,
    /// The member contains an array of records of this table.
    Records(&'static MemberTable),
}

impl MemberTable {
    const fn new(kind: Kind, own: &'static [usize]) -> MemberTable {
        MemberTable {
            kind,
            own,
            others: &[],
            needed: None,
        }
    }

    const fn needing(self, field: usize) -> MemberTable {
        MemberTable {
            needed: Some(field),
            ..self
        }
    }

    const fn with(self, others: &'static [(&'static str, To)]) -> MemberTable {
        MemberTable { others, ..self }
    }
}

/// Get Schools (4.6), which contains all answered fields of a school.
pub(crate) static SCHOOL: MemberTable = MemberTable::new(
    Kind::School,
    const { &positions_from::<24>(position(school::FIELDS, "school_name")) },
)
.with(&[("school_id", To::School)])
.needing(school::NAME);

pub(crate) static INFO: MemberTable = MemberTable::new(Kind::School, &school::INFO)
    .with(&[("tuition_languages", To::Field(school::TUITION_LANGUAGES))])
    .needing(school::NAME);

/// The list of grades, which contains their long names.
pub(crate) static GRADE: MemberTable = MemberTable::new(Kind::Grade, &[]).with(&[
    ("id", To::Field(position(grade::FIELDS, "grade_id"))),
    ("name", To::Field(grade::NAME)),
]);

/// A list that is the same for all schools.
const fn lookup(kind: Kind) -> MemberTable {
    MemberTable::new(
        kind,
        const { &positions_from::<2>(position(lookup::FIELDS, "id")) },
    )
}
pub(crate) static ETHNIC_GROUP: MemberTable = lookup(Kind::EthnicGroup);
pub(crate) static MARITAL_STATUS: MemberTable = lookup(Kind::MaritalStatus);
pub(crate) static GENDER: MemberTable = lookup(Kind::Gender);
pub(crate) static LANGUAGE: MemberTable = lookup(Kind::Language);

pub(crate) static PARENT: MemberTable = MemberTable::new(
    Kind::Parent,
    const { &positions_from::<25>(position(parent::FIELDS, "id")) },
);

/// A learner (2.1), with or without its parents.
pub(crate) static LEARNER: MemberTable = MemberTable::new(
    Kind::Learner,
    const { &positions_from::<29>(position(learner::FIELDS, "id")) },
)
.with(&[("parents", To::Records(&PARENT))]);

/// The account of a learner, with or without the learner's parents.
pub(crate) static ACCOUNT: MemberTable = MemberTable::new(
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
]);

pub(crate) static ACCOUNTABLE_PERSON: MemberTable = MemberTable::new(
    Kind::AccountablePerson,
    const {
        &positions_from::<19>(position(
            accountable_person::FIELDS,
            "accountable_person_id",
        ))
    },
);

pub(crate) static ABSENTEE: MemberTable = MemberTable::new(
    Kind::Absentee,
    const { &positions_from::<4>(position(absentee::FIELDS, "id")) },
);

pub(crate) static DISCIPLINE: MemberTable = MemberTable::new(
    Kind::Discipline,
    const { &positions_from::<8>(position(discipline::FIELDS, "id")) },
);

pub(crate) static STAFF_MEMBER: MemberTable = MemberTable::new(
    Kind::StaffMember,
    const { &positions_from::<23>(position(staff_member::FIELDS, "id")) },
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::field::Role;

    /// Each table contains exactly the answered fields of its kind, so a new field must be added to
    /// its table too. No residual field is read from a member of the same name.
    #[test]
    fn tables_contain_exactly_the_answered_fields() {
        for table in [
            &SCHOOL,
            &PARENT,
            &LEARNER,
            &ACCOUNTABLE_PERSON,
            &ABSENTEE,
            &DISCIPLINE,
            &STAFF_MEMBER,
            &GENDER,
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
        let residual_fields = LEARNER
            .own
            .iter()
            .filter_map(|index| learner::FIELDS.get(*index));
        assert!(
            residual_fields
                .clone()
                .all(|field| field.role != Role::Residual)
        );
    }
}
