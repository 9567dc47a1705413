//! Tests of `coverage`.

use crate::dataset::replication::coverage::*;

fn day(text: &str) -> Date {
    text.parse().unwrap_or(Date::MIN)
}

fn told(units: &Units) -> Vec<String> {
    let told = |(key, kept): (&Key, &CoverageValue)| {
        let from = Date::from_number(key.0).unwrap_or(Date::MIN);
        let to = kept.to.unwrap_or(Date::MIN);
        format!("{from} {to} {}", kept.as_of)
    };
    units.iter().map(told).collect()
}

#[test]
fn days_give_way_to_those_that_were_seen_later() {
    let mut units = Units::new();
    let mut see = |from, to, as_of| {
        add_days(&mut units, day(from), day(to), as_of);
        told(&units)
    };
    assert_eq!(see("2026-01-02", "2026-01-01", 1), [""; 0]);
    assert_eq!(
        see("2026-01-01", "2026-01-31", 1),
        ["2026-01-01 2026-01-31 1"]
    );
    // Adjacent ranges with the same time are joined; ranges with different times are not.
    assert_eq!(
        see("2026-02-01", "2026-02-28", 1),
        ["2026-01-01 2026-02-28 1"]
    );
    assert_eq!(
        see("2026-01-10", "2026-01-20", 2),
        [
            "2026-01-01 2026-01-09 1",
            "2026-01-10 2026-01-20 2",
            "2026-01-21 2026-02-28 1"
        ]
    );
    assert_eq!(
        see("2026-01-15", "2026-03-01", 3),
        [
            "2026-01-01 2026-01-09 1",
            "2026-01-10 2026-01-14 2",
            "2026-01-15 2026-03-01 3"
        ]
    );
    assert_eq!(
        see("0001-01-01", "9999-12-31", 4),
        ["0001-01-01 9999-12-31 4"]
    );
}
