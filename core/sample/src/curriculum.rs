//! The curriculum: grades, their subjects, and the outcomes on which these are assessed.

use crate::Phase;
use crate::line::Record;
use crate::plan::Plan;
use crate::roll::Pupil;
use crate::tables::table;

/// The subjects of a grade have ids from `grade_id × 20`.
const IDS_A_GRADE: u64 = 20;
/// The outcomes of a super subject have ids from `super_subject_id × 10`.
const IDS_A_SUPER_SUBJECT: u64 = 10;

/// A grade of a school. Its id is its index in a list, not the number of the grade.
#[derive(Clone, Copy)]
pub(crate) struct Grade {
    pub(crate) id: u64,
    pub(crate) name: &'static str,
}

/// All grades of the country, those of a primary school first.
const GRADES: [&str; 14] = [
    "RR", "R", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12",
];
const PRIMARY_GRADES: usize = 9;

/// Returns the grades of a school in ascending order.
pub(crate) fn grades(phase: Phase) -> Vec<Grade> {
    let all = (1..).zip(GRADES).map(|(id, name)| Grade { id, name });
    match phase {
        Phase::Primary => all.take(PRIMARY_GRADES).collect(),
        Phase::Secondary => all.skip(PRIMARY_GRADES).collect(),
    }
}

/// The learners of a grade who take a subject.
#[derive(Clone, Copy)]
pub(crate) enum Taken {
    Always,
    /// Those who are taught in Afrikaans (true) or in English (false).
    InAfrikaans(bool),
    /// Those who have chosen one of these packages.
    InPackages(&'static [Package]),
}

/// A choice of learners of grades 10 to 12. Learners of lower grades have no choice.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Package {
    Sciences,
    Commerce,
    Humanities,
}

/// A subject in one grade.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) id: u64,
    pub(crate) super_id: u64,
    pub(crate) taken: Taken,
    /// The name in the names of groups, such as `Afrikaans` of `Afrikaans Home Language`.
    pub(crate) short_name: &'static str,
    pub(crate) super_name: &'static str,
    grade: Grade,
}

impl Subject {
    pub(crate) fn is_taken_by(&self, pupil: &Pupil) -> bool {
        match self.taken {
            Taken::Always => true,
            Taken::InAfrikaans(afrikaans) => pupil.afrikaans == afrikaans,
            Taken::InPackages(packages) => packages.contains(&pupil.package),
        }
    }

    /// Returns the ids of the outcomes on which the subject is assessed.
    pub(crate) fn outcomes(&self) -> Vec<u64> {
        let first = self.super_id * IDS_A_SUPER_SUBJECT;
        let names = outcome_names(self.super_id);
        (first..).zip(names).map(|(id, _)| id).collect()
    }
}

/// The super subjects, each with the table of its outcomes. The id is the index, from 1.
const SUPER_SUBJECTS: [(&str, &str); 29] = [
    ("Afrikaans First Additional Language", "language outcomes"),
    ("Afrikaans Home Language", "language outcomes"),
    ("English First Additional Language", "language outcomes"),
    ("English Home Language", "language outcomes"),
    ("Mathematics", "number outcomes"),
    ("Mathematical Literacy", "number outcomes"),
    ("Life Orientation", "practical outcomes"),
    ("Life Skills", "practical outcomes"),
    ("Beginning Knowledge", "science outcomes"),
    ("Personal and Social Well-being", "society outcomes"),
    ("Creative Arts", "practical outcomes"),
    ("Physical Education", "practical outcomes"),
    ("Coding and Robotics", "practical outcomes"),
    ("Natural Sciences and Technology", "science outcomes"),
    ("Social Sciences", "society outcomes"),
    ("Natural Sciences", "science outcomes"),
    ("Technology", "practical outcomes"),
    ("Economic and Management Sciences", "commerce outcomes"),
    ("Physical Sciences", "science outcomes"),
    ("Life Sciences", "science outcomes"),
    ("Geography", "society outcomes"),
    ("Information Technology", "practical outcomes"),
    ("Accounting", "commerce outcomes"),
    ("Business Studies", "commerce outcomes"),
    ("Economics", "commerce outcomes"),
    ("Computer Applications Technology", "practical outcomes"),
    ("History", "society outcomes"),
    ("Visual Arts", "practical outcomes"),
    ("Tourism", "commerce outcomes"),
];

fn outcome_names(super_id: u64) -> &'static [&'static str] {
    let place = usize::try_from(super_id - 1).unwrap();
    table(SUPER_SUBJECTS[place].1)
}

const LANGUAGES: [(u64, Taken); 4] = [
    (1, Taken::InAfrikaans(false)),
    (2, Taken::InAfrikaans(true)),
    (3, Taken::InAfrikaans(true)),
    (4, Taken::InAfrikaans(false)),
];
const FOUNDATION: [u64; 6] = [5, 9, 10, 11, 12, 13];
const INTERMEDIATE: [u64; 6] = [5, 8, 11, 13, 14, 15];
const SENIOR: [u64; 6] = [5, 7, 15, 16, 17, 18];
const SCIENCES: &[Package] = &[Package::Sciences];
const COMMERCE: &[Package] = &[Package::Commerce];
const HUMANITIES: &[Package] = &[Package::Humanities];
const FURTHER: [(u64, Taken); 14] = [
    (
        5,
        Taken::InPackages(&[Package::Sciences, Package::Commerce]),
    ),
    (6, Taken::InPackages(HUMANITIES)),
    (7, Taken::Always),
    (19, Taken::InPackages(SCIENCES)),
    (20, Taken::InPackages(SCIENCES)),
    (
        21,
        Taken::InPackages(&[Package::Sciences, Package::Humanities]),
    ),
    (22, Taken::InPackages(SCIENCES)),
    (23, Taken::InPackages(COMMERCE)),
    (24, Taken::InPackages(COMMERCE)),
    (25, Taken::InPackages(COMMERCE)),
    (26, Taken::InPackages(COMMERCE)),
    (27, Taken::InPackages(HUMANITIES)),
    (28, Taken::InPackages(HUMANITIES)),
    (29, Taken::InPackages(HUMANITIES)),
];

/// Returns the subjects of a grade in ascending order. Every learner takes eight of them.
pub(crate) fn subjects(grade: Grade) -> Vec<Subject> {
    let always = |ids: [u64; 6]| ids.map(|id| (id, Taken::Always)).to_vec();
    let others = match grade.id {
        1..=5 => always(FOUNDATION),
        6..=8 => always(INTERMEDIATE),
        9..=11 => always(SENIOR),
        _ => FURTHER.to_vec(),
    };
    let first_id = grade.id * IDS_A_GRADE;
    let all = LANGUAGES.into_iter().chain(others);
    (first_id..)
        .zip(all)
        .map(|(id, (super_id, taken))| {
            let super_name = SUPER_SUBJECTS[usize::try_from(super_id - 1).unwrap()].0;
            let is_language = super_id <= LANGUAGES.len() as u64;
            let language = super_name.split(' ').next().filter(|_| is_language);
            Subject {
                id,
                super_id,
                taken,
                short_name: language.unwrap_or(super_name),
                super_name,
                grade,
            }
        })
        .collect()
}

/// Writes the `subject` records of the school.
pub(crate) fn write_subjects(plan: &Plan, out: &mut String) {
    for subject in plan.subjects.iter().flatten() {
        let grade = subject.grade.name;
        Record::new(out, "subject")
            .number("school_id", plan.school.school_id)
            .number("subject_id", subject.id)
            .shown(
                "subject_name",
                format_args!("{} (Gr {grade:0>2})", subject.super_name),
            )
            .shown("super_subject_id", subject.super_id)
            .text("super_subject_name", subject.super_name)
            .end();
    }
}

/// Writes the `learning_outcome` records of the school.
pub(crate) fn write_outcomes(plan: &Plan, out: &mut String) {
    let mut taught: Vec<u64> = plan.subjects.iter().flatten().map(|s| s.super_id).collect();
    taught.sort_unstable();
    taught.dedup();
    for super_id in taught {
        let first = super_id * IDS_A_SUPER_SUBJECT;
        for (id, name) in (first..).zip(outcome_names(super_id)) {
            Record::new(out, "learning_outcome")
                .number("school_id", plan.school.school_id)
                .number("learning_outcome_id", id)
                .text("learning_outcome_name", name)
                .end();
        }
    }
}
