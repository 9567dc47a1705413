//! What the README says of v2 is what the engine does: every row of its table is
//! what `upgrade` gives, and both requests of it are answered.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use rollbook::{Engine, Options, Request};
use rollbook_tests::sample::{PASSWORD, SampleSchool, USERNAME};
use std::collections::BTreeSet;

/// The endpoints of v1, by the end of their paths.
const ENDPOINTS: [&str; 10] = [
    "clients",
    "learnerabsentees",
    "learnerassessmentmarks",
    "learnerparentinfo",
    "learners",
    "learnersubjectmarks",
    "learnersubjects",
    "learnersubjectsperterm",
    "schooldebtors",
    "schools",
];

/// The requests of v1 and v2 in each row.
fn rows() -> Vec<(&'static str, &'static str)> {
    let readme = include_str!("../../README.md");
    let rows = readme
        .lines()
        .filter(|line| line.starts_with("| `/api/v1/"));
    rows.map(|row| {
        let mut quoted = row.split('`').skip(1).step_by(2);
        (quoted.next().unwrap(), quoted.next().unwrap())
    })
    .collect()
}

#[test]
fn every_row_of_the_migration_table_holds() {
    let school = SampleSchool {
        learners: 120,
        ..SampleSchool::default()
    };
    assert_eq!(school.school_id, 1000);
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(school.reader()).unwrap();
    let mut endpoints = BTreeSet::new();
    for (v1, v2) in rows() {
        let upgraded = engine.upgrade(v1).unwrap();
        assert_eq!(upgraded.target, v2);
        let school: Vec<_> = upgraded.headers().collect();
        let mut headers = vec![("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)];
        headers.extend(school.iter().map(|(name, value)| (*name, value.as_str())));
        for target in [v1, v2] {
            let answer = engine.request(&Request {
                target,
                headers: &headers,
                now: Some(1_796_083_200), // 2026-12-01T00:00:00Z
                ..Request::default()
            });
            println!("{target}: {} bytes", answer.body.len());
            assert_eq!(answer.status.code, 200, "{target}: {}", answer.text());
        }
        let path = v1.split('?').next().unwrap();
        endpoints.extend(
            ENDPOINTS
                .iter()
                .find(|name| path.split('/').any(|segment| segment == **name)),
        );
    }
    let all: BTreeSet<_> = ENDPOINTS.into_iter().collect();
    assert_eq!(endpoints, all);
}
