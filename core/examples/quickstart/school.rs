//! Generates a school of 1,000 learners in three grades as a dataset. Each learner takes eight
//! subjects with seven assessments per term, which are 224 marks per year.

use std::fmt::{self, Arguments, Write as _};

const LEARNERS: u64 = 1000;
const GRADES: [u64; 3] = [9, 10, 11];
const SUBJECTS: [&str; 8] = [
    "Afrikaans",
    "Art",
    "English",
    "Geography",
    "History",
    "Life Skills",
    "Mathematics",
    "Science",
];
/// The first and the last day of each term.
const TERMS: [(&str, &str); 4] = [
    ("2026-01-14", "2026-03-27"),
    ("2026-04-08", "2026-06-26"),
    ("2026-07-21", "2026-10-02"),
    ("2026-10-12", "2026-12-09"),
];

/// Returns the dataset of the school.
pub(super) fn dataset(school: u64) -> Result<String, fmt::Error> {
    let mut lines = Lines {
        school,
        text: String::new(),
    };
    lines.settings()?;
    for (at, grade) in (0..).zip(GRADES) {
        let learners: Vec<u64> = (1..=LEARNERS).filter(|id| id % 3 == at).collect();
        lines.learners(grade, &learners)?;
        for (term, (_, end)) in (1..).zip(TERMS) {
            lines.marks(grade, term, end, &learners)?;
        }
    }
    Ok(lines.text)
}

struct Lines {
    school: u64,
    text: String,
}

impl Lines {
    fn add(&mut self, kind: &str, fields: Arguments<'_>) -> fmt::Result {
        let Lines { school, text } = self;
        writeln!(text, r#"{{"type":"{kind}","school_id":{school},{fields}}}"#)
    }

    fn settings(&mut self) -> fmt::Result {
        self.add(
            "school",
            format_args!(r#""school_name":"Hillside School","current_year":2026"#),
        )?;
        for api_type in 8..=11 {
            self.add(
                "client_integration",
                format_args!(r#""username":"demo","api_type_id":{api_type},"state":1"#),
            )?;
        }
        self.add("year", format_args!(r#""year":2026"#))?;
        for (term, (start, end)) in (1..).zip(TERMS) {
            let term = format!(r#""year":2026,"term":{term},"term_id":{term}"#);
            self.add(
                "term",
                format_args!(r#"{term},"start_date":"{start}","end_date":"{end}""#),
            )?;
        }
        self.add(
            "learning_outcome",
            format_args!(r#""learning_outcome_id":1,"learning_outcome_name":"Tests""#),
        )?;
        for (subject, name) in (1..).zip(SUBJECTS) {
            self.add(
                "subject",
                format_args!(r#""subject_id":{subject},"subject_name":"{name}""#),
            )?;
        }
        Ok(())
    }

    fn learners(&mut self, grade: u64, learners: &[u64]) -> fmt::Result {
        let name = grade - 2;
        self.add(
            "grade",
            format_args!(r#""grade_id":{grade},"grade":"{name}""#),
        )?;
        for id in learners {
            let learner = format!(r#""id":{id},"first_name":"Learner","last_name":"Number {id}""#);
            self.add(
                "learner",
                format_args!(r#"{learner},"grade_id":{grade},"grade":"{name}""#),
            )?;
            for subject in 1..=SUBJECTS.len() {
                let taken = format!(r#""learner_id":{id},"year":2026,"subject_id":{subject}"#);
                let terms = r#"[{"term":1},{"term":2},{"term":3},{"term":4}]"#;
                self.add(
                    "learner_subject",
                    format_args!(r#"{taken},"grade_id":{grade},"terms":{terms}"#),
                )?;
            }
        }
        Ok(())
    }

    /// Writes the assessments of a grade and term, with the marks of all these learners.
    fn marks(&mut self, grade: u64, term: u64, day: &str, learners: &[u64]) -> fmt::Result {
        for (subject, number) in (1..)
            .zip(SUBJECTS)
            .flat_map(|(id, _)| (1..=7).map(move |n| (id, n)))
        {
            let id = grade * 1000 + term * 100 + subject * 10 + number;
            let place =
                format!(r#""grade_id":{grade},"year":2026,"term":{term},"subject_id":{subject}"#);
            let name = format!(r#""learning_outcome_id":1,"assessment_name":"Test {number}""#);
            self.add(
                "assessment",
                format_args!(
                    r#""assessment_id":{id},{place},{name},"assessment_date":"{day}","weight":10,"mark_out_of":50"#
                ),
            )?;
            for learner in learners {
                let mark = (learner * 7 + id) % 51;
                self.add(
                    "mark",
                    format_args!(
                        r#""assessment_id":{id},"learner_id":{learner},"mark":{mark},"dtime":"{day} 14:00:00""#
                    ),
                )?;
            }
        }
        Ok(())
    }
}
