//! Enrolments: the subjects of a learner in a year, by term.

use crate::calendar::TERMS;
use crate::curriculum::Subject;
use crate::line::{Record, push_hundredths};
use crate::marks;
use crate::plan::Plan;
use crate::programmes;
use crate::roll::Pupil;
use crate::staff;
use crate::topics::{Topic, TopicRandom};

/// Returns the number of blocks. A block is a learner in a year; earlier years come first.
pub(crate) fn blocks(plan: &Plan) -> u64 {
    plan.years.len() as u64 * u64::from(plan.school.learners)
}

/// Writes the `learner_subject` records of a learner in a year.
pub(crate) fn write(plan: &Plan, block: u64, out: &mut String) {
    let learners = u64::from(plan.school.learners);
    let year = usize::try_from(block / learners).unwrap();
    let pupil = &plan.roll.pupils[usize::try_from(block % learners).unwrap()];
    let Some(grade) = plan.grade_in(pupil, plan.years[year]) else {
        return;
    };
    for (place, subject) in plan.subjects[grade].iter().enumerate() {
        if !subject.is_taken_by(pupil) {
            continue;
        }
        Record::new(out, "learner_subject")
            .number("school_id", plan.school.school_id)
            .number("learner_id", pupil.id)
            .number("year", u64::from(plan.years[year]))
            .number("subject_id", subject.id)
            .number("grade_id", plan.grades[grade].id)
            .objects("terms", 0..TERMS, |record, term| {
                let programme = programmes::place(&plan.subjects, year, grade, term, place);
                write_term(record, plan, programme, subject, pupil)
            })
            .end();
    }
}

fn write_term<'a>(
    record: Record<'a>,
    plan: &Plan,
    programme: usize,
    subject: &Subject,
    pupil: &Pupil,
) -> Record<'a> {
    let programme = &plan.programmes[programme];
    let group = Group::new(plan, subject, pupil, programme.term.number);
    let record = record
        .number("term", programme.term.number)
        .shown("subject_group_id", group.id)
        .shown(
            "subject_group_name",
            format_args!("{} Group {}", subject.short_name, group.number),
        )
        .shown("classroom_id", group.classroom)
        .shown("classroom_name", group.classroom_name())
        .shown("subject_group_teacher_id", group.teacher);
    let past = programme.term.end <= plan.today;
    match marks::term_mark(plan, programme, pupil).filter(|_| past) {
        Some(mark) => {
            let mut text = String::new();
            push_hundredths(&mut text, u64::from(mark));
            record.text("mark", &text)
        }
        None => record,
    }
}

/// Learners who are taught a subject together. In some subjects the groups change in the middle of
/// the year.
struct Group {
    id: u64,
    /// The number of the group within the subject, from 1.
    number: u64,
    teacher: u32,
    classroom: u32,
}

impl Group {
    fn new(plan: &Plan, subject: &Subject, pupil: &Pupil, term: u64) -> Self {
        let classes = u64::from(plan.roll.classes);
        let regroups = subject.id.is_multiple_of(3) && term > 2;
        let number = (u64::from(pupil.class) + u64::from(regroups)) % classes + 1;
        let id = subject.id * classes + number;
        let staff = staff::teachers(plan.school.learners);
        let mut random = TopicRandom::for_topic(plan.school.seed, Topic::Group, id);
        Self {
            id,
            number,
            teacher: random.between(1, staff),
            classroom: random.between(1, staff + 4),
        }
    }

    /// Returns the name of the classroom. Rooms are numbered by floor; the 13th is `B3`.
    fn classroom_name(&self) -> String {
        let floor = char::from(b'A' + u8::try_from(self.classroom / 10 % 26).unwrap());
        format!("{floor}{}", self.classroom % 10)
    }
}
