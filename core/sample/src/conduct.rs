//! Discipline: about two hundred records per month for a thousand learners, on school days.

use crate::learners;
use crate::line::Record;
use crate::plan::Plan;
use crate::roll::Attendance;
use crate::staff;
use crate::topics::{Topic, TopicRandom};

/// The probability of a record of a learner on a day, in millionths.
const ODDS: u32 = 10_000;
const FIRST_ID: u64 = 700_001;

/// The contents of the records: category, reason, and points.
const CONDUCT: [(&str, &str, &str); 7] = [
    ("Behaviour", "Late for class", "-1"),
    ("Behaviour", "Late for class", "-1"),
    ("Behaviour", "Disrupts the class", "-3"),
    ("Academic", "Homework not done", "-2"),
    ("Dress code", "Incorrect uniform", "-1"),
    ("Behaviour", "Fighting", "-10"),
    ("Merit", "Helped others", "5"),
];

/// Writes the `discipline` records of a day.
pub(crate) fn write(plan: &Plan, block: u64, out: &mut String) {
    let day = plan.school_days[usize::try_from(block).unwrap()];
    if day > plan.today {
        return;
    }
    let year = u16::try_from(day.year()).unwrap();
    let mut random = TopicRandom::for_topic(plan.school.seed, Topic::Conduct, block);
    for pupil in &plan.roll.pupils {
        if random.below(1_000_000) >= ODDS || pupil.attendance == Attendance::Waitlist {
            continue;
        }
        let left = learners::transfer_date(plan, pupil).is_some_and(|left| left < day);
        if left || plan.grade_in(pupil, year).is_none() {
            continue;
        }
        let (category, reason, points) = random.pick(&CONDUCT);
        let staff = random.between(1, staff::teachers(plan.school.learners));
        Record::new(out, "discipline")
            .number("school_id", plan.school.school_id)
            .number(
                "id",
                FIRST_ID + block * u64::from(plan.school.learners) + pupil.id,
            )
            .number("learner_id", pupil.id)
            .shown("discipline_date", day)
            .text("discipline_category", category)
            .text("discipline_reason", reason)
            .text("discipline_points", points)
            .text(
                "discipline_remarks",
                random.pick(&["", "", "Parents informed", "Spoke to the learner"]),
            )
            .shown("staff_member_id", staff)
            .end();
    }
}
