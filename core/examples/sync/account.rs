//! What was fetched, what it cost, and how old it is.

use crate::arguments::Arguments;
use indicatif::{HumanBytes, HumanCount, HumanDuration};
use rollbook::{Covered, Engine, SyncReport, Taken};
use std::time::{Duration, Instant};

/// So many of each list are shown.
const SHOWN: usize = 10;

pub(crate) struct Account {
    start: Instant,
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
    kept: u64,
    same: u64,
    again: u64,
}

impl Default for Account {
    fn default() -> Account {
        Account {
            start: Instant::now(),
            calls: 0,
            bytes: 0,
            kept: 0,
            same: 0,
            again: 0,
        }
    }
}

impl Account {
    pub(crate) fn count(&mut self, taken: Taken) {
        match taken {
            Taken::Kept => self.kept += 1,
            Taken::Same => self.same += 1,
            Taken::Retry { .. } => self.again += 1,
            _ => {}
        }
    }

    pub(crate) fn print(&self, report: &SyncReport) {
        println!(
            "{} new or changed answers, {} as before.",
            HumanCount(self.kept),
            HumanCount(self.same)
        );
        println!(
            "{} calls, {} of them in vain and made again; {}; {:.1?}.",
            HumanCount(self.calls),
            HumanCount(self.again),
            HumanBytes(self.bytes),
            self.start.elapsed()
        );
        let given_up = report.given_up.iter();
        let given_up = given_up.map(|one| format!("{}: {}", one.target, one.why));
        list("Given up, and as old as it was", given_up);
        list(
            "Held back, since it would take away much; an app confirms it",
            report.held.iter().cloned(),
        );
        list(
            "Changed again and again meanwhile; run this once more",
            report.unsettled.iter().cloned(),
        );
        list(
            "Left out, as unknown to Rollbook",
            report.unknown.iter().cloned(),
        );
    }
}

fn list(title: &str, items: impl ExactSizeIterator<Item = String>) {
    let count = items.len();
    if count == 0 {
        return;
    }
    println!("{title}:");
    for item in items.take(SHOWN) {
        println!("  {item}");
    }
    if count > SHOWN {
        println!("  and {} more", HumanCount((count - SHOWN) as u64));
    }
}

/// What of the school is in the store, each with its age.
pub(crate) fn print_ages(engine: &Engine, arguments: &Arguments) -> rollbook::Result<()> {
    let Some(coverage) = engine.synced(arguments.school)? else {
        return Ok(());
    };
    let now = arguments.now();
    println!("School {}, as it was:", arguments.school);
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
