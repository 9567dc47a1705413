//! Learners, with the fields of section 2.1.

use jiff::ToSpan as _;
use jiff::civil::{Date, date};

use crate::families::{self, Family};
use crate::identity;
use crate::line::Record;
use crate::names::{self, Gender};
use crate::plan::Plan;
use crate::roll::{Attendance, Pupil};
use crate::settings;
use crate::topics::{Topic, TopicRandom};

/// Writes the `learner` records of a block of families.
pub(crate) fn write(plan: &Plan, block: u64, out: &mut String) {
    for siblings in families::in_block(&plan.school, block) {
        let family = Family::new(&plan.school, siblings.family);
        for id in siblings.learners {
            write_learner(plan, &family, id, out);
        }
    }
}

/// Returns the day on which a learner left, within a year before the last known day.
pub(crate) fn transfer_date(plan: &Plan, pupil: &Pupil) -> Option<Date> {
    let mut random = TopicRandom::for_topic(plan.school.seed, Topic::Learner, u64::MAX - pupil.id);
    let days = i64::from(random.below(365));
    (pupil.attendance == Attendance::Left).then(|| plan.today.saturating_sub(days.days()))
}

/// Returns the register class of a teacher.
pub(crate) fn class_of_teacher(plan: &Plan, teacher: u64) -> Option<String> {
    let classes = u64::from(plan.roll.classes);
    let place = teacher.checked_sub(1)?;
    let grade = plan.grades.get(usize::try_from(place / classes).ok()?)?;
    let class = u16::try_from(place % classes).ok()?;
    Some(class_name(grade.name, class))
}

/// Returns the name of a register class, such as `7A`. The 27th of a grade is `7AA`.
fn class_name(grade: &str, class: u16) -> String {
    let mut letters = Vec::new();
    let mut left = class + 1;
    while left > 0 {
        let letter = u8::try_from((left - 1) % 26).unwrap();
        letters.push(char::from(b'A' + letter));
        left = (left - 1) / 26;
    }
    grade.chars().chain(letters.into_iter().rev()).collect()
}

fn birthday(plan: &Plan, grade_id: u64, random: &mut TopicRandom) -> Date {
    let age = u16::try_from(4 + grade_id).unwrap();
    let held_back = u16::from(random.chance(6));
    let year = plan.school.current_year - age - held_back;
    let new_year = date(i16::try_from(year).unwrap(), 1, 1);
    new_year.saturating_add(i64::from(random.below(365)).days())
}

/// Returns the year of admission and the learner's number in the register of that school.
fn admission_number(plan: &Plan, born: Date, id: u64, random: &mut TopicRandom) -> String {
    let year = born.year() + i16::try_from(random.between(4, 7)).unwrap();
    let year = year.min(i16::try_from(plan.school.current_year).unwrap());
    format!("{year}/{id:05}")
}

fn write_learner(plan: &Plan, family: &Family, id: u64, out: &mut String) {
    let pupil = &plan.roll.pupils[usize::try_from(id - 1).unwrap()];
    let mut random = TopicRandom::for_topic(plan.school.seed, Topic::Learner, id);
    let record = Record::new(out, "learner")
        .number("school_id", plan.school.school_id)
        .number("id", id);
    let record = personal(record, plan, family, pupil, &mut random);
    let record = schooling(record, plan, pupil, &mut random);
    let [parent1, parent2] = family.parents();
    let digits = |id: Option<u64>| id.map_or(String::new(), |id| id.to_string());
    let record = record
        .text("parent1_id", &digits(parent1))
        .text("parent2_id", &digits(parent2));
    let record = match pupil.attendance {
        Attendance::Current => record,
        Attendance::Left => record.text("status", "left"),
        Attendance::Waitlist => record.text("status", "waitlist"),
    };
    let left = transfer_date(plan, pupil).map_or(String::new(), |day| day.to_string());
    record
        .text("transfer_date", &left)
        .shown("debtor_code", family.code())
        .shown("accountable_person_id", family.parent_id(family.payer()))
        .end();
}

/// Writes the fields from `first_name` to `passport_number`.
fn personal<'a>(
    record: Record<'a>,
    plan: &Plan,
    family: &Family,
    pupil: &Pupil,
    random: &mut TopicRandom,
) -> Record<'a> {
    let gender = random.pick(&[Gender::Male, Gender::Female]);
    let first_name = names::first_names(family.culture, gender, random);
    let born = birthday(plan, plan.grades[usize::from(pupil.grade)].id, random);
    let mobile = identity::mobile_number(random);
    let email = identity::email_address(&first_name, family.surname, random);
    let id_number = identity::id_number(born, gender, random);
    let passport = identity::passport_number(random);
    let [calling_code, mobile] = if random.chance(70) {
        ["27", &mobile]
    } else {
        ["", ""]
    };
    let abroad = family.nationality != "South Africa";
    let [id_number, passport] = if abroad {
        ["", &passport]
    } else {
        [&id_number, ""]
    };
    let (language_id, language) = family.language();
    let (tuition_id, tuition) = if pupil.afrikaans {
        (1, "Afrikaans")
    } else {
        (2, "English")
    };
    let (ethnic_group_id, ethnic_group) = family.culture.ethnic_group;
    record
        .text("first_name", &first_name)
        .text("last_name", family.surname)
        .text("mobile_calling_code", calling_code)
        .text("mobile_number", mobile)
        .text("email_address", if random.chance(75) { &email } else { "" })
        .shown("date_of_birth", born)
        .text("gender", gender.letter())
        .shown("ethnic_group_id", ethnic_group_id)
        .text("ethnic_group", ethnic_group)
        .shown("home_language_id", language_id)
        .text("home_language", language)
        .shown("tuition_language_id", tuition_id)
        .text("tuition_language", tuition)
        .text("nationality", family.nationality)
        .text(
            "admission_number",
            &admission_number(plan, born, pupil.id, random),
        )
        .shown("family_code", family.code())
        .text("id_number", id_number)
        .text("passport_number", passport)
}

/// Writes the fields from `grade_id` to `photo_url`.
fn schooling<'a>(
    record: Record<'a>,
    plan: &Plan,
    pupil: &Pupil,
    random: &mut TopicRandom,
) -> Record<'a> {
    let place = usize::from(pupil.grade);
    let grade = plan.grades[place];
    let teacher = place as u64 * u64::from(plan.roll.classes) + u64::from(pupil.class) + 1;
    let stream = random.pick(&["Mainstream", "Mainstream", "Mainstream", "Remedial", ""]);
    let photo_url = format!(
        "https://photos.example.org/{}/{}/{:08x}.jpg",
        plan.school.school_id,
        pupil.id,
        random.next() >> 32
    );
    record
        .shown("grade_id", grade.id)
        .text("grade", grade.name)
        .text("register_class_name", &class_name(grade.name, pupil.class))
        .shown("register_class_teacher_id", teacher)
        .text("country", "South Africa")
        .text("province", settings::province(plan))
        .text("education_stream", stream)
        .text("photo_url", if random.chance(85) { &photo_url } else { "" })
}
