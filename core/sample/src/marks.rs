//! Marks: the score of every learner in every assessment.

use std::fmt::Write as _;

use jiff::ToSpan as _;

use crate::calendar;
use crate::line::{push_hundredths, push_number, push_two_digits};
use crate::plan::Plan;
use crate::programmes::{ASSESSMENTS, Assessment, Programme};
use crate::roll::Pupil;
use crate::topics::{Topic, TopicRandom};

/// The score of a learner in an assessment.
#[derive(Clone, Copy)]
enum Score {
    Absent,
    /// The teacher has not entered the mark yet.
    NotCaptured,
    /// Tenths of a mark.
    Tenths(u32),
}

/// The score of a learner, and the random choices that decide how it is written.
struct Entry {
    score: Score,
    /// Whether the record has the percentage in addition to the mark.
    with_percentage: bool,
    /// The second within the hour in which the mark was entered.
    second: u32,
    corrected: bool,
}

impl Entry {
    fn new(plan: &Plan, assessment: &Assessment, pupil: &Pupil) -> Self {
        let index = (assessment.id << 32) ^ pupil.id;
        let mut random = TopicRandom::for_topic(plan.school.seed, Topic::Mark, index);
        let kind = random.below(1000);
        let swing = random.below(21) + random.below(21);
        let percent = (u32::from(pupil.ability) + swing)
            .saturating_sub(20)
            .min(100);
        let exact = assessment.out_of * percent / 10;
        let tenths = match kind % 10 {
            0..6 => exact / 10 * 10,
            6..9 => exact / 5 * 5,
            _ => exact,
        };
        Self {
            score: match kind {
                0..30 => Score::Absent,
                30..45 => Score::NotCaptured,
                _ => Score::Tenths(tenths),
            },
            with_percentage: random.chance(30),
            second: random.below(3600),
            corrected: random.chance(4),
        }
    }
}

/// Returns a mark as a percentage, in hundredths.
fn percentage(tenths: u32, out_of: u32) -> u32 {
    (tenths * 1000 + out_of / 2) / out_of
}

/// Returns the mark of a term in hundredths of a per cent: the weighted mean of the assessments
/// that have a mark.
pub(crate) fn term_mark(plan: &Plan, programme: &Programme, pupil: &Pupil) -> Option<u32> {
    let mut sum = 0;
    let mut weights = 0;
    for assessment in &programme.assessments {
        if let Score::Tenths(tenths) = Entry::new(plan, assessment, pupil).score {
            sum += percentage(tenths, assessment.out_of) * assessment.weight;
            weights += assessment.weight;
        }
    }
    (sum + weights / 2).checked_div(weights)
}

/// Returns the number of blocks. A block is an assessment, like the mark sheet of a teacher.
pub(crate) fn blocks(plan: &Plan) -> u64 {
    let assessments = plan.programmes.len() * ASSESSMENTS;
    if plan.school.marks {
        assessments as u64
    } else {
        0
    }
}

/// Writes the `mark` records of an assessment, unless it is in the future.
pub(crate) fn write(plan: &Plan, block: u64, out: &mut String) {
    let place = usize::try_from(block).unwrap();
    let programme = &plan.programmes[place / ASSESSMENTS];
    let assessment = &programme.assessments[place % ASSESSMENTS];
    if assessment.date > plan.today {
        return;
    }
    let subject = &plan.subjects[programme.grade][programme.subject];
    let mut random = TopicRandom::for_topic(plan.school.seed, Topic::Assessment, assessment.id);
    let wait = i64::from(random.between(1, 6));
    let entered = calendar::weekday(assessment.date.saturating_add(wait.days()));
    let corrected = calendar::weekday(entered.saturating_add(7.days()));
    let sheet = Sheet {
        start: format!(
            "{{\"type\":\"mark\",\"school_id\":{},\"assessment_id\":{},\"learner_id\":",
            plan.school.school_id, assessment.id
        ),
        out_of: assessment.out_of,
        entered: format!("{entered} {}", random.between(13, 19)),
        corrected: format!("{corrected} 08"),
    };
    for pupil in plan.pupils_in(programme.grade, programme.term.year) {
        if subject.is_taken_by(pupil) {
            sheet.write(&Entry::new(plan, assessment, pupil), pupil.id, out);
        }
    }
}

/// The parts that all mark records of an assessment have in common.
struct Sheet {
    start: String,
    out_of: u32,
    /// The date and the hour of entry.
    entered: String,
    corrected: String,
}

impl Sheet {
    fn write(&self, entry: &Entry, learner: u64, out: &mut String) {
        out.push_str(&self.start);
        push_number(out, learner);
        match entry.score {
            Score::Absent => out.push_str(",\"percentage\":\"a\",\"captured\":1"),
            Score::NotCaptured => out.push_str(",\"captured\":0"),
            Score::Tenths(tenths) => self.write_mark(tenths, entry.with_percentage, out),
        }
        out.push_str(",\"dtime\":\"");
        out.push_str(if entry.corrected {
            &self.corrected
        } else {
            &self.entered
        });
        for part in [entry.second / 60, entry.second % 60] {
            out.push(':');
            push_two_digits(out, u64::from(part));
        }
        out.push_str("\"}\n");
    }

    fn write_mark(&self, tenths: u32, with_percentage: bool, out: &mut String) {
        out.push_str(",\"mark\":");
        push_number(out, u64::from(tenths / 10));
        if !tenths.is_multiple_of(10) {
            write!(out, ".{}", tenths % 10).unwrap();
        }
        if with_percentage {
            out.push_str(",\"percentage\":\"");
            push_hundredths(out, u64::from(percentage(tenths, self.out_of)));
            out.push('"');
        }
    }
}
