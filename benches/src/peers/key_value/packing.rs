//! Packing a school into runs.

use super::run::{LEARNER_SUBJECTS, LEARNERS, Layout, ROWS, RowKey, RunBuilder};
use super::shared::{MarkPlaces, put_facts, tags};
use super::span::run_key;
use super::{Put, Table};
use crate::peers::rendered::Rendered;
use anyhow::Result;

/// The most bytes of a run that holds several rows: with its key and header it
/// fits a page of 64 KiB.
const FULL: usize = 65_400;

/// Adds a school, each table in the order of its keys.
pub(super) fn put_school(rendered: &Rendered<'_>, put: &mut Put<'_>) -> Result<()> {
    let (school, year) = (rendered.school, rendered.year);
    put_facts(rendered, put)?;

    let mut learners = Packer::new(Table::Learners, LEARNERS, &[school]);
    for of in rendered.learners.values() {
        learners.push((of.id, 0), &tags(of), &of.row, &of.name, put)?;
    }
    learners.close(put)?;

    let mut parents = Packer::new(Table::Parents, ROWS, &[school]);
    for (id, row) in &rendered.parents {
        parents.push((*id, 0), &[], row, "", put)?;
    }
    parents.close(put)?;

    let mut absentees = Packer::new(Table::Absentees, ROWS, &[school]);
    for of in &rendered.absences {
        absentees.push((of.day.into(), of.id), &[], &of.row, "", put)?;
    }
    absentees.close(put)?;

    let of_year = [school, year];
    let mut subjects = Packer::new(Table::LearnerSubjects, LEARNER_SUBJECTS, &of_year);
    for of in &rendered.learner_subjects {
        let status = rendered.status(of.learner);
        subjects.push((of.learner, of.subject), &[status], &of.row, "", put)?;
    }
    subjects.close(put)?;

    for (table, rows) in [
        (Table::SubjectsPerTerm, &rendered.subjects_per_term),
        (Table::SubjectMarks, &rendered.subject_marks),
    ] {
        let mut packer = Packer::new(table, ROWS, &of_year);
        for of in rows {
            packer.push((of.learner, of.subject), &[], &of.row, "", put)?;
        }
        packer.close(put)?;
    }

    let mut places = MarkPlaces::default();
    let mut marks = Packer::new(Table::Marks, ROWS, &[]);
    rendered.each_marks_row(|of| {
        places.add(of.place);
        let partition = [school, year, of.place.grade, of.place.term];
        if marks.partition != partition {
            marks.close(put)?;
            marks.partition = partition.to_vec();
        }
        marks.push((of.place.learner, of.subject), &[], of.row, "", put)
    })?;
    marks.close(put)?;
    places.put(rendered, put)
}

/// Fills the runs of a partition one after the other.
struct Packer {
    table: Table,
    partition: Vec<u64>,
    run: RunBuilder,
}

impl Packer {
    fn new(table: Table, layout: Layout, partition: &[u64]) -> Packer {
        Packer {
            table,
            partition: partition.to_vec(),
            run: RunBuilder::new(layout),
        }
    }

    fn push(
        &mut self,
        key: RowKey,
        tags: &[u64],
        row: &str,
        name: &str,
        put: &mut Put<'_>,
    ) -> Result<()> {
        if self.run.bytes_with(row, name) > FULL {
            self.close(put)?;
        }
        self.run.push(key, tags, row, name)
    }

    /// Puts the run at hand, if it holds anything.
    fn close(&mut self, put: &mut Put<'_>) -> Result<()> {
        let Some(last) = self.run.last() else {
            return Ok(());
        };
        let key = run_key(&self.partition, last);
        put(self.table, &key, &self.run.finish()?)
    }
}
