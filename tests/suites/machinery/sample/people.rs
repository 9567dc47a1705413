//! Learners and their parents.

use super::{Record, of_kind, records, without_marks};
use std::collections::{BTreeMap, BTreeSet};

fn people(records: &[Record]) -> impl Iterator<Item = &Record> {
    of_kind(records, "learner").chain(of_kind(records, "parent"))
}

/// Returns the Luhn sum: every other digit is doubled, beginning before the last one, and the
/// digits of the results are added.
fn luhn(number: &str) -> u32 {
    let digit = |(place, digit): (usize, char)| {
        let digit = digit.to_digit(10).unwrap() * if place % 2 == 1 { 2 } else { 1 };
        digit / 10 + digit % 10
    };
    number.chars().rev().enumerate().map(digit).sum()
}

#[test]
fn an_identity_number_contains_birth_gender_and_check_digit() {
    assert_eq!(luhn("8001015009087") % 10, 0);
    let records = records(&without_marks(300));
    let of_people = people(&records).filter(|person| !person.text("id_number").is_empty());
    let mut count = 0;
    for person in of_people {
        let number = person.text("id_number");
        let born = person.text("date_of_birth").replace('-', "");
        assert!(number.len() == 13 && luhn(&number).is_multiple_of(10));
        assert_eq!(number[..6], born[2..]);
        assert_eq!(&number[6..7] < "5", person.text("gender") == "F");
        count += 1;
    }
    assert!(count > 500, "{count}");
}

#[test]
fn addresses_are_well_formed() {
    let records = records(&without_marks(300));
    for person in people(&records) {
        let address = person.text("email_address");
        assert!(address.is_ascii() && !address.contains(' '), "{address}");
        assert!(address.is_empty() || address.find('@').unwrap() > 2);
    }
    for parent in of_kind(&records, "parent") {
        for address in ["residential_address", "postal_address"].map(|name| parent.text(name)) {
            assert!(address.matches("\r\n").count() >= 2, "{address}");
            assert!(!address.contains(['{', '}', '|']), "{address}");
        }
    }
}

#[test]
fn siblings_share_parents_and_family_code() {
    let records = records(&without_marks(600));
    let mut families = BTreeMap::<_, BTreeSet<_>>::new();
    let mut parents = BTreeMap::<_, usize>::new();
    for learner in of_kind(&records, "learner") {
        let of_learner = [learner.text("parent1_id"), learner.text("parent2_id")];
        let known = of_learner.iter().filter(|id| !id.is_empty()).count();
        *parents.entry(known).or_default() += 1;
        families
            .entry(learner.text("family_code"))
            .or_default()
            .insert(of_learner);
    }
    assert!(families.len() < 500, "{} families", families.len());
    assert!(families.values().all(|parents| parents.len() == 1));
    assert!(
        parents[&2] > 450 && parents[&1] > 40 && parents[&0] > 10,
        "{parents:?}"
    );
}

#[test]
fn classes_are_lettered_as_far_as_needed() {
    let is_learner = |line: &String| line.starts_with("{\"type\":\"learner\"");
    let learners = without_marks(8000).lines().filter(is_learner).take(8000);
    let class =
        |line: String| Record(serde_json::from_str(&line).unwrap()).text("register_class_name");
    let classes: BTreeSet<String> = learners.map(class).collect();
    assert_eq!(classes.len(), 9 * 30);
    for class in ["RRA", "7A", "7Z", "7AA", "7AC"] {
        assert!(classes.contains(class), "{class}");
    }
}
