//! Tests of `stored_coverage`.

use crate::dataset::replication::stored_coverage::*;

fn day(text: &str) -> Date {
    text.parse().unwrap_or(Date::MIN)
}

fn describe(values: &CoverageValues) -> Vec<String> {
    let describe = |(key, value): (&Key, &CoverageValue)| {
        let from = Date::from_number(key.0).unwrap_or(Date::MIN);
        let to = value.to.unwrap_or(Date::MIN);
        format!("{from} {to} {}", value.as_of)
    };
    values.iter().map(describe).collect()
}

#[test]
fn days_that_were_fetched_later_replace_earlier_ones() {
    let mut values = CoverageValues::new();
    let mut add = |from, to, as_of| {
        add_days(&mut values, day(from), day(to), as_of);
        describe(&values)
    };
    assert_eq!(add("2026-01-02", "2026-01-01", 1), [""; 0]);
    assert_eq!(
        add("2026-01-01", "2026-01-31", 1),
        ["2026-01-01 2026-01-31 1"]
    );
    // Adjacent ranges with the same time are joined; ranges with different times are not.
    assert_eq!(
        add("2026-02-01", "2026-02-28", 1),
        ["2026-01-01 2026-02-28 1"]
    );
    assert_eq!(
        add("2026-01-10", "2026-01-20", 2),
        [
            "2026-01-01 2026-01-09 1",
            "2026-01-10 2026-01-20 2",
            "2026-01-21 2026-02-28 1"
        ]
    );
    assert_eq!(
        add("2026-01-15", "2026-03-01", 3),
        [
            "2026-01-01 2026-01-09 1",
            "2026-01-10 2026-01-14 2",
            "2026-01-15 2026-03-01 3"
        ]
    );
    assert_eq!(
        add("0001-01-01", "9999-12-31", 4),
        ["0001-01-01 9999-12-31 4"]
    );
}
