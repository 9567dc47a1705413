//! The questions of the comparison. An *ask* is a question with its parameters to one school; each
//! question is measured with several asks.

use crate::request::{self, LOGIN};
use anyhow::Result;
use rollbook::{
    Absentees, AssessmentMarks, Engine, LearnerStatus, LearnerSubjects, Learners, SubjectMarks,
    SubjectsPerTerm,
};

/// The time of every ask that is measured: all marks of the year are released.
pub const NOW: i64 = 1_798_700_400;
/// The date of [`NOW`] at every sample school.
pub const TODAY: &str = "2026-12-31";
/// A time in the middle of the year, when only some of the marks are released.
pub const MIDYEAR: i64 = 1_781_164_800;
/// The date of [`MIDYEAR`].
pub const MIDYEAR_TODAY: &str = "2026-06-11";
/// The year of all records.
pub const YEAR: u64 = 2026;
/// The first and the last day of every month of [`YEAR`].
pub const MONTHS: [(&str, &str); 12] = [
    ("2026-01-01", "2026-01-31"),
    ("2026-02-01", "2026-02-28"),
    ("2026-03-01", "2026-03-31"),
    ("2026-04-01", "2026-04-30"),
    ("2026-05-01", "2026-05-31"),
    ("2026-06-01", "2026-06-30"),
    ("2026-07-01", "2026-07-31"),
    ("2026-08-01", "2026-08-31"),
    ("2026-09-01", "2026-09-30"),
    ("2026-10-01", "2026-10-31"),
    ("2026-11-01", "2026-11-30"),
    ("2026-12-01", "2026-12-31"),
];

/// An ask that can be sent to the engine.
pub trait Asked {
    /// Returns the index of the ask among those that are measured together.
    fn number(&self) -> usize;

    /// Sends the ask to the engine as a typed question. The buffer stays empty if nothing is found.
    fn typed(&self, engine: &Engine, out: &mut Vec<u8>) -> Result<bool>;

    /// Sends the ask to the engine as a request of the API.
    fn request(&self, engine: &Engine, out: &mut Vec<u8>) -> Result<()>;
}

/// A question with its parameters, in the terms of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are the parameters of the API")]
pub enum What {
    /// All current learners (4.1).
    Learners,
    /// The current learners of two grades, each with its parents (4.1).
    GradesWithParents([u64; 2]),
    /// One current learner by its id (4.1).
    Learner(u64),
    /// The current learners whose folded name contains this folded text (4.1).
    Name(&'static str),
    /// The learners who left in this range of days (4.1).
    Left {
        since: &'static str,
        until: &'static str,
    },
    /// A learner's assessment marks of the year (4.2).
    MarksOfLearner(u64),
    /// The assessment marks of a grade in a term (4.2).
    MarksOfGrade { grade: u64, term: u64 },
    /// The assessment marks of a grade in a term, for one learning outcome (4.2).
    MarksOfOutcome { grade: u64, term: u64, outcome: u64 },
    /// A learner's subjects by term (4.3).
    SubjectsPerTerm(u64),
    /// A learner's term marks (4.4).
    SubjectMarks(u64),
    /// The subjects of all learners (4.5).
    LearnerSubjects,
    /// The absences in this range of days (4.9).
    Absentees {
        from: &'static str,
        to: &'static str,
    },
}

/// A question with its parameters to one school.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The index of the ask among the asks of its question.
    pub number: usize,
    /// The school.
    pub school: u64,
    /// The question and its parameters.
    pub what: What,
    /// The time of the ask, in seconds since 1970.
    pub now: i64,
    /// The date of `now` at the school.
    pub today: &'static str,
    /// The target of the equivalent request of the API.
    pub target: String,
}

impl Ask {
    /// Creates an ask at [`NOW`].
    pub fn new(number: usize, school: u64, what: What) -> Ask {
        Ask {
            number,
            school,
            what,
            now: NOW,
            today: TODAY,
            target: target(school, what),
        }
    }

    /// Returns the same ask in the middle of the year.
    #[must_use]
    pub fn at_midyear(&self) -> Ask {
        Ask {
            now: MIDYEAR,
            today: MIDYEAR_TODAY,
            ..self.clone()
        }
    }

    fn learners(&self) -> Learners<'_> {
        let mut learners = Learners {
            school: self.school,
            ..Learners::default()
        };
        match &self.what {
            What::GradesWithParents(grades) => {
                learners.grade_ids = grades;
                learners.include_parents = true;
            }
            What::Learner(id) => learners.learner_id = Some(*id),
            What::Name(name) => learners.name = Some(name),
            What::Left { since, until } => {
                learners.status = LearnerStatus::Left;
                learners.since = since.parse().ok();
                learners.until = until.parse().ok();
            }
            _ => {}
        }
        learners
    }

    fn marks(&self) -> AssessmentMarks {
        let mut marks = AssessmentMarks {
            school: self.school,
            ..AssessmentMarks::default()
        };
        match self.what {
            What::MarksOfLearner(id) => marks.learner_id = Some(id),
            What::MarksOfGrade { grade, term } => {
                marks.grade_id = Some(grade);
                marks.term = Some(term);
            }
            What::MarksOfOutcome {
                grade,
                term,
                outcome,
            } => {
                marks.grade_id = Some(grade);
                marks.term = Some(term);
                marks.learning_outcome_id = Some(outcome);
            }
            _ => {}
        }
        marks
    }
}

impl Asked for Ask {
    fn number(&self) -> usize {
        self.number
    }

    fn typed(&self, engine: &Engine, out: &mut Vec<u8>) -> Result<bool> {
        let school = self.school;
        let now = Some(self.now);
        let status = match self.what {
            What::SubjectsPerTerm(learner_id) => {
                engine.ask_into(&SubjectsPerTerm { school, learner_id }, now, out)
            }
            What::SubjectMarks(learner_id) => {
                engine.ask_into(&SubjectMarks { school, learner_id }, now, out)
            }
            What::LearnerSubjects => {
                let question = LearnerSubjects {
                    school,
                    learner_id: None,
                };
                engine.ask_into(&question, now, out)
            }
            What::Absentees { from, to } => {
                let question = Absentees {
                    school,
                    from_date: from.parse().ok(),
                    to_date: to.parse().ok(),
                    ..Absentees::default()
                };
                engine.ask_into(&question, now, out)
            }
            What::MarksOfLearner(_) | What::MarksOfGrade { .. } | What::MarksOfOutcome { .. } => {
                engine.ask_into(&self.marks(), now, out)
            }
            _ => engine.ask_into(&self.learners(), now, out),
        };
        let found = status?.code == 200;
        if !found {
            out.clear();
        }
        Ok(found)
    }

    #[inline]
    fn request(&self, engine: &Engine, out: &mut Vec<u8>) -> Result<()> {
        request::answer(engine, &self.target, &LOGIN, self.now, out)
    }
}

fn target(school: u64, what: What) -> String {
    let marks = format!("currplus/learnerassessmentmarks/{school}");
    let learners = format!("adminplus/learners/{school}");
    let path = match what {
        What::Learners => learners,
        What::GradesWithParents([one, two]) => {
            format!("{learners}?grade_id={one},{two}&include_parents=1")
        }
        What::Learner(id) => format!("{learners}?learner_id={id}"),
        What::Name(name) => format!("{learners}?name={name}"),
        What::Left { since, until } => {
            format!("{learners}?status=left&since={since}&until={until}")
        }
        What::MarksOfLearner(id) => format!("{marks}?learner_id={id}"),
        What::MarksOfGrade { grade, term } => format!("{marks}?grade_id={grade}&term={term}"),
        What::MarksOfOutcome {
            grade,
            term,
            outcome,
        } => format!("{marks}?grade_id={grade}&term={term}&learning_outcome_id={outcome}"),
        What::SubjectsPerTerm(id) => {
            format!("currplus/learnersubjectsperterm/{school}?learner_id={id}")
        }
        What::SubjectMarks(id) => format!("currplus/learnersubjectmarks/{school}?learner_id={id}"),
        What::LearnerSubjects => format!("currplus/learnersubjects/{school}"),
        What::Absentees { from, to } => {
            format!("adminplus/learnerabsentees/{school}?from_date={from}&to_date={to}")
        }
    };
    format!("/api/v1/{path}")
}

/// Returns the asks to a school that have a non-empty answer.
pub fn found(
    engine: &Engine,
    school: u64,
    things: impl IntoIterator<Item = What>,
    answer: &mut Vec<u8>,
) -> Result<Vec<Ask>> {
    let mut asks = Vec::new();
    for what in things {
        let ask = Ask::new(asks.len(), school, what);
        if ask.typed(engine, answer)? {
            asks.push(ask);
        }
    }
    Ok(asks)
}

/// The name of a question in the tables, and the function that returns its parameters for the
/// grades of a school.
type Question = (&'static str, fn(&[u64]) -> Vec<What>);

/// Every question of the comparison, in the order of the tables. A question has many parameters if
/// a single answer would stay in the processor's caches.
pub const QUESTIONS: [Question; 12] = [
    ("all current learners", |_| vec![What::Learners]),
    ("two grades with parents", |grades| {
        let (pairs, _) = grades.as_chunks::<2>();
        pairs
            .iter()
            .map(|pair| What::GradesWithParents(*pair))
            .collect()
    }),
    ("one learner by id", |_| some_learners(What::Learner)),
    ("name search", |_| {
        ["smi", "zoe", "nkosi", "botha", "ndlo", "anna"]
            .map(What::Name)
            .to_vec()
    }),
    ("marks of a learner, a year", |_| {
        some_learners(What::MarksOfLearner)
    }),
    ("marks of a grade, a term", |grades| {
        let (two, three) = (2, 3);
        let marks = |term| {
            move |grade: &u64| What::MarksOfGrade {
                grade: *grade,
                term,
            }
        };
        let second = grades.iter().take(2).map(marks(two));
        second
            .chain(grades.iter().skip(2).take(2).map(marks(three)))
            .collect()
    }),
    ("absentees, a month", |_| {
        [
            ("2026-02-01", "2026-02-28"),
            ("2026-03-01", "2026-03-31"),
            ("2026-05-01", "2026-05-31"),
            ("2026-08-01", "2026-08-31"),
            ("2026-10-01", "2026-10-31"),
        ]
        .map(|(from, to)| What::Absentees { from, to })
        .to_vec()
    }),
    ("learner subjects of a school", |_| {
        vec![What::LearnerSubjects]
    }),
    ("subject marks of a learner", |_| {
        some_learners(What::SubjectMarks)
    }),
    ("subjects per term of a learner", |_| {
        some_learners(What::SubjectsPerTerm)
    }),
    ("left, four months", |_| {
        vec![What::Left {
            since: "2026-08-01",
            until: "2026-11-30",
        }]
    }),
    ("marks of one outcome", |grades| {
        let grade = grades.get(3).copied().unwrap_or(0);
        let of_outcome = |outcome| What::MarksOfOutcome {
            grade,
            term: 2,
            outcome,
        };
        (10..=40).map(of_outcome).collect()
    }),
];

fn some_learners(what: fn(u64) -> What) -> Vec<What> {
    (1..=1000).step_by(17).map(what).collect()
}
