//! Absences: about nine per month for every ten learners, on school days.

use crate::learners;
use crate::line::Record;
use crate::plan::Plan;
use crate::roll::Attendance;
use crate::tables::table;
use crate::topics::{Topic, TopicRandom};

/// The number of absences per month of a thousand learners who attend school all year.
const A_MONTH: u64 = 970;
const FIRST_ID: u64 = 300_001;

/// Returns the number of blocks. A block is a school day.
pub(crate) fn blocks(plan: &Plan) -> u64 {
    plan.school_days.len() as u64
}

/// Writes the `absentee` records of a day.
pub(crate) fn write(plan: &Plan, block: u64, out: &mut String) {
    let day = plan.school_days[usize::try_from(block).unwrap()];
    if day > plan.today {
        return;
    }
    let month = day.first_of_month();
    let open = plan
        .school_days
        .iter()
        .filter(|d| d.first_of_month() == month)
        .count();
    let year = u16::try_from(day.year()).unwrap();
    let odds = u32::try_from(A_MONTH * 1000 / open as u64).unwrap();
    let reasons = table("absence reasons");
    let mut random = TopicRandom::for_topic(plan.school.seed, Topic::Absence, block);
    for pupil in &plan.roll.pupils {
        if random.below(1_000_000) >= odds || pupil.attendance == Attendance::Waitlist {
            continue;
        }
        let left = learners::transfer_date(plan, pupil).is_some_and(|left| left < day);
        if left || plan.grade_in(pupil, year).is_none() {
            continue;
        }
        // The first reason is the usual one.
        let reason = if random.chance(45) {
            reasons[0]
        } else {
            random.pick(reasons)
        };
        Record::new(out, "absentee")
            .number("school_id", plan.school.school_id)
            .number(
                "id",
                FIRST_ID + block * u64::from(plan.school.learners) + pupil.id,
            )
            .number("learner_id", pupil.id)
            .shown("absent_date", day)
            .text("absent_reason", reason)
            .end();
    }
}
