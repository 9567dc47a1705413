//! Records with the extreme values that a dataset may contain.
//!
//! Most are in `edge.ndjson`, where they can be read. Long ones are made here.

use crate::line::Record;
use crate::plan::Plan;

/// The length of a long text. It exceeds 64 KiB, the limit of a block of several records.
const LONG: usize = 70 << 10;
const FIRST_LONG_ID: u64 = 990_000_000_040;

/// Writes all records with extreme values, about 200 lines.
pub(crate) fn write(plan: &Plan, out: &mut String) {
    let school_id = plan.school.school_id.to_string();
    let year = u64::from(plan.school.current_year);
    let written = include_str!("edge.ndjson")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in written {
        let mut line = line.replace("@school", &school_id);
        for (name, year) in [("@last", year - 1), ("@year", year), ("@next", year + 1)] {
            // The year of a date has four digits; an integer has as many as it needs.
            line = line
                .replace(&format!("{name}-"), &format!("{year:04}-"))
                .replace(name, &year.to_string());
        }
        out.push_str(&line);
        out.push('\n');
    }
    write_long(plan, out);
}

/// Returns a text of at least [`LONG`] bytes.
fn long(part: &str) -> String {
    part.repeat(LONG.div_ceil(part.len()))
}

fn write_long(plan: &Plan, out: &mut String) {
    let school_id = plan.school.school_id;
    let names = [long("Long "), long("Zoë 😀 e\u{301}"), long("\u{1}\"\\")];
    for (id, name) in (FIRST_LONG_ID..).zip(&names) {
        Record::new(out, "learner")
            .number("school_id", school_id)
            .number("id", id)
            .text("first_name", name)
            .text("last_name", "Verylong")
            .shown("parent1_id", FIRST_LONG_ID)
            .end();
    }
    Record::new(out, "subject")
        .number("school_id", school_id)
        .number("subject_id", FIRST_LONG_ID)
        .text("subject_name", &names[0])
        .end();
    Record::new(out, "parent")
        .number("school_id", school_id)
        .number("id", FIRST_LONG_ID)
        .text("first_name", "Long")
        .text("residential_address", &long("Line\r\n"))
        .end();
    Record::new(out, "absentee")
        .number("school_id", school_id)
        .number("id", FIRST_LONG_ID)
        .number("learner_id", FIRST_LONG_ID)
        .shown(
            "absent_date",
            format_args!("{:04}-05-04", plan.school.current_year),
        )
        .text("absent_reason", &names[1])
        .end();
    Record::new(out, "learner_subject")
        .number("school_id", school_id)
        .number("learner_id", FIRST_LONG_ID)
        .number("year", u64::from(plan.school.current_year))
        .number("subject_id", FIRST_LONG_ID)
        .number("grade_id", 990)
        .objects("terms", 0..500, |record, term| {
            let name = "A group whose name takes its time to be read";
            record
                .number("term", term)
                .text("subject_group_name", name)
                .shown("mark", term)
        })
        .end();
    Record::new(out, "assessment")
        .number("school_id", school_id)
        .number("assessment_id", FIRST_LONG_ID)
        .number("grade_id", 990)
        .number("year", u64::from(plan.school.current_year))
        .number("term", 1)
        .number("subject_id", FIRST_LONG_ID)
        .number("learning_outcome_id", 990)
        .text("assessment_name", &names[2])
        .shown(
            "assessment_date",
            format_args!("{:04}-02-01", plan.school.current_year),
        )
        .number("weight", 1)
        .number("mark_out_of", 10)
        .end();
}
