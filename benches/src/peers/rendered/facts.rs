//! The data for filters and headings, in addition to the pre-rendered rows of a school. It is read
//! from the lines of the dataset.

use super::{CURRENT, Day, LEFT, Programme, Sheet, WAITLIST, day};
use crate::peers::fold::fold;
use crate::peers::line::Line;
use anyhow::{Context, Result, ensure};
use rollbook_tests::sample::SampleSchool;
use std::collections::{BTreeMap, BTreeSet};

/// A learner without its record.
pub(super) struct Learner {
    /// The filter values, as in [`Row::tags`](super::Row::tags).
    pub(super) tags: [Option<u64>; 6],
    /// The first name, a space, and the last name, folded.
    pub(super) name: String,
    /// The end of the target, after the school, that selects this learner.
    pub(super) request: String,
}

/// The data of a school, all of whose records are of its current year.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) year: u64,
    year_name: String,
    grades: BTreeMap<u64, String>,
    term_ends: BTreeMap<u64, Day>,
    /// The programmes by grade, term and subject.
    programmes: BTreeSet<(u64, u64, u64)>,
    releases: BTreeMap<(u64, u64, u64), Day>,
    pub(super) learners: BTreeMap<u64, Learner>,
    /// The days with absences.
    pub(super) absent: BTreeSet<String>,
}

impl Facts {
    pub(super) fn new(school: &SampleSchool) -> Result<Facts> {
        let mut facts = Facts::default();
        // Marks have no such data, and are most of the lines.
        let school = SampleSchool {
            marks: false,
            ..school.clone()
        };
        for line in school.lines() {
            facts.add(&Line::parse(&line)?).context(line)?;
        }
        Ok(facts)
    }

    fn add(&mut self, line: &Line) -> Result<()> {
        let number = |field: &'static str| line.number(field).context(field);
        let programme =
            || anyhow::Ok((number("grade_id")?, number("term")?, number("subject_id")?));
        match &*line.text("type") {
            "school" => self.year = number("current_year")?,
            "year" => self.year_name = line.text("year_name").into_owned(),
            "term" => {
                let end = day(&line.text("end_date"))?;
                self.term_ends.insert(number("term")?, end);
            }
            "grade" => {
                let name = line.text("grade").into_owned();
                self.grades.insert(number("grade_id")?, name);
            }
            "learner" => {
                self.learners.insert(number("id")?, learner(line)?);
            }
            "assessment" => {
                ensure!(number("year")? == self.year, "another year");
                self.programmes.insert(programme()?);
            }
            "learning_program" => {
                let date = line.text("mark_release_date");
                if !date.is_empty() {
                    self.releases.insert(programme()?, day(&date)?);
                }
            }
            "absentee" => {
                self.absent.insert(line.text("absent_date").into_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the sheet of every grade that has assessments.
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

    /// Returns `"9":{"grade":"7","years":{"2026":{"year":"2026",…,"terms":{`.
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

fn learner(line: &Line) -> Result<Learner> {
    let id = line.text("id");
    let date = line.text("transfer_date");
    let (status, request) = match &*line.text("status") {
        "left" => (
            LEFT,
            format!("?learner_id={id}&status=left&since={date}&until={date}"),
        ),
        "waitlist" => (WAITLIST, format!("?learner_id={id}&status=waitlist")),
        _ => (CURRENT, format!("?learner_id={id}")),
    };
    let left = Some(date).filter(|date| !date.is_empty());
    Ok(Learner {
        tags: [
            Some(status),
            line.number("grade_id"),
            line.number("family_code"),
            left.as_deref().map(day).transpose()?,
            line.number("parent1_id"),
            line.number("parent2_id"),
        ],
        name: fold(&line.name()),
        request,
    })
}
