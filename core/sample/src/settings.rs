//! The school itself, its authorisations, and its calendar.

use crate::line::Record;
use crate::plan::Plan;
use crate::tables::{parts, table};
use crate::topics::{Topic, TopicRandom};
use crate::{PASSWORD, Phase, USERNAME, identity};

/// The API types that all schools share: id, name, family.
const API_TYPES: [(u64, &str, &str); 4] = [
    (8, "Admin+ API", "administration"),
    (9, "Curriculum+ API", "curriculum"),
    (10, "Finance+ API", "finance"),
    (11, "Parent API", "parents"),
];

/// The lookups that all schools share.
const LOOKUPS: [(&str, &[(u64, &str)]); 4] = [
    (
        "ethnic_group",
        &[
            (1, "African/Black"),
            (2, "Coloured"),
            (3, "Indian"),
            (4, "White"),
            (5, "Other"),
            (6, "Asian"),
        ],
    ),
    (
        "marital_status",
        &[
            (1, "Divorced"),
            (2, "Married"),
            (3, "Single"),
            (4, "Widowed"),
            (6, "Separated"),
            (7, "Common law marriage"),
        ],
    ),
    ("gender", &[(1, "Male"), (2, "Female")]),
    (
        "language",
        &[
            (1, "Afrikaans"),
            (2, "English"),
            (3, "isiZulu"),
            (4, "isiXhosa"),
            (5, "Sesotho"),
            (6, "Setswana"),
            (7, "Sepedi"),
            (8, "Tshivenḓa"),
            (9, "Xitsonga"),
        ],
    ),
];

/// Writes the `school`, `api_type`, `integrator`, `client_integration`, `year`, `term`, lookup and
/// `grade` records.
pub(crate) fn write(plan: &Plan, out: &mut String) {
    write_school(plan, out);
    for (id, name, family) in API_TYPES {
        Record::new(out, "api_type")
            .number("api_type_id", id)
            .text("api_type", name)
            .text("family", family)
            .end();
    }
    Record::new(out, "integrator")
        .text("username", USERNAME)
        .text("password", PASSWORD)
        .end();
    let school_id = plan.school.school_id;
    for (id, _, _) in API_TYPES {
        Record::new(out, "client_integration")
            .text("username", USERNAME)
            .number("school_id", school_id)
            .number("api_type_id", id)
            .number("state", 1)
            .end();
    }
    for year in &plan.years {
        Record::new(out, "year")
            .number("school_id", school_id)
            .number("year", u64::from(*year))
            .shown("year_name", format_args!("Academic year {year}"))
            .end();
    }
    for term in &plan.terms {
        Record::new(out, "term")
            .number("school_id", school_id)
            .number("year", u64::from(term.year))
            .number("term", term.number)
            .number("term_id", term.id())
            .shown("start_date", term.start)
            .shown("end_date", term.end)
            .end();
    }
    for (kind, records) in LOOKUPS {
        for (id, name) in records {
            Record::new(out, kind)
                .number("id", *id)
                .text("name", name)
                .end();
        }
    }
    for grade in &plan.grades {
        Record::new(out, "grade")
            .number("school_id", school_id)
            .number("grade_id", grade.id)
            .text("grade", grade.name)
            .end();
    }
}

/// Returns the province of the school.
pub(crate) fn province(plan: &Plan) -> &'static str {
    let [province, ..] = place(plan);
    province
}

/// Returns the province, town, suburb, district and postal code.
fn place(plan: &Plan) -> [&'static str; 5] {
    parts(by_school(plan, "school places"))
}

/// Returns the entry of a table that the id of the school selects. 1000 selects the first.
fn by_school(plan: &Plan, name: &str) -> &'static str {
    let entries = table(name);
    let place = plan.school.school_id.wrapping_sub(1000) % entries.len() as u64;
    entries[usize::try_from(place).unwrap()]
}

fn write_school(plan: &Plan, out: &mut String) {
    let school = &plan.school;
    let mut random = TopicRandom::for_topic(school.seed, Topic::School, school.school_id);
    let name = by_school(plan, "school names");
    let name = match (school.school_id, school.phase()) {
        (1000, Phase::Primary) => "d6+ Primary School".to_owned(),
        (1001, Phase::Secondary) => "d6+ Secondary School".to_owned(),
        (_, Phase::Primary) => format!("{name} Primary School"),
        (_, Phase::Secondary) => format!("{name} High School"),
    };
    let [province, town, suburb, district, district_code] = place(plan);
    let [lowest, highest] = [plan.grades.first(), plan.grades.last()];
    let street = random.pick(table("streets"));
    let number = random.between(1, 200);
    let yes = |percent, random: &mut TopicRandom| if random.chance(percent) { "Yes" } else { "No" };
    Record::new(out, "school")
        .number("school_id", school.school_id)
        .text("school_name", &name)
        .text("school_short_name", name.trim_end_matches(" School"))
        .text("ownership_type", random.pick(&["Public", "Independent"]))
        .text("country", "South Africa")
        .text("province", province)
        .text("town", town)
        .text("suburb", suburb)
        .text("district", district)
        .text("district_code", district_code)
        .shown("circuit", format_args!("Circuit {}", random.between(1, 9)))
        .shown("quantile", random.between(1, 5))
        .shown("emis_number", random.between(100_000_000, 999_999_999))
        .text("telephone_number", &identity::line_number(&mut random))
        .text("lowest_grade", lowest.map_or("", |grade| grade.name))
        .text("highest_grade", highest.map_or("", |grade| grade.name))
        .shown(
            "admin_email_address",
            format_args!("admin@school{}.example.org", school.school_id),
        )
        .shown(
            "debtors_email_address",
            format_args!("debtors@school{}.example.org", school.school_id),
        )
        .shown(
            "finance_email_address",
            format_args!("finance@school{}.example.org", school.school_id),
        )
        .text(
            "physical_address",
            &format!("{number} {street}\r\n{suburb}\r\n{town}"),
        )
        .text(
            "postal_address",
            &format!("PO Box {}\r\n{town}", random.between(1, 9999)),
        )
        .text("has_after_school_center", yes(60, &mut random))
        .text("has_hostel", yes(30, &mut random))
        .text("uses_debit_orders", yes(70, &mut random))
        .text("uses_cashless", yes(40, &mut random))
        .text("telephone_calling_code", "27")
        .number("current_year", u64::from(school.current_year))
        .shown(
            "website",
            format_args!("https://school{}.example.org", school.school_id),
        )
        .text("medium", "Dual")
        .texts("tuition_languages", &["Afrikaans", "English"])
        .end();
}
