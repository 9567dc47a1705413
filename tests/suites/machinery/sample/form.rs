//! The bytes of a sample school: they are reproducible, and a valid dataset.

use super::{bytes, loaded, school};
use rollbook_tests::sample::{SampleSchool, federation};
use std::io::Read as _;

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn the_same_seed_gives_the_same_bytes_for_ever() {
    let bytes = bytes(&school(50));
    assert_eq!(bytes.len(), 2_489_785);
    assert_eq!(format!("{:016x}", fnv(&bytes)), "eaa762ad32c208c0");
}

#[test]
fn another_seed_gives_another_school() {
    let other = SampleSchool {
        seed: 2,
        ..school(50)
    };
    assert_ne!(bytes(&school(50)), bytes(&other));
}

#[test]
fn lines_and_reader_agree() {
    let school = SampleSchool {
        edge_values: true,
        ..school(13)
    };
    let lines: String = school.lines().map(|line| line + "\n").collect();
    assert_eq!(lines.as_bytes(), bytes(&school));
    let by_byte: Result<Vec<u8>, _> = school.reader().bytes().collect();
    assert_eq!(lines.as_bytes(), by_byte.unwrap());
}

#[test]
fn every_school_is_a_dataset() {
    for (school_id, learners, years) in [(1000, 12, 2), (1001, 12, 3), (7, 1, 1), (8, 0, 1)] {
        let school = SampleSchool {
            school_id,
            years,
            ..school(learners)
        };
        let (_, kinds) = loaded(&bytes(&school));
        assert!(kinds == 23 || learners < 12, "{kinds} kinds of record");
    }
    let example = include_bytes!("../../../../core/examples/sample-school.ndjson");
    assert_eq!(loaded(example).1, 23);
}

#[test]
fn a_federation_is_made_of_different_schools_with_the_same_integrator() {
    let schools = federation(3, &school(5));
    let ids: Vec<_> = schools.iter().map(|school| school.school_id).collect();
    assert_eq!(ids, [1000, 1001, 1002]);
    let first_lines = schools
        .iter()
        .map(|school| school.lines().take(6).collect::<Vec<_>>());
    let first_lines: Vec<_> = first_lines.collect();
    assert_ne!(first_lines[0][0], first_lines[2][0]);
    assert_eq!(first_lines[0][1..], first_lines[2][1..]);
    assert_ne!(bytes(&schools[0]), bytes(&schools[2]));
}
