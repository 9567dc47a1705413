//! Learning programmes: a subject in a grade and term, and its assessments.

use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::SampleSchool;
use crate::calendar::{self, TERMS, Term};
use crate::curriculum::Subject;
use crate::line::Record;
use crate::plan::Plan;
use crate::tables::table;
use crate::topics::{Topic, TopicRandom};

/// The number of assessments of a programme.
pub(crate) const ASSESSMENTS: usize = 7;
/// The weights of the assessments. The last one of a term is its test or examination.
const WEIGHTS: [[u32; ASSESSMENTS]; 3] = [
    [10, 10, 10, 15, 15, 15, 25],
    [5, 10, 10, 10, 15, 20, 30],
    [10, 5, 15, 15, 10, 20, 25],
];
const FIRST_ASSESSMENT_ID: u64 = 5001;

/// The release of the marks of a programme.
#[derive(Clone, Copy)]
enum Release {
    On(Date),
    /// The record has no date.
    Undated,
    /// There is no record.
    NoRecord,
}

/// An assessment.
pub(crate) struct Assessment {
    pub(crate) id: u64,
    pub(crate) date: Date,
    pub(crate) weight: u32,
    pub(crate) out_of: u32,
    outcome: u64,
    name: String,
}

/// The programme of a subject in a grade and term.
pub(crate) struct Programme {
    pub(crate) term: Term,
    /// The index of the grade, and the index of the subject in it.
    pub(crate) grade: usize,
    pub(crate) subject: usize,
    pub(crate) assessments: [Assessment; ASSESSMENTS],
    release: Release,
}

/// Returns all programmes by year, grade, term and subject.
pub(crate) fn all(
    school: &SampleSchool,
    terms: &[Term],
    subjects: &[Vec<Subject>],
) -> Vec<Programme> {
    let mut programmes = Vec::new();
    for year in terms.chunks(TERMS) {
        for (grade, of_grade) in subjects.iter().enumerate() {
            for term in year {
                for (subject, taught) in of_grade.iter().enumerate() {
                    let number = programmes.len() as u64;
                    let mut random = TopicRandom::for_topic(school.seed, Topic::Programme, number);
                    programmes.push(Programme {
                        term: *term,
                        grade,
                        subject,
                        release: release(term, &mut random),
                        assessments: assessments(number, term, taught, &mut random),
                    });
                }
            }
        }
    }
    programmes
}

/// Returns the index of a programme in the list of all programmes.
pub(crate) fn place(
    subjects: &[Vec<Subject>],
    year: usize,
    grade: usize,
    term: usize,
    subject: usize,
) -> usize {
    let of_grades = |grades: &[Vec<Subject>]| grades.iter().map(Vec::len).sum::<usize>();
    let before = year * of_grades(subjects) + of_grades(&subjects[..grade]);
    before * TERMS + term * subjects[grade].len() + subject
}

fn release(term: &Term, random: &mut TopicRandom) -> Release {
    let days = i64::from(random.below(24));
    match random.below(100) {
        0..55 => {
            let earliest = term.end.saturating_sub(10.days());
            Release::On(calendar::weekday(earliest.saturating_add(days.days())))
        }
        55..90 => Release::Undated,
        _ => Release::NoRecord,
    }
}

fn assessments(
    programme: u64,
    term: &Term,
    subject: &Subject,
    random: &mut TopicRandom,
) -> [Assessment; ASSESSMENTS] {
    let weights = random.pick(&WEIGHTS);
    let outcomes = subject.outcomes();
    let names = table("assessment names");
    let examinations = table("examination names");
    let term_place = usize::try_from(term.number - 1).unwrap();
    let first_name = random.below(u32::try_from(names.len()).unwrap()) as usize;
    std::array::from_fn(|place| {
        let part = u32::try_from(place).unwrap() * 10 + 5 + random.below(8);
        let last = place == ASSESSMENTS - 1;
        Assessment {
            id: FIRST_ASSESSMENT_ID + programme * ASSESSMENTS as u64 + place as u64,
            date: term.day(part, 10 * u32::try_from(ASSESSMENTS).unwrap() + 3),
            weight: weights[place],
            out_of: if last {
                random.pick(&[50, 75, 100])
            } else {
                random.pick(&[10, 20, 25, 30, 40, 50, 60])
            },
            // A term has two outcomes, one for each half.
            outcome: outcomes[(term_place + place / 4) % outcomes.len()],
            name: if last {
                examinations[term_place].to_owned()
            } else {
                let name = names[(first_name + 5 * place) % names.len()];
                format!("{name} {}", term.number)
            },
        }
    })
}

pub(crate) fn blocks(plan: &Plan) -> u64 {
    plan.programmes.len() as u64
}

/// Writes the `learning_program` record of a programme, if it has one, and its `assessment`
/// records.
pub(crate) fn write(plan: &Plan, block: u64, out: &mut String) {
    let programme = &plan.programmes[usize::try_from(block).unwrap()];
    let school_id = plan.school.school_id;
    let grade_id = plan.grades[programme.grade].id;
    let subject_id = plan.subjects[programme.grade][programme.subject].id;
    let year = u64::from(programme.term.year);
    let open = |out| {
        Record::new(out, "learning_program")
            .number("school_id", school_id)
            .number("grade_id", grade_id)
            .number("year", year)
            .number("term", programme.term.number)
            .number("subject_id", subject_id)
    };
    match programme.release {
        Release::On(date) => open(out).shown("mark_release_date", date).end(),
        Release::Undated => open(out).end(),
        Release::NoRecord => {}
    }
    for assessment in &programme.assessments {
        Record::new(out, "assessment")
            .number("school_id", school_id)
            .number("assessment_id", assessment.id)
            .number("grade_id", grade_id)
            .number("year", year)
            .number("term", programme.term.number)
            .number("subject_id", subject_id)
            .number("learning_outcome_id", assessment.outcome)
            .text("assessment_name", &assessment.name)
            .shown("assessment_date", assessment.date)
            .shown("weight", format_args!("{}.00", assessment.weight))
            .number("mark_out_of", u64::from(assessment.out_of))
            .end();
    }
}
