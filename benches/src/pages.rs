//! Measures pages of v2 in comparison with a copy of the answer.

use crate::ask::Asked;
use crate::interfaces::{self, InterfaceTimes};
use crate::request::{self, LOGIN};
use crate::timing::Effort;
use anyhow::{Result, ensure};
use rollbook::{
    Absentees, AccountablePersons, AssessmentMarks, Engine, FinanceLearners, LearnerSubjects,
    Learners, Page, Question,
};
use rollbook_tests::sample::SampleSchool;

/// The number of records of a page.
pub const LIMIT: u64 = 50;

/// The time of the requests: all marks of the year are released.
const NOW: i64 = crate::ask::NOW;

/// A collection that is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the table says what they are")]
pub enum Walked {
    Learners,
    LearnersWithParents,
    Absentees,
    LearnerSubjects,
    Marks,
    FinanceLearners,
    AccountablePersons,
}

/// Every collection that is walked, with its name in the table.
pub const WALKED: [(&str, Walked); 7] = [
    ("learners", Walked::Learners),
    ("learners with parents", Walked::LearnersWithParents),
    ("absentees, a month", Walked::Absentees),
    ("learner subjects", Walked::LearnerSubjects),
    ("marks of a grade", Walked::Marks),
    ("finance learners", Walked::FinanceLearners),
    (
        "accountable persons with learners",
        Walked::AccountablePersons,
    ),
];

/// A page of a school's collection.
#[derive(Debug, Clone)]
pub struct PageAsk {
    number: usize,
    school: u64,
    grade: u64,
    walked: Walked,
    cursor: Option<String>,
    target: String,
}

impl PageAsk {
    fn new(number: usize, school: u64, grade: u64, walked: Walked, cursor: Option<&str>) -> Self {
        let path = match walked {
            Walked::Learners => "adminplus/learners?".to_owned(),
            Walked::LearnersWithParents => "adminplus/learners?include_parents=1&".to_owned(),
            Walked::Absentees => {
                "adminplus/learnerabsentees?from_date=2026-05-01&to_date=2026-05-31&".to_owned()
            }
            Walked::LearnerSubjects => "currplus/learnersubjects?".to_owned(),
            Walked::Marks => format!("currplus/learnerassessmentmarks?grade_id={grade}&"),
            Walked::FinanceLearners => "finplus/debtmanagement/learners?".to_owned(),
            Walked::AccountablePersons => {
                "finplus/debtmanagement/accountablepersons?include_learners=1&".to_owned()
            }
        };
        let cursor = cursor.map(str::to_owned);
        let after = cursor.as_ref().map(|cursor| format!("&cursor={cursor}"));
        PageAsk {
            number,
            school,
            grade,
            walked,
            target: format!("/api/v2/{path}limit={LIMIT}{}", after.unwrap_or_default()),
            cursor,
        }
    }

    fn page(&self, engine: &Engine, question: &impl Question, out: &mut Vec<u8>) -> Result<bool> {
        let page = Page {
            cursor: self.cursor.as_deref(),
            limit: Some(LIMIT),
            reverse_order: false,
        };
        let status = engine.page_into(question, &page, Some(NOW), out)?;
        ensure!(status.code == 200, "{}: {}", self.target, status.code);
        Ok(true)
    }
}

impl Asked for PageAsk {
    fn number(&self) -> usize {
        self.number
    }

    #[inline]
    fn typed(&self, engine: &Engine, out: &mut Vec<u8>) -> Result<bool> {
        let school = self.school;
        match self.walked {
            Walked::Learners | Walked::LearnersWithParents => {
                let learners = Learners {
                    school,
                    include_parents: self.walked == Walked::LearnersWithParents,
                    ..Learners::default()
                };
                self.page(engine, &learners, out)
            }
            Walked::Absentees => {
                let absentees = Absentees {
                    school,
                    from_date: "2026-05-01".parse().ok(),
                    to_date: "2026-05-31".parse().ok(),
                    ..Absentees::default()
                };
                self.page(engine, &absentees, out)
            }
            Walked::LearnerSubjects => {
                let subjects = LearnerSubjects {
                    school,
                    learner_id: None,
                };
                self.page(engine, &subjects, out)
            }
            Walked::Marks => {
                let marks = AssessmentMarks {
                    school,
                    grade_id: Some(self.grade),
                    ..AssessmentMarks::default()
                };
                self.page(engine, &marks, out)
            }
            Walked::FinanceLearners => {
                let learners = FinanceLearners {
                    school,
                    ..FinanceLearners::default()
                };
                self.page(engine, &learners, out)
            }
            Walked::AccountablePersons => {
                let persons = AccountablePersons {
                    school,
                    include_learners: true,
                    ..AccountablePersons::default()
                };
                self.page(engine, &persons, out)
            }
        }
    }

    #[inline]
    fn request(&self, engine: &Engine, out: &mut Vec<u8>) -> Result<()> {
        let school = self.school.to_string();
        let [username, password] = LOGIN;
        let headers = [username, password, ("HTTP-X-SCHOOLID", &school)];
        request::answer(engine, &self.target, &headers, NOW, out)
    }
}

/// Returns the full pages of a school's collection, at most twenty.
pub fn asks(engine: &Engine, school: &SampleSchool, walked: Walked) -> Result<Vec<PageAsk>> {
    let grade = school.grade_ids().first().copied().unwrap_or(0);
    let mut asks: Vec<PageAsk> = Vec::new();
    let mut cursor: Option<String> = None;
    let mut answer = Vec::new();
    // This is more than the processor's first-level cache contains.
    while asks.len() < 20 {
        let ask = PageAsk::new(
            asks.len(),
            school.school_id,
            grade,
            walked,
            cursor.as_deref(),
        );
        ask.typed(engine, &mut answer)?;
        let text = std::str::from_utf8(&answer)?;
        let Some((_, next)) = text.rsplit_once("\"next_cursor\":\"") else {
            break;
        };
        cursor = Some(next.trim_end_matches("\"}}").to_owned());
        asks.push(ask);
    }
    Ok(asks)
}

/// Measures a page of each collection of a school.
pub fn measure(
    engine: &Engine,
    school: &SampleSchool,
    effort: Effort,
) -> Result<Vec<InterfaceTimes>> {
    WALKED
        .into_iter()
        .map(|(name, walked)| {
            let asks = asks(engine, school, walked)?;
            interfaces::measure(name, &asks, engine, effort)
        })
        .collect()
}
