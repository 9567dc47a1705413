//! 4.1 Get Learner(s).

use jiff::civil::Date;

use super::answer::{Answered, TwinAnswer, bad_request, rows_or};
use super::dates::{month_before, parse_date, year_after};
use super::fold::fold;
use super::kinds::Kind;
use super::parents::parents;
use super::records::Record;
use super::render::Json;
use super::request::View;

/// The fields of 2.1 in their order, but for `parents`.
const FIELDS: [&str; 29] = [
    "id",
    "first_name",
    "last_name",
    "mobile_calling_code",
    "mobile_number",
    "email_address",
    "date_of_birth",
    "gender",
    "ethnic_group_id",
    "ethnic_group",
    "home_language_id",
    "home_language",
    "tuition_language_id",
    "tuition_language",
    "nationality",
    "admission_number",
    "family_code",
    "id_number",
    "passport_number",
    "grade_id",
    "grade",
    "register_class_name",
    "register_class_teacher_id",
    "country",
    "province",
    "education_stream",
    "photo_url",
    "parent1_id",
    "parent2_id",
];

/// By learner id; all filters must hold.
pub(crate) fn learners(view: &View<'_>) -> Answered {
    let params = view.params;
    let status = match params.text("status") {
        None => "current",
        Some(status @ ("current" | "left" | "waitlist")) => status,
        Some(_) => return Err(bad_request("status must be current, left or waitlist")),
    };
    let since = params.date("since")?;
    let until = params.date("until")?;
    let learner = params.integer("learner_id")?;
    let grades = params.grades()?;
    let include_parents = params.include_parents();
    let name = params.text("name").map(fold);
    let family_code = params.integer("family_code")?;
    let window = if status == "left" {
        Some(transfer_window(view.today, since, until)?)
    } else {
        None
    };

    let wanted = |record: &&Record| {
        record.text("status") == status
            && window.is_none_or(|(since, until)| {
                parse_date(record.text("transfer_date"))
                    .is_some_and(|date| since <= date && date <= until)
            })
            && learner.is_none_or(|id| record.id("id") == id)
            && grades.as_ref().is_none_or(|grades| {
                record
                    .number("grade_id")
                    .is_some_and(|grade| grades.contains(&grade))
            })
            && name.as_ref().is_none_or(|name| bears_name(record, name))
            && family_code.is_none_or(|code| record.number("family_code") == Some(code))
    };
    let row = |record: &Record| {
        let mut members: Vec<(String, Json)> = FIELDS
            .into_iter()
            .map(|field| (field.to_owned(), Json::text(record.text(field))))
            .collect();
        if include_parents {
            members.push(("parents".to_owned(), parents(view, record)));
        }
        Json::Object(members)
    };
    let found = view
        .store
        .of_school(Kind::Learner, view.school)
        .filter(wanted);
    rows_or(found.map(row).collect(), "No learner records found")
}

/// Inclusive at both ends. `until` is today if absent, `since` one month before `until`.
fn transfer_window(
    today: Date,
    since: Option<Date>,
    until: Option<Date>,
) -> Result<(Date, Date), TwinAnswer> {
    let until = until.unwrap_or(today);
    let since = since.unwrap_or_else(|| month_before(until));
    if since > until {
        return Err(bad_request("since must not be later than until"));
    }
    if until > year_after(since) {
        return Err(bad_request("since to until must not exceed 1 year"));
    }
    Ok((since, until))
}

/// The folded name is part of the first name, the last name, or both with a space between them.
fn bears_name(record: &Record, folded: &str) -> bool {
    let (first, last) = (record.text("first_name"), record.text("last_name"));
    [fold(first), fold(last), fold(&format!("{first} {last}"))]
        .iter()
        .any(|name| name.contains(folded))
}
