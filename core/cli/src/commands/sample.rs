//! `rollbook sample`: generates a sample school.

use super::export::print_written;
use crate::Outcome;
use crate::output::{file_of, write_lines};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use rollbook_sample::{PASSWORD, SampleSchool, USERNAME, YEARS};
use std::convert::Infallible;
use std::error::Error;
use std::path::PathBuf;

/// Write the dataset of a generated school.
///
/// The same arguments with the same --as-of give the same dataset. Its login is demo with the
/// password demo.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The number of learners.
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    learners: u32,
    /// The id of the school. A school with an even id is a primary school, and one with an odd id
    /// is a secondary school.
    #[arg(long, value_name = "ID", default_value_t = 1000)]
    school: u64,
    /// The number of years with records, up to the current one.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    years: u32,
    /// The seed of all names, marks and days.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// The last day with records, whose year is the current one of the school. The default is today
    /// in South Africa.
    #[arg(long, value_name = "DATE", value_parser = parse_day)]
    as_of: Option<Date>,
    /// The file of the dataset, which is replaced if it exists. The default is stdout.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  rollbook sample -o school.ndjson
  rollbook sample --learners 1000 --years 3 | rollbook load --store school.redb -
  rollbook sample --school 1001 --seed 7 --as-of 2026-05-14
      Always gives the same secondary school.";

/// Generates the school.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let as_of = arguments.as_of.unwrap_or_else(today);
    let school = SampleSchool {
        seed: arguments.seed,
        school_id: arguments.school,
        learners: arguments.learners,
        years: arguments.years,
        current_year: as_of.year().unsigned_abs(),
        as_of: Some(as_of),
        ..SampleSchool::default()
    };
    let file = file_of(arguments.output.as_deref());
    let written = write_lines(file, school.lines().map(Ok::<_, Infallible>))?;
    if let Some(file) = file {
        print_written(file, &written, json)?;
        eprintln!("Log in as {USERNAME} with the password {PASSWORD}.");
    }
    Ok(Outcome::Success)
}

/// Returns today's date at the offset from UTC that a school has by default.
fn today() -> Date {
    Offset::constant(2).to_datetime(Timestamp::now()).date()
}

/// Parses a date in one of the years that a sample school can have.
fn parse_day(text: &str) -> Result<Date, &'static str> {
    let day: Option<Date> = text.parse().ok();
    day.filter(|day| YEARS.contains(&day.year()))
        .ok_or("give a date from year 100 to 9998, for example 2026-05-14")
}
