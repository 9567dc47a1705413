//! Each reference of a record leads to an existing record.

use super::{of_kind, records, school};
use rollbook_tests::sample::SampleSchool;
use std::collections::BTreeSet;

/// A kind of record, the kind that it refers to, the fields with the reference, and the fields of
/// the key there. The id of the school is omitted from both.
const REFERENCES: [(&str, &str, &str, &str); 21] = [
    ("client_integration", "integrator", "username", "username"),
    (
        "client_integration",
        "api_type",
        "api_type_id",
        "api_type_id",
    ),
    ("term", "year", "year", "year"),
    ("learner", "grade", "grade_id", "grade_id"),
    ("learner", "parent", "parent1_id", "id"),
    ("learner", "parent", "parent2_id", "id"),
    (
        "learner",
        "accountable_person",
        "accountable_person_id",
        "accountable_person_id",
    ),
    ("learner_subject", "learner", "learner_id", "id"),
    ("learner_subject", "subject", "subject_id", "subject_id"),
    ("learner_subject", "grade", "grade_id", "grade_id"),
    ("learner_subject", "year", "year", "year"),
    ("learning_program", "term", "year term", "year term"),
    ("assessment", "term", "year term", "year term"),
    ("assessment", "grade", "grade_id", "grade_id"),
    ("assessment", "subject", "subject_id", "subject_id"),
    (
        "assessment",
        "learning_outcome",
        "learning_outcome_id",
        "learning_outcome_id",
    ),
    ("mark", "assessment", "assessment_id", "assessment_id"),
    ("absentee", "learner", "learner_id", "id"),
    ("discipline", "learner", "learner_id", "id"),
    ("discipline", "staff_member", "staff_member_id", "id"),
    ("learner", "staff_member", "register_class_teacher_id", "id"),
];

#[test]
fn references_lead_to_records() {
    for school_id in [1000, 1001] {
        let records = records(&SampleSchool {
            school_id,
            years: 2,
            ..school(24)
        });
        for (from, to, reference, key) in REFERENCES {
            let texts = |kind, fields: &str| -> BTreeSet<Vec<String>> {
                let texts = |record: &super::Record| {
                    fields.split(' ').map(|field| record.text(field)).collect()
                };
                of_kind(&records, kind).map(texts).collect()
            };
            let known = texts(to, key);
            let mut referred = texts(from, reference);
            referred.remove(&vec![String::new()]);
            assert!(!referred.is_empty(), "{from} {reference}");
            assert!(referred.is_subset(&known), "{from} {reference}");
        }
    }
}
