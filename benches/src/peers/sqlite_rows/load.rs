//! Loading a school.

use crate::peers::rendered::{Place, Rendered};
use anyhow::Result;
use rusqlite::{Connection, params};

/// Adds a school, each table in the order of its key.
pub(super) fn insert(connection: &Connection, rendered: &Rendered<'_>) -> Result<()> {
    let school = rendered.school;
    let year = rendered.year;
    let into = |table: &str, columns: usize| {
        let values = vec!["?"; columns].join(", ");
        connection.prepare(&format!("INSERT INTO {table} VALUES ({values})"))
    };
    into("school", 2)?.execute([school, year])?;
    let mut grade = into("grade", 4)?;
    let mut programme = into("programme", 6)?;
    for sheet in &rendered.sheets {
        grade.execute(params![school, year, sheet.grade, sheet.heading])?;
        for of in &sheet.programmes {
            let row = params![school, year, sheet.grade, of.term, of.subject, of.release];
            programme.execute(row)?;
        }
    }
    let mut learner = into("learner", 10)?;
    for of in rendered.learners.values() {
        let [one, two] = of.parents;
        learner.execute(params![
            school,
            of.id,
            of.status,
            of.grade,
            of.family,
            of.transfer,
            one,
            two,
            of.name,
            of.row,
        ])?;
    }
    let mut parent = into("parent", 3)?;
    for (id, row) in &rendered.parents {
        parent.execute(params![school, id, row])?;
    }
    let mut absentee = into("absentee", 4)?;
    for of in &rendered.absences {
        absentee.execute(params![school, of.day, of.id, of.row])?;
    }
    let mut subject = into("learner_subject", 6)?;
    for of in &rendered.learner_subjects {
        let status = rendered.status(of.learner);
        subject.execute(params![
            school, year, of.learner, of.subject, status, of.row
        ])?;
    }
    let mut per_term = into("subject_per_term", 5)?;
    for of in &rendered.subjects_per_term {
        per_term.execute(params![school, year, of.learner, of.subject, of.row])?;
    }
    let mut term_marks = into("subject_mark", 5)?;
    for of in &rendered.subject_marks {
        term_marks.execute(params![school, year, of.learner, of.subject, of.row])?;
    }
    let mut mark = into("mark", 7)?;
    rendered.each_marks_row(|of| {
        let Place {
            grade,
            term,
            learner,
        } = of.place;
        mark.execute(params![
            school, year, grade, term, learner, of.subject, of.row
        ])?;
        Ok(())
    })
}
