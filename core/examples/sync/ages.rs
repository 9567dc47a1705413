//! Prints the coverage of a school, with the age of each part.

use crate::arguments::Arguments;
use indicatif::{HumanCount, HumanDuration};
use rollbook::{Covered, Engine};
use std::time::Duration;

/// Prints which data of the school is in the store, with its age.
pub(crate) fn print(engine: &Engine, arguments: &Arguments) -> rollbook::Result<()> {
    let Some(coverage) = engine.synced(arguments.school)? else {
        return Ok(());
    };
    let now = arguments.now();
    println!("School {}, age of its data:", arguments.school);
    for covered in &coverage.seen {
        println!("  {:>12}  {}", age(covered.as_of, now), named(covered));
    }
    if let Some(as_of) = coverage.as_of {
        println!("Nothing is older than {}.", age(as_of, now));
    }
    Ok(())
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
