//! Tests which changes affect which questions.

use super::{absences, evening, grades};
use crate::engine::observe::{LiveQuery, Observable};
use crate::query::LearnerStatus;
use crate::query::endpoints::{
    Absentees, AccountablePersons, AssessmentMarks, Clients, Discipline, FinanceLearners,
    LearnerSubjects, Learners, Lookup, LookupList, Parents, SchoolInfo, Schools, StaffMembers,
    SubjectMarks, SubjectsPerTerm,
};
use crate::{Date, Engine, Result};

type Question = Box<dyn Fn(&Engine) -> LiveQuery>;

fn boxed(question: impl Observable + Clone) -> Question {
    Box::new(move |engine| engine.observe(question.clone()))
}

/// One change for each kind of record.
const CHANGES: [(&str, &str); 23] = [
    (
        "school",
        r#""school_id":1,"current_year":2026,"school_name":"Other""#,
    ),
    ("api_type", r#""api_type_id":8,"family":"finance""#),
    ("integrator", r#""username":"demo","password":"other""#),
    (
        "client_integration",
        r#""username":"demo","school_id":1,"api_type_id":8,"state":0"#,
    ),
    ("year", r#""school_id":1,"year":2026,"year_name":"Other""#),
    ("term", r#""school_id":1,"year":2026,"term":1,"term_id":99"#),
    ("grade", r#""school_id":1,"grade_id":9,"grade":"8""#),
    ("parent", r#""school_id":1,"id":40,"first_name":"Other""#),
    (
        "learner",
        r#""school_id":1,"id":7,"first_name":"Other","grade_id":9,"parent1_id":"40""#,
    ),
    (
        "subject",
        r#""school_id":1,"subject_id":101,"subject_name":"Other""#,
    ),
    (
        "learner_subject",
        r#""school_id":1,"learner_id":7,"year":2026,"subject_id":102,"grade_id":9,"terms":[{"term":1,"mark":51}]"#,
    ),
    (
        "learning_outcome",
        r#""school_id":1,"learning_outcome_id":31,"learning_outcome_name":"Other""#,
    ),
    (
        "learning_program",
        r#""school_id":1,"grade_id":9,"year":2026,"term":1,"subject_id":101,"released":0"#,
    ),
    (
        "assessment",
        r#""school_id":1,"assessment_id":501,"grade_id":9,"year":2026,"term":1,"subject_id":101,"learning_outcome_id":31,"assessment_date":"2026-02-11","weight":1"#,
    ),
    (
        "mark",
        r#""school_id":1,"assessment_id":501,"learner_id":7,"mark":6"#,
    ),
    (
        "absentee",
        r#""school_id":1,"id":5,"learner_id":8,"absent_date":"2026-04-14""#,
    ),
    (
        "discipline",
        r#""school_id":1,"id":5,"learner_id":7,"discipline_date":"2026-05-04""#,
    ),
    (
        "accountable_person",
        r#""school_id":1,"accountable_person_id":40"#,
    ),
    ("staff_member", r#""school_id":1,"id":13"#),
    ("ethnic_group", r#""id":1,"name":"Other""#),
    ("marital_status", r#""id":1,"name":"Other""#),
    ("gender", r#""id":1,"name":"Other""#),
    ("language", r#""id":1,"name":"Other""#),
];

/// Questions, and the kinds of records on which their answers depend.
type Table = Vec<(Question, &'static str)>;

/// The school of the questions.
const SCHOOL: u64 = 1;
const NEVER: Option<Date> = Some(Date::MIN);

fn of_administration() -> Table {
    let school = SCHOOL;
    let learners = Learners {
        school,
        ..Learners::default()
    };
    let left = Learners {
        status: LearnerStatus::Left,
        ..learners
    };
    let parents = Learners {
        include_parents: true,
        ..learners
    };
    let discipline = Discipline {
        school,
        ..Discipline::default()
    };
    let staff = StaffMembers {
        school,
        staff_member_id: None,
    };
    let list = |list| boxed(Lookup { list, id: None });
    vec![
        (boxed(learners), "learner"),
        (boxed(parents), "learner parent"),
        (boxed(left), "learner school"),
        (
            boxed(Learners {
                until: NEVER,
                ..left
            }),
            "learner",
        ),
        (boxed(absences()), "absentee school"),
        (
            boxed(Absentees {
                to_date: NEVER,
                ..absences()
            }),
            "absentee",
        ),
        (
            boxed(Absentees {
                id: Some(5),
                ..absences()
            }),
            "absentee",
        ),
        (boxed(discipline), "discipline school"),
        (
            boxed(Parents {
                school,
                parent_id: None,
            }),
            "learner parent",
        ),
        (
            boxed(Parents {
                school,
                parent_id: Some(40),
            }),
            "parent",
        ),
        (boxed(staff), "staff_member"),
        (boxed(SchoolInfo { school }), "school"),
        (boxed(grades(1)), "grade"),
        (list(LookupList::EthnicGroup), "ethnic_group"),
        (list(LookupList::MaritalStatus), "marital_status"),
        (list(LookupList::Gender), "gender"),
        (list(LookupList::Language), "language"),
        // Records of another school do not affect a question.
        (boxed(grades(2)), ""),
        (
            boxed(Learners {
                school: 2,
                ..parents
            }),
            "",
        ),
        (boxed(SchoolInfo { school: 2 }), ""),
    ]
}

fn of_marks() -> Table {
    let school = SCHOOL;
    let marks = AssessmentMarks {
        school,
        grade_id: Some(9),
        ..AssessmentMarks::default()
    };
    let structure = AssessmentMarks {
        structure: true,
        year: Some(2026),
        ..marks
    };
    vec![
        (
            boxed(marks),
            "school year term grade subject learning_outcome learning_program assessment mark learner_subject",
        ),
        (
            boxed(structure),
            "year grade subject learning_outcome assessment mark learner_subject",
        ),
        (
            boxed(SubjectsPerTerm {
                school,
                learner_id: 7,
            }),
            "school term grade subject learner_subject",
        ),
        (
            boxed(SubjectMarks {
                school,
                learner_id: 7,
            }),
            "school grade subject learner_subject",
        ),
        (
            boxed(LearnerSubjects {
                school,
                learner_id: None,
            }),
            "school learner subject learner_subject",
        ),
    ]
}

fn of_finance_and_settings() -> Table {
    let school = SCHOOL;
    let learners = FinanceLearners {
        school,
        ..FinanceLearners::default()
    };
    let with_parents = FinanceLearners {
        include_parents: true,
        ..learners
    };
    let with_person = FinanceLearners {
        include_accountable_person: true,
        ..learners
    };
    let persons = AccountablePersons {
        school,
        ..AccountablePersons::default()
    };
    let all = AccountablePersons {
        all_accounts: true,
        ..persons
    };
    let all_with_learners = AccountablePersons {
        include_learners: true,
        ..all
    };
    let clients = Clients {
        username: "demo",
        ..Clients::default()
    };
    let schools = Schools {
        username: "demo",
        school: None,
    };
    vec![
        (boxed(learners), "learner"),
        (boxed(with_parents), "learner parent"),
        (boxed(with_person), "learner accountable_person"),
        (boxed(persons), "learner accountable_person"),
        (boxed(all), "accountable_person"),
        (boxed(all_with_learners), "learner accountable_person"),
        (boxed(schools), "school client_integration"),
        (boxed(clients), "school client_integration api_type"),
    ]
}

/// For example, a change of a mark does not wake an observer of grades.
#[test]
fn a_change_affects_the_questions_that_depend_on_its_kind() -> Result<()> {
    let all = || {
        [of_administration(), of_marks(), of_finance_and_settings()]
            .into_iter()
            .flatten()
    };
    for (kind, fields) in CHANGES {
        let (engine, _) = evening()?;
        let mut observed = Vec::new();
        for (question, kinds) in all() {
            let mut live_query = question(&engine);
            assert!(live_query.poll().is_some());
            observed.push((live_query, kinds));
        }
        let line = format!(r#"{{"type":"{kind}",{fields}}}"#);
        let total = engine.apply(line.as_bytes())?.total();
        assert_eq!(total.added + total.changed, 1, "{kind}");
        for (position, (live_query, kinds)) in observed.into_iter().enumerate() {
            let is_affected = kinds.split(' ').any(|other| other == kind);
            let has_changed = live_query.watch.take_changed();
            assert_eq!(has_changed, is_affected, "{kind}, question {position}");
        }
    }
    Ok(())
}
