//! Makes the typed question about a resource from the parameters of a request.

use super::params::Params;
use super::values::{Values, reread};
use super::{Handed, Shape, Way};
use rollbook::{
    Absentees, AccountablePersons, AssessmentMarks, Clients, Discipline, FinanceLearners, Grades,
    LearnerStatus, LearnerSubjects, Learners, Lookup, LookupList, Parents, SchoolInfo, Schools,
    StaffMembers, SubjectMarks, SubjectsPerTerm, v1, v2,
};

/// A resource: its path in v1, its path in v2, and how it is asked.
pub(crate) struct Resource {
    pub(crate) v1: &'static str,
    pub(crate) v2: &'static str,
    /// Whether the path of v1 contains a school.
    pub(crate) of_school: bool,
    /// Whether the path of v2 may contain the id of one record.
    pub(crate) has_id: bool,
    /// The types of the records.
    pub(crate) values: Values,
    /// Asks the question, unless a parameter is malformed.
    pub(crate) ask: fn(&Asked<'_>, &Way<'_>) -> Option<Handed>,
}

pub(crate) const RESOURCES: [Resource; 19] = [
    Resource {
        v1: "adminplus/learners",
        v2: "adminplus/learners",
        of_school: true,
        has_id: true,
        values: Values::array::<v1::Learner, v2::Learner>(),
        ask: |asked, way| {
            Some(way.ask(&Learners {
                school: asked.school?,
                status: match asked.params.text("status") {
                    None | Some("current") => LearnerStatus::Current,
                    Some("left") => LearnerStatus::Left,
                    Some("waitlist") => LearnerStatus::Waitlist,
                    Some(_) => return None,
                },
                since: asked.params.parsed("since")?,
                until: asked.params.parsed("until")?,
                learner_id: asked.one("learner_id")?,
                grade_ids: &asked.params.grades()?,
                include_parents: asked.params.includes("include_parents"),
                name: asked.params.text("name"),
                family_code: asked.params.parsed("family_code")?,
            }))
        },
    },
    Resource {
        v1: "adminplus/learnerabsentees",
        v2: "adminplus/learnerabsentees",
        of_school: true,
        has_id: true,
        values: Values::array::<v1::Absentee, v2::Absentee>(),
        ask: |asked, way| {
            Some(way.ask(&match asked.id {
                Some(_) => Absentees {
                    school: asked.school?,
                    id: asked.id,
                    ..Absentees::default()
                },
                None => Absentees {
                    school: asked.school?,
                    id: None,
                    learner_id: asked.params.parsed("learner_id")?,
                    from_date: asked.params.parsed("from_date")?,
                    to_date: asked.params.parsed("to_date")?,
                },
            }))
        },
    },
    Resource {
        v1: "currplus/learnerassessmentmarks",
        v2: "currplus/learnerassessmentmarks",
        of_school: true,
        has_id: false,
        values: Values {
            v1: reread::<v1::AssessmentMarks>,
            ..Values::array::<v1::AssessmentMark, v2::AssessmentMark>()
        },
        ask: |asked, way| {
            Some(way.ask(&AssessmentMarks {
                school: asked.school?,
                learner_id: asked.params.parsed("learner_id")?,
                grade_id: asked.params.parsed("grade_id")?,
                subject_id: asked.params.parsed("subject_id")?,
                year: asked.params.parsed("year")?,
                term: asked.params.parsed("term")?,
                learning_outcome_id: asked.params.parsed("learning_outcome_id")?,
                assessment_id: asked.params.parsed("assessment_id")?,
                structure: asked.params.flag("structure")?,
            }))
        },
    },
    Resource {
        v1: "currplus/learnersubjects",
        v2: "currplus/learnersubjects",
        of_school: true,
        has_id: false,
        values: Values::array::<v1::LearnerSubject, v2::LearnerSubject>(),
        ask: |asked, way| {
            Some(way.ask(&LearnerSubjects {
                school: asked.school?,
                learner_id: asked.params.parsed("learner_id")?,
            }))
        },
    },
    Resource {
        v1: "currplus/learnersubjectsperterm",
        v2: "currplus/learnersubjectsperterm",
        of_school: true,
        has_id: false,
        values: Values::array::<v1::SubjectPerTerm, v2::SubjectPerTerm>(),
        ask: |asked, way| {
            Some(way.ask(&SubjectsPerTerm {
                school: asked.school?,
                learner_id: asked.params.parsed("learner_id")??,
            }))
        },
    },
    Resource {
        v1: "currplus/learnersubjectmarks",
        v2: "currplus/learnersubjectmarks",
        of_school: true,
        has_id: false,
        values: Values::array::<v1::SubjectMarks, v2::SubjectMarks>(),
        ask: |asked, way| {
            Some(way.ask(&SubjectMarks {
                school: asked.school?,
                learner_id: asked.params.parsed("learner_id")??,
            }))
        },
    },
    Resource {
        v1: "finplus/debtmanagement/schools",
        v2: "finplus/debtmanagement/schools",
        of_school: false,
        has_id: true,
        values: Values::array::<v1::School, v2::School>(),
        ask: |asked, way| {
            Some(way.ask(&Schools {
                username: asked.username,
                school: asked.id.or(asked.school),
            }))
        },
    },
    Resource {
        v1: "settings/clients",
        v2: "settings/clientintegrations",
        of_school: false,
        has_id: false,
        values: Values::array::<v1::Client, v2::ClientIntegration>(),
        ask: |asked, way| {
            Some(way.ask(&match way.shape {
                // v1 has no such parameters.
                Shape::All => Clients {
                    username: asked.username,
                    school: asked.school,
                    api_type_id: None,
                },
                _ => Clients {
                    username: asked.username,
                    school: asked.params.parsed("school_id")?,
                    api_type_id: asked.params.parsed("api_type_id")?,
                },
            }))
        },
    },
    Resource {
        v1: "finplus/debtmanagement/learnerparentinfo",
        v2: "finplus/debtmanagement/learners",
        of_school: true,
        has_id: true,
        values: Values::array::<v1::FinanceLearner, v2::FinanceLearner>(),
        ask: |asked, way| {
            Some(way.ask(&FinanceLearners {
                school: asked.school?,
                learner_id: asked.one("learner_id")?,
                debtor_code: asked.params.text("debtor_code"),
                accountable_person_id: asked.params.parsed("accountable_person_id")?,
                parent_id: asked.params.parsed("parent_id")?,
                all_accounts: asked.params.flag("all_accounts")?,
                include_parents: asked.params.includes("include_parents"),
                include_accountable_person: asked.params.includes("include_accountable_person"),
            }))
        },
    },
    Resource {
        v1: "finplus/debtmanagement/schooldebtors",
        v2: "finplus/debtmanagement/accountablepersons",
        of_school: true,
        has_id: true,
        values: Values::array::<v1::AccountablePerson, v2::AccountablePerson>(),
        ask: |asked, way| {
            Some(way.ask(&AccountablePersons {
                school: asked.school?,
                debtor_code: asked.params.text("debtor_code"),
                accountable_person_id: asked.one("accountable_person_id")?,
                all_accounts: asked.params.flag("all_accounts")?,
                include_learners: asked.params.includes("include_learners"),
            }))
        },
    },
    Resource {
        v1: "adminplus/parents",
        v2: "adminplus/parents",
        of_school: true,
        has_id: true,
        values: Values::array::<v1::Parent, v2::Parent>(),
        ask: |asked, way| {
            Some(way.ask(&Parents {
                school: asked.school?,
                parent_id: asked.one("parent_id")?,
            }))
        },
    },
    Resource {
        v1: "adminplus/staffmembers",
        v2: "adminplus/staffmembers",
        of_school: true,
        has_id: true,
        values: Values::array::<v1::StaffMember, v2::StaffMember>(),
        ask: |asked, way| {
            Some(way.ask(&StaffMembers {
                school: asked.school?,
                staff_member_id: asked.one("staff_member_id")?,
            }))
        },
    },
    Resource {
        v1: "adminplus/lookup/grade",
        v2: "adminplus/lookup/grade",
        of_school: true,
        has_id: true,
        values: Values::array::<v1::LookupEntry, v2::LookupEntry>(),
        ask: |asked, way| {
            Some(way.ask(&Grades {
                school: asked.school?,
                grade_id: asked.one("grade_id")?,
            }))
        },
    },
    Resource {
        v1: "adminplus/learnerdiscipline",
        v2: "adminplus/learnerdiscipline",
        of_school: true,
        has_id: true,
        values: Values::array::<v1::Discipline, v2::Discipline>(),
        ask: |asked, way| {
            Some(way.ask(&match asked.id {
                Some(_) => Discipline {
                    school: asked.school?,
                    id: asked.id,
                    ..Discipline::default()
                },
                None => Discipline {
                    school: asked.school?,
                    id: None,
                    learner_id: asked.params.parsed("learner_id")?,
                    from_date: asked.params.parsed("from_date")?,
                    to_date: asked.params.parsed("to_date")?,
                },
            }))
        },
    },
    Resource {
        v1: "adminplus/school",
        v2: "adminplus/school",
        of_school: true,
        has_id: false,
        values: Values {
            v1: reread::<v1::SchoolInfo>,
            page: reread::<v2::SchoolInfo>,
            one: reread::<v2::SchoolInfo>,
        },
        ask: |asked, way| {
            // The school is one object in v2 too.
            let way = match way.shape {
                Shape::All => way,
                _ => &Way {
                    shape: Shape::One,
                    ..*way
                },
            };
            Some(way.ask(&SchoolInfo {
                school: asked.school?,
            }))
        },
    },
    Resource {
        v1: "adminplus/lookup/ethnicgroup",
        v2: "adminplus/lookup/ethnicgroup",
        of_school: false,
        has_id: true,
        values: Values::array::<v1::LookupEntry, v2::LookupEntry>(),
        ask: |asked, way| Some(way.ask(&lookup(LookupList::EthnicGroup, asked))),
    },
    Resource {
        v1: "adminplus/lookup/maritalstatus",
        v2: "adminplus/lookup/maritalstatus",
        of_school: false,
        has_id: true,
        values: Values::array::<v1::LookupEntry, v2::LookupEntry>(),
        ask: |asked, way| Some(way.ask(&lookup(LookupList::MaritalStatus, asked))),
    },
    Resource {
        v1: "adminplus/lookup/gender",
        v2: "adminplus/lookup/gender",
        of_school: false,
        has_id: true,
        values: Values::array::<v1::LookupEntry, v2::LookupEntry>(),
        ask: |asked, way| Some(way.ask(&lookup(LookupList::Gender, asked))),
    },
    Resource {
        v1: "adminplus/lookup/language",
        v2: "adminplus/lookup/language",
        of_school: false,
        has_id: true,
        values: Values::array::<v1::LookupEntry, v2::LookupEntry>(),
        ask: |asked, way| Some(way.ask(&lookup(LookupList::Language, asked))),
    },
];

fn lookup(list: LookupList, asked: &Asked<'_>) -> Lookup {
    // In v1, the id is at the place of the school in other paths.
    let id = asked.id.or(asked.school);
    Lookup { list, id }
}

/// The content of a request other than the resource.
pub(crate) struct Asked<'a> {
    pub(crate) username: &'a str,
    pub(crate) school: Option<u64>,
    /// The id of one record in the path.
    pub(crate) id: Option<u64>,
    pub(crate) params: &'a Params<'a>,
}

impl Asked<'_> {
    /// Returns the id of one record, from the path or from the parameter, or `None` if the two
    /// differ.
    #[expect(clippy::option_option, reason = "absent, or of no use")]
    fn one(&self, name: &str) -> Option<Option<u64>> {
        let given = self.params.parsed(name)?;
        let differ = self.id.is_some() && given.is_some() && given != self.id;
        (!differ).then(|| self.id.or(given))
    }
}
