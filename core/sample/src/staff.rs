//! Staff: the teachers of all classes and groups, and a tenth more.

use jiff::ToSpan as _;
use jiff::civil::date;

use crate::line::Record;
use crate::names::{self, Gender};
use crate::plan::Plan;
use crate::topics::{Topic, TopicRandom};
use crate::{identity, learners, places};

const MARITAL: [&str; 6] = [
    "Married", "Married", "Married", "Single", "Divorced", "Widowed",
];

/// Returns the number of teachers of the subject groups of a school.
pub(crate) fn teachers(learners: u32) -> u32 {
    learners / 22 + 8
}

/// Returns the number of records: the teachers of groups and classes, and others.
pub(crate) fn count(plan: &Plan) -> u64 {
    let classes = plan.grades.len() as u64 * u64::from(plan.roll.classes);
    let teachers = u64::from(teachers(plan.school.learners)).max(classes);
    teachers + teachers.div_ceil(10)
}

/// Writes the `staff_member` records.
pub(crate) fn write(plan: &Plan, out: &mut String) {
    for id in 1..=count(plan) {
        write_member(plan, id, out);
    }
}

fn write_member(plan: &Plan, id: u64, out: &mut String) {
    let mut random = TopicRandom::for_topic(plan.school.seed, Topic::Staff, id);
    let culture = names::culture(&mut random);
    let gender = random.pick(&[Gender::Female, Gender::Female, Gender::Male]);
    let first_name = names::first_names(culture, gender, &mut random);
    let last_name = names::surname(culture, &mut random);
    let year = i16::try_from(plan.school.current_year).unwrap();
    let born = date(year - 24, 12, 31).saturating_sub(i64::from(random.below(40 * 365)).days());
    let [residential, postal] = places::addresses(&mut random);
    let class = learners::class_of_teacher(plan, id);
    let is_educator = class.is_some() || id <= u64::from(teachers(plan.school.learners));
    Record::new(out, "staff_member")
        .number("school_id", plan.school.school_id)
        .number("id", id)
        .text(
            "title",
            match gender {
                Gender::Male => "Mr",
                Gender::Female => random.pick(&["Mrs", "Ms", "Me"]),
            },
        )
        .text("first_name", &first_name)
        .text("last_name", last_name)
        .text("mobile_calling_code", "27")
        .text("mobile_number", &identity::mobile_number(&mut random))
        .text(
            "email_address",
            &identity::email_address(&first_name, last_name, &mut random),
        )
        .shown("date_of_birth", born)
        .text("gender", gender.letter())
        .text("ethnic_group", culture.ethnic_group.1)
        .text("residential_address", &residential)
        .text("postal_address", &postal)
        .text("home_language", culture.language.1)
        .text("nationality", "South Africa")
        .text("id_number", &identity::id_number(born, gender, &mut random))
        .text("marital_status_id", random.pick(&MARITAL))
        .text(
            "employment_category",
            random.pick(&["Permanent", "Permanent", "Temporary"]),
        )
        .text("is_educator", if is_educator { "Yes" } else { "No" })
        .text(
            "appointment_type",
            random.pick(&["Full time", "Full time", "Part time"]),
        )
        .text(
            "paid_by",
            random.pick(&["State", "State", "Governing body"]),
        )
        .shown("sace_number", random.between(1_000_000, 9_999_999))
        .text("register_classes", class.as_deref().unwrap_or_default())
        .text("status", if random.chance(6) { "left" } else { "" })
        .end();
}
