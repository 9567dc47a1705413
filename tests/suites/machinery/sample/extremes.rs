//! Records with extreme values, which are added to a sample school.

use super::{bytes, loaded, of_kind, records, school};
use rollbook_tests::sample::SampleSchool;
use std::collections::BTreeSet;

#[test]
fn extremes_are_added_behind_an_unchanged_school() {
    let plain = school(24);
    let edged = SampleSchool {
        edge_values: true,
        ..plain.clone()
    };
    let [before, after] = [bytes(&plain), bytes(&edged)];
    assert!(after.starts_with(&before));
    assert!(after.len() - before.len() < 1 << 20);
    let all = records(&edged);
    let added = &all[plain.lines().count()..];
    let learners = of_kind(added, "learner").count();
    assert!((40..60).contains(&learners), "{learners} learners");
    let kinds: BTreeSet<_> = added.iter().map(super::Record::kind).collect();
    assert_eq!(kinds.len(), 22, "all kinds but the school: {kinds:?}");
}

#[test]
fn extremes_fit_any_school() {
    for (school_id, current_year) in [(0, 100), (u64::MAX, 9998)] {
        let school = SampleSchool {
            school_id,
            current_year,
            years: 2,
            edge_values: true,
            ..school(3)
        };
        loaded(&bytes(&school));
    }
}
