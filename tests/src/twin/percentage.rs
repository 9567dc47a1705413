//! The values of a mark in an answer (2.6; `decisions.md`, "Queries").

use super::decimals::{parse_decimal, percentage_of, two_decimals};
use super::records::Record;

/// The fields of an assessment that depend on the learner's mark.
#[derive(Debug, Default)]
pub(crate) struct Result {
    pub(crate) dtime: String,
    pub(crate) percentage: String,
    pub(crate) mark: String,
    pub(crate) captured: &'static str,
}

/// Returns the result of a mark, or of no mark.
pub(crate) fn result(assessment: &Record, mark: Option<&Record>) -> Result {
    let Some(record) = mark else {
        return Result {
            captured: "0",
            ..Result::default()
        };
    };
    let dtime = record.text("dtime").to_owned();
    if record.text("percentage") == "a" {
        return Result {
            dtime,
            percentage: "a".to_owned(),
            mark: String::new(),
            captured: "1",
        };
    }
    if record.text("captured") == "0" {
        return Result {
            dtime,
            captured: "0",
            ..Result::default()
        };
    }
    let mark = parse_decimal(record.text("mark"));
    let out_of = parse_decimal(assessment.text("mark_out_of"));
    let percentage = match (parse_decimal(record.text("percentage")), mark, out_of) {
        (Some(given), _, _) => two_decimals(given),
        (None, Some(mark), Some(out_of)) => percentage_of(mark, out_of).unwrap_or_default(),
        _ => String::new(),
    };
    Result {
        dtime,
        percentage,
        mark: mark.map(two_decimals).unwrap_or_default(),
        captured: "1",
    }
}
