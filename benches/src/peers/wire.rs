//! The records of the API as serde types: what is written to answer, and what
//! a client reads.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A record whose fields are all strings, borrowed from what they are read
/// from where that goes; behind `and`, what else it has.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident<$a:lifetime> { $($field:ident),* $(,)? } $(and { $($rest:tt)* })?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "the fields of the specification")]
        pub struct $name<$a> {
            $(#[serde(borrow)] pub $field: Cow<$a, str>,)*
            $($($rest)*)?
        }
    };
}

record! {
    /// A learner (2.1).
    Learner<'a> {
        id, first_name, last_name, mobile_calling_code, mobile_number, email_address,
        date_of_birth, gender, ethnic_group_id, ethnic_group, home_language_id, home_language,
        tuition_language_id, tuition_language, nationality, admission_number, family_code,
        id_number, passport_number, grade_id, grade, register_class_name,
        register_class_teacher_id, country, province, education_stream, photo_url, parent1_id,
        parent2_id,
    }
    and {
        #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
        pub parents: Option<Vec<Parent<'a>>>,
    }
}

record! {
    /// A parent (2.2).
    Parent<'a> {
        id, title, first_name, last_name, mobile_calling_code, mobile_number, email_address,
        date_of_birth, gender, ethnic_group_id, ethnic_group, residential_address,
        postal_address, home_language_id, home_language, nationality, family_code, id_number,
        passport_number, marital_status_id, marital_status, occupation_status, occupation,
        employment_sector, gross_annual_income,
    }
}

/// A subject that a learner takes (2.3).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the specification")]
pub struct LearnerSubject<'a> {
    #[serde(borrow)]
    pub learner_id: Cow<'a, str>,
    #[serde(borrow)]
    pub first_name: Cow<'a, str>,
    #[serde(borrow)]
    pub last_name: Cow<'a, str>,
    pub subject_id: u64,
    #[serde(borrow)]
    pub subject_name: Cow<'a, str>,
}

record! {
    /// A subject of a learner with its terms (2.4).
    SubjectPerTerm<'a> {
        year, subject_id, subject_name, super_subject_id, super_subject_name, grade_id, grade,
    }
    and {
        #[serde(borrow)]
        pub terms: Vec<SubjectTerm<'a>>,
    }
}

/// A term of a learner's subject (2.4).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields of the specification")]
pub struct SubjectTerm<'a> {
    pub term_id: u64,
    #[serde(borrow)]
    pub term: Cow<'a, str>,
    #[serde(borrow)]
    pub subject_group_id: Cow<'a, str>,
    #[serde(borrow)]
    pub subject_group_name: Cow<'a, str>,
    #[serde(borrow)]
    pub classroom_id: Cow<'a, str>,
    #[serde(borrow)]
    pub classroom_name: Cow<'a, str>,
    #[serde(borrow)]
    pub subject_group_teacher_id: Cow<'a, str>,
}

record! {
    /// A subject of a learner with its term marks (2.5).
    SubjectMarks<'a> { year, subject_id, subject_name, grade_id, grade }
    and {
        #[serde(borrow)]
        pub terms: Vec<TermMark<'a>>,
    }
}

record! {
    /// A term mark (2.5).
    TermMark<'a> { term, mark }
}

record! {
    /// An absence (2.7).
    Absentee<'a> { id, learner_id, absent_date, absent_reason }
}

/// Members of an object in the order in which they stand.
pub type Members<'a, T> = IndexMap<Cow<'a, str>, T>;

/// Assessment marks by grade (2.6).
pub type Marks<'a> = Members<'a, Grade<'a>>;

record! {
    /// A grade with its years.
    Grade<'a> { grade }
    and {
        #[serde(borrow)]
        pub years: Members<'a, Year<'a>>,
    }
}

record! {
    /// A year with its terms.
    Year<'a> { year, year_name }
    and {
        #[serde(borrow)]
        pub terms: Members<'a, Term<'a>>,
    }
}

record! {
    /// A term with its learners.
    Term<'a> { term }
    and {
        #[serde(borrow)]
        pub learners: Members<'a, LearnerMarks<'a>>,
    }
}

record! {
    /// A learner with its subjects.
    LearnerMarks<'a> { learner_id }
    and {
        #[serde(borrow)]
        pub subjects: Members<'a, Subject<'a>>,
    }
}

record! {
    /// A subject with its learning outcomes.
    Subject<'a> { subject_id, subject_name }
    and {
        #[serde(borrow)]
        pub learning_outcomes: Members<'a, LearningOutcome<'a>>,
    }
}

record! {
    /// A learning outcome with its assessments.
    LearningOutcome<'a> { learning_outcome_id, learning_outcome_name }
    and {
        #[serde(borrow)]
        pub assessments: Members<'a, Assessment<'a>>,
    }
}

record! {
    /// An assessment with a learner's mark.
    Assessment<'a> {
        assessment_id, assessment_name, assessment_date, weight, dtime, percentage, mark,
        mark_out_of, captured,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::{QUESTIONS, What};
    use crate::schools::Schools;
    use anyhow::Result;

    fn again<'a, T: Serialize + Deserialize<'a>>(answer: &'a [u8]) -> Result<Vec<u8>> {
        let read: T = serde_json::from_slice(answer)?;
        Ok(serde_json::to_vec(&read)?)
    }

    #[test]
    fn every_answer_is_read_and_written_again() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let schools = Schools::load(1, folder.path())?;
        let mut answer = Vec::new();
        for (_, things) in QUESTIONS {
            for school in &schools.all {
                for ask in schools.asks(school, things)? {
                    ask.typed(&schools.engine, &mut answer)?;
                    let written = match ask.what {
                        What::MarksOfLearner(_)
                        | What::MarksOfGrade { .. }
                        | What::MarksOfOutcome { .. } => again::<Marks<'_>>(&answer)?,
                        What::SubjectsPerTerm(_) => again::<Vec<SubjectPerTerm<'_>>>(&answer)?,
                        What::SubjectMarks(_) => again::<Vec<SubjectMarks<'_>>>(&answer)?,
                        What::LearnerSubjects => again::<Vec<LearnerSubject<'_>>>(&answer)?,
                        What::Absentees { .. } => again::<Vec<Absentee<'_>>>(&answer)?,
                        _ => again::<Vec<Learner<'_>>>(&answer)?,
                    };
                    assert!(written == answer, "{}", ask.target);
                }
            }
        }
        Ok(())
    }
}
