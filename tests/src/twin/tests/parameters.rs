//! Faults of parameters and of their combinations.

use super::{bad, error, get, twin};

const GRADES: &str = "grade_id must be an unsigned integer or a comma-separated list of them";

/// 4.1: queries and what they are refused with.
const LEARNERS: [(&str, &str); 18] = [
    (
        "status=Left&since=x",
        "status must be current, left or waitlist",
    ),
    ("status=left+", "status must be current, left or waitlist"),
    (
        "learner_id=x&until=2026-2-01&since=2026-13-01",
        "since must be a date (YYYY-MM-DD)",
    ),
    (
        "learner_id=x&until=2026-2-01",
        "until must be a date (YYYY-MM-DD)",
    ),
    (
        "learner_id=-1&grade_id=x",
        "learner_id must be an unsigned integer",
    ),
    (
        "learner_id=18446744073709551616",
        "learner_id must be an unsigned integer",
    ),
    ("grade_id=8,,9&family_code=x", GRADES),
    ("grade_id=8,", GRADES),
    ("grade_id=+", GRADES),
    ("grade_id=8;9", GRADES),
    ("grade_id=%2B8", GRADES),
    ("grade_id=8,%099", GRADES),
    ("family_code=4O", "family_code must be an unsigned integer"),
    (
        "status=left&since=2026-05-15",
        "since must not be later than until",
    ),
    (
        "status=left&since=2026-05-15&until=2025-01-01",
        "since must not be later than until",
    ),
    (
        "status=left&since=2025-05-13",
        "since to until must not exceed 1 year",
    ),
    (
        "status=left&since=2024-02-29&until=2025-03-01",
        "since to until must not exceed 1 year",
    ),
    (
        "status=left&since=2026-05-15&family_code=x",
        "family_code must be an unsigned integer",
    ),
];

/// 4.9
const ABSENTEES: [(&str, &str); 7] = [
    (
        "from_date=x&learner_id=1.0",
        "learner_id must be an unsigned integer",
    ),
    (
        "to_date=x&from_date=2026-04-31",
        "from_date must be a date (YYYY-MM-DD)",
    ),
    ("to_date=20260501", "to_date must be a date (YYYY-MM-DD)"),
    (
        "from_date=2026-05-15",
        "to_date must not be before from_date",
    ),
    (
        "from_date=2026-05-15&to_date=2026-05-14",
        "to_date must not be before from_date",
    ),
    (
        "from_date=2026-04-12",
        "from_date to to_date must not exceed 31 days",
    ),
    (
        "from_date=2026-01-01&to_date=2026-02-02",
        "from_date to to_date must not exceed 31 days",
    ),
];

/// 4.2
const MARKS: [(&str, &str); 12] = [
    (
        "learner_id=x&grade_id=x",
        "learner_id must be an unsigned integer",
    ),
    (
        "grade_id=9,10&subject_id=x",
        "grade_id must be an unsigned integer",
    ),
    (
        "subject_id=x&year=x",
        "subject_id must be an unsigned integer",
    ),
    ("year=x&term=x", "year must be an unsigned integer"),
    (
        "term=x&learning_outcome_id=x",
        "term must be an unsigned integer",
    ),
    (
        "learning_outcome_id=x&assessment_id=x",
        "learning_outcome_id must be an unsigned integer",
    ),
    (
        "assessment_id=x&structure=x",
        "assessment_id must be an unsigned integer",
    ),
    ("structure=yes", "structure must be 1, true, 0 or false"),
    (
        "structure=01&learner_id=1",
        "structure must be 1, true, 0 or false",
    ),
    ("structure=TRUE", "Please provide a learner_id or grade_id"),
    (
        "learner_id=&grade_id=",
        "Please provide a learner_id or grade_id",
    ),
    ("", "Please provide a learner_id or grade_id"),
];

/// 4.3 and 4.4
const ONE_LEARNER: [(&str, &str); 5] = [
    ("", "Please provide a learner_id"),
    ("learner_id=1&learner_id=", "Please provide a learner_id"),
    ("Learner_id=1", "Please provide a learner_id"),
    (
        "learner_id=1&learner_id=x",
        "learner_id must be an unsigned integer",
    ),
    ("learner_id=+1", "learner_id must be an unsigned integer"),
];

#[test]
fn every_parameter_has_its_text() {
    let twin = twin("");
    let any_learner = [("learner_id=1,2", "learner_id must be an unsigned integer")];
    let endpoints: [(&str, &[(&str, &str)]); 6] = [
        ("adminplus/learners", &LEARNERS),
        ("adminplus/learnerabsentees", &ABSENTEES),
        ("currplus/learnerassessmentmarks", &MARKS),
        ("currplus/learnersubjectsperterm", &ONE_LEARNER),
        ("currplus/learnersubjectmarks", &ONE_LEARNER),
        ("currplus/learnersubjects", &any_learner),
    ];
    for (path, cases) in endpoints {
        for (query, description) in cases {
            assert_eq!(
                get(&twin, &format!("/{path}/1000?{query}")),
                bad(description),
                "{path}?{query}"
            );
        }
    }
}

#[test]
fn what_is_right_finds_nothing_in_an_empty_school() {
    let twin = twin("");
    for (target, description) in [
        (
            "/adminplus/learners/1000?status=left&since=2025-05-14&x=y&Status=9",
            "No learner records found",
        ),
        (
            "/adminplus/learners/1000?status=left&since=2024-02-29&until=2025-02-28",
            "No learner records found",
        ),
        (
            "/adminplus/learners/1000?since=2026-05-15&until=2000-01-01",
            "No learner records found",
        ),
        (
            "/adminplus/learners/1000?status=left&since=0001-01-01&until=0001-01-01",
            "No learner records found",
        ),
        (
            "/adminplus/learnerabsentees/1000?from_date=2026-04-13",
            "No learner absentee records found",
        ),
        (
            "/adminplus/learnerabsentees/1000?from_date=9999-12-31&to_date=9999-12-31",
            "No learner absentee records found",
        ),
        (
            "/currplus/learnerassessmentmarks/1000?grade_id=9",
            "No subject mark records found",
        ),
        (
            "/currplus/learnerassessmentmarks/1000?learner_id=x&learner_id=1&structure=fAlSe",
            "No subject mark records found",
        ),
        (
            "/currplus/learnersubjectsperterm/1000/?learner%5Fid=%31",
            "No learner subject records found",
        ),
        (
            "/currplus/learnersubjectmarks/1000?learner_id=0",
            "No subject mark records found",
        ),
        (
            "/currplus/learnersubjects/1000?learner_id=x&learner_id=",
            "No learner subject records found",
        ),
    ] {
        assert_eq!(
            get(&twin, target),
            error(404, "Not found", description),
            "{target}"
        );
    }
}
