//! Describes which data of a school is in the store, with the age of each part.

use crate::args::format_instant;
use indicatif::{HumanCount, HumanDuration};
use rollbook::{Coverage, Covered};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;

/// Describes the coverage in lines of text.
pub(crate) fn text(school: u64, coverage: &Coverage, now: i64) -> String {
    let mut text = format!("School {school}, age of its data:\n");
    for covered in &coverage.seen {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "  {:>12}  {}",
            age(covered.as_of, now),
            named(covered)
        );
    }
    if let Some(as_of) = coverage.as_of {
        let _ = writeln!(text, "Nothing is older than {}.", age(as_of, now));
    }
    text
}

/// Describes the coverage in JSON.
pub(crate) fn json(coverage: &Coverage) -> Value {
    let parts = coverage.seen.iter().map(|covered| {
        let (from, to) = covered.days.unzip();
        json!({
            "data": covered.what,
            "year": covered.year,
            "from": from.map(|day| day.to_string()),
            "to": to.map(|day| day.to_string()),
            "count": covered.count,
            "as_of": format_instant(covered.as_of),
        })
    });
    parts.collect()
}

fn named(covered: &Covered) -> String {
    let mut name = covered.what.to_owned();
    if let Some(year) = covered.year {
        name = format!("{name} in {year}");
    }
    if let Some((from, to)) = covered.days {
        name = format!("{name} from {from} to {to}");
    }
    if covered.count > 1 {
        name = format!("{name} ({})", HumanCount(covered.count));
    }
    name
}

fn age(as_of: i64, now: i64) -> String {
    let seconds = now.saturating_sub(as_of).max(0).cast_unsigned();
    HumanDuration(Duration::from_secs(seconds)).to_string()
}
