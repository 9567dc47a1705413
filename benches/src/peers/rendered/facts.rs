//! What filters and headings need of a school beside its rendered rows, from
//! the lines of its dataset.

use super::super::fold::fold;
use super::{Day, Learner, Programme, Sheet, day};
use anyhow::{Context, Result, ensure};
use rollbook_tests::sample::SampleSchool;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// A line of a dataset, as far as it is needed.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    School {
        current_year: u64,
    },
    Year {
        year_name: String,
    },
    Term {
        term: u64,
        end_date: String,
    },
    Grade {
        grade_id: u64,
        grade: String,
    },
    Learner(LearnerLine),
    Assessment {
        grade_id: u64,
        year: u64,
        term: u64,
        subject_id: u64,
    },
    LearningProgram {
        grade_id: u64,
        term: u64,
        subject_id: u64,
        mark_release_date: Option<String>,
    },
    Absentee {
        absent_date: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct LearnerLine {
    id: u64,
    first_name: String,
    last_name: String,
    family_code: String,
    grade_id: String,
    parent1_id: String,
    parent2_id: String,
    status: String,
    transfer_date: Option<String>,
}

/// The facts of a school, all of whose records are of its current year.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) year: u64,
    year_name: String,
    grades: BTreeMap<u64, String>,
    term_ends: BTreeMap<u64, Day>,
    /// By grade, term and subject.
    programmes: BTreeSet<(u64, u64, u64)>,
    releases: BTreeMap<(u64, u64, u64), Day>,
    /// Without their rows.
    pub(super) learners: BTreeMap<u64, Learner>,
    /// The days on which somebody was absent.
    pub(super) absent: BTreeSet<String>,
}

impl Facts {
    pub(super) fn of(school: &SampleSchool) -> Result<Facts> {
        let mut facts = Facts::default();
        // Marks have no facts, and are most of the lines.
        let school = SampleSchool {
            marks: false,
            ..school.clone()
        };
        for line in school.lines() {
            facts.add(serde_json::from_str(&line).context(line)?)?;
        }
        Ok(facts)
    }

    fn add(&mut self, line: Line) -> Result<()> {
        match line {
            Line::School { current_year } => self.year = current_year,
            Line::Year { year_name } => self.year_name = year_name,
            Line::Term { term, end_date } => {
                self.term_ends.insert(term, day(&end_date)?);
            }
            Line::Grade { grade_id, grade } => {
                self.grades.insert(grade_id, grade);
            }
            Line::Learner(line) => {
                self.learners.insert(line.id, learner(&line)?);
            }
            Line::Assessment {
                grade_id,
                year,
                term,
                subject_id,
            } => {
                ensure!(year == self.year, "an assessment of {year}");
                self.programmes.insert((grade_id, term, subject_id));
            }
            Line::LearningProgram {
                grade_id,
                term,
                subject_id,
                mark_release_date,
            } => {
                if let Some(date) = mark_release_date {
                    let programme = (grade_id, term, subject_id);
                    self.releases.insert(programme, day(&date)?);
                }
            }
            Line::Absentee { absent_date } => {
                self.absent.insert(absent_date);
            }
            Line::Other => {}
        }
        Ok(())
    }

    /// The sheet of every grade that is assessed.
    pub(super) fn sheets(&self) -> Result<Vec<Sheet>> {
        let mut sheets: Vec<Sheet> = Vec::new();
        for programme in &self.programmes {
            let &(grade, term, subject) = programme;
            if sheets.last().is_none_or(|last| last.grade != grade) {
                sheets.push(Sheet {
                    grade,
                    heading: self.heading(grade)?,
                    programmes: Vec::new(),
                });
            }
            let release = self.releases.get(programme);
            let programme = Programme {
                term,
                subject,
                release: release.or_else(|| self.term_ends.get(&term)).copied(),
            };
            if let Some(last) = sheets.last_mut() {
                last.programmes.push(programme);
            }
        }
        Ok(sheets)
    }

    /// `"9":{"grade":"7","years":{"2026":{"year":"2026",…,"terms":{`
    fn heading(&self, grade: u64) -> Result<String> {
        let name = self.grades.get(&grade).map_or("", String::as_str);
        let name = serde_json::to_string(name)?;
        let year = self.year;
        let year_name = serde_json::to_string(&self.year_name)?;
        Ok(format!(
            r#""{grade}":{{"grade":{name},"years":{{"{year}":{{"year":"{year}","year_name":{year_name},"terms":{{"#
        ))
    }
}

fn learner(line: &LearnerLine) -> Result<Learner> {
    let number = |text: &str| text.parse().ok();
    Ok(Learner {
        id: line.id,
        status: match line.status.as_str() {
            "left" => super::LEFT,
            "waitlist" => super::WAITLIST,
            _ => super::CURRENT,
        },
        grade: number(&line.grade_id),
        family: number(&line.family_code),
        transfer: line.transfer_date.as_deref().map(day).transpose()?,
        parents: [number(&line.parent1_id), number(&line.parent2_id)],
        name: fold(&format!("{} {}", line.first_name, line.last_name)),
        row: String::new(),
    })
}
