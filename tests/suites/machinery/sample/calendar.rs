//! The school years of a sample school.

use super::{Record, of_kind, records, without_marks};
use jiff::civil::{Date, Weekday};
use rollbook_tests::sample::SampleSchool;
use std::collections::BTreeSet;

fn day(record: &Record, field: &str) -> Date {
    record.text(field).parse().unwrap()
}

fn is_weekday(day: Date) -> bool {
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
}

#[test]
fn the_terms_of_2026_are_the_gazetted_ones() {
    let records = records(&without_marks(0));
    let terms: Vec<_> = of_kind(&records, "term").collect();
    assert_eq!(terms.len(), 4);
    let second = ["start_date", "end_date", "term_id"].map(|field| terms[1].text(field));
    assert_eq!(second, ["2026-04-08", "2026-06-26", "103"]);
}

#[test]
fn terms_of_any_year_follow_one_another_on_weekdays() {
    for current_year in [100, 1999, 2000, 2023, 2024, 2025, 2026, 2027, 2030, 9998] {
        let records = records(&SampleSchool {
            current_year,
            ..without_marks(0)
        });
        let bounds = |term: &Record| ["start_date", "end_date"].map(|field| day(term, field));
        let terms: Vec<[Date; 2]> = of_kind(&records, "term").map(bounds).collect();
        let days: Vec<Date> = terms.iter().flatten().copied().collect();
        assert!(days.is_sorted(), "{current_year}: {days:?}");
        assert!(days.iter().copied().all(is_weekday), "{current_year}");
        for [start, end] in &terms {
            let length = (*end - *start).get_days();
            assert!((40..90).contains(&length), "{current_year}: {start} {end}");
        }
        for assessment in of_kind(&records, "assessment") {
            let [start, end] = terms[usize::try_from(assessment.number("term")).unwrap() - 1];
            let day = day(assessment, "assessment_date");
            assert!(start <= day && day <= end && is_weekday(day), "{day}");
        }
    }
}

#[test]
fn a_year_has_about_two_hundred_school_days_in_every_month() {
    for current_year in [2023, 2024, 2026] {
        let records = records(&SampleSchool {
            current_year,
            ..without_marks(1000)
        });
        let absent = of_kind(&records, "absentee").map(|record| day(record, "absent_date"));
        let days: BTreeSet<Date> = absent.collect();
        assert!((180..210).contains(&days.len()), "{}", days.len());
        for month in 1..=12 {
            assert!(days.iter().any(|day| day.month() == month));
        }
        // Women's Day is a Sunday, so Monday is a holiday.
        assert!(!days.contains(&jiff::civil::date(2026, 8, 10)));
    }
}
