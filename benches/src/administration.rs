//! Measures the questions of Administration+ that the peers do not answer, in comparison with a
//! copy of the answer. Discipline and absentees are for the same month.

use crate::ask::{Asked, NOW};
use crate::interfaces::{self, InterfaceTimes};
use crate::request::{self, LOGIN};
use crate::timing::Effort;
use anyhow::{Result, ensure};
use rollbook::{
    Absentees, Discipline, Engine, Lookup, LookupList, Parents, Question, StaffMembers,
};

/// A question about a school, and the equivalent request.
struct AdministrationAsk {
    question: Box<dyn Question>,
    target: String,
}

impl Asked for AdministrationAsk {
    fn number(&self) -> usize {
        0
    }

    #[inline]
    fn typed(&self, engine: &Engine, out: &mut Vec<u8>) -> Result<bool> {
        let status = engine.ask_into(&*self.question, Some(NOW), out)?;
        ensure!(status.code == 200, "{}: {}", self.target, status.code);
        Ok(true)
    }

    #[inline]
    fn request(&self, engine: &Engine, out: &mut Vec<u8>) -> Result<()> {
        request::answer(engine, &self.target, &LOGIN, NOW, out)
    }
}

/// Returns the questions with their names. Those with dates are for one month.
fn asks(school: u64) -> [(&'static str, AdministrationAsk); 5] {
    let [from_date, to_date] = ["2026-05-01", "2026-05-31"].map(|date| date.parse().ok());
    let month = "?from_date=2026-05-01&to_date=2026-05-31";
    let ask = |question: Box<dyn Question>, path: String| AdministrationAsk {
        question,
        target: format!("/api/v1/adminplus/{path}"),
    };
    let parents = Parents {
        school,
        parent_id: None,
    };
    let staff = StaffMembers {
        school,
        staff_member_id: None,
    };
    let discipline = Discipline {
        school,
        from_date,
        to_date,
        ..Discipline::default()
    };
    let absentees = Absentees {
        school,
        from_date,
        to_date,
        ..Absentees::default()
    };
    let languages = Lookup {
        list: LookupList::Language,
        id: None,
    };
    [
        (
            "parents of a school",
            ask(Box::new(parents), format!("parents/{school}")),
        ),
        (
            "staff of a school",
            ask(Box::new(staff), format!("staffmembers/{school}")),
        ),
        (
            "discipline, a month",
            ask(
                Box::new(discipline),
                format!("learnerdiscipline/{school}{month}"),
            ),
        ),
        (
            "absentees, a month",
            ask(
                Box::new(absentees),
                format!("learnerabsentees/{school}{month}"),
            ),
        ),
        (
            "languages",
            ask(Box::new(languages), "lookup/language".to_owned()),
        ),
    ]
}

/// Measures each question for a school.
pub fn measure(engine: &Engine, school: u64, effort: Effort) -> Result<Vec<InterfaceTimes>> {
    asks(school)
        .into_iter()
        .map(|(name, ask)| interfaces::measure(name, &[ask], engine, effort))
        .collect()
}
