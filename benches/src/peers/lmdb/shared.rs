//! What both layouts have in common: the sheets of a school, the filter values of learners, and the
//! places of a learner's marks.

use super::key::Key;
use super::store::{Put, Snapshot};
use crate::ask::{Ask, What};
use crate::peers::rendered::{CURRENT, Day, LEFT, Place, Rendered, Row, Sheet, Table, day};
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// The number of filter values of a learner.
pub(super) const TAGS: usize = 6;
pub(super) const STATUS: usize = 0;
const GRADE: usize = 1;
const TRANSFER: usize = 3;
pub(super) const PARENTS: [usize; 2] = [4, 5];
/// An absent filter value.
pub(super) const NONE: u64 = u64::MAX;

/// The filter of a question for learners, except for its name and id.
pub(super) struct Filter {
    status: u64,
    grades: Option<[u64; 2]>,
    transfers: Option<(u64, u64)>,
}

impl Filter {
    pub(super) fn for_question(what: What) -> Result<Filter> {
        let mut filter = Filter {
            status: CURRENT,
            grades: None,
            transfers: None,
        };
        match what {
            What::GradesWithParents(grades) => filter.grades = Some(grades),
            What::Left { since, until } => {
                filter.status = LEFT;
                filter.transfers = Some((day(since)?, day(until)?));
            }
            _ => {}
        }
        Ok(filter)
    }

    /// Returns whether a learner with these filter values passes.
    #[inline]
    pub(super) fn passes(&self, tag: impl Fn(usize) -> u64) -> bool {
        tag(STATUS) == self.status
            && self
                .grades
                .is_none_or(|grades| grades.contains(&tag(GRADE)))
            && self
                .transfers
                .is_none_or(|(since, until)| (since..=until).contains(&tag(TRANSFER)))
    }
}

/// Adds a school: its year, its sheets, its rows, and the places of its marks.
pub(super) fn put_school(
    rendered: &Rendered<'_>,
    put: &mut Put<'_>,
    mut put_row: impl FnMut(&Row<'_>, &mut Put<'_>) -> Result<()>,
) -> Result<()> {
    let (school, year) = (rendered.school, rendered.year);
    put(Table::Schools, &Key::new(&[school]), &Key::new(&[year]))?;
    for sheet in &rendered.sheets {
        let key = Key::new(&[school, year, sheet.grade]);
        put(Table::Sheets, &key, &sheet_value(sheet))?;
    }
    let mut places: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    rendered.each_row(&mut |row| {
        if let (Table::Marks, [.., grade, term], [learner, _]) = (row.table, row.partition, row.key)
        {
            let places = places.entry(*learner).or_default();
            let place = Key::new(&[*grade, *term]);
            if !places.ends_with(&place) {
                places.extend_from_slice(&place);
            }
        }
        put_row(row, put)
    })?;
    for (learner, places) in places {
        let key = Key::new(&[school, year, learner]);
        put(Table::MarkPlaces, &key, &places)?;
    }
    Ok(())
}

/// Returns the value of a sheet: the number of programmes; the term, subject and day of release of
/// each; the heading.
fn sheet_value(sheet: &Sheet) -> Vec<u8> {
    let mut value = Key::new(&[sheet.programmes.len() as u64]).to_vec();
    for programme in &sheet.programmes {
        let release = programme.release.unwrap_or(NONE);
        value.extend_from_slice(&Key::new(&[programme.term, programme.subject, release]));
    }
    value.extend_from_slice(sheet.heading.as_bytes());
    value
}

/// Returns the current year of a school.
#[inline]
pub(super) fn year(snapshot: &Snapshot<'_>, school: u64) -> Result<u64> {
    let value = snapshot.get(Table::Schools, &Key::new(&[school]))?;
    let [year] = Key::last(value.context("no such school")?);
    Ok(year)
}

/// Selected marks of a grade and term.
pub(super) struct Term<'a> {
    pub(super) year: u64,
    pub(super) grade: u64,
    pub(super) term: u64,
    /// The range of learners, both ends included.
    pub(super) learners: [u64; 2],
    pub(super) heading: &'a [u8],
    /// The subjects whose marks are released.
    pub(super) released: &'a [u64],
}

impl Term<'_> {
    #[inline]
    pub(super) fn place(&self, learner: u64) -> Place {
        Place {
            grade: self.grade,
            term: self.term,
            learner,
        }
    }
}

/// Calls `each` for the terms whose marks a question selects.
pub(super) fn each_term(
    snapshot: &Snapshot<'_>,
    ask: &Ask,
    released: &mut Vec<u64>,
    mut each: impl FnMut(&Term<'_>) -> Result<()>,
) -> Result<()> {
    let school = ask.school;
    let today = day(ask.today)?;
    let year = year(snapshot, school)?;
    let mut of_grade = |grade, terms: &mut dyn Iterator<Item = u64>, learners| {
        let key = Key::new(&[school, year, grade]);
        let Some(sheet) = snapshot.get(Table::Sheets, &key)? else {
            return Ok(());
        };
        for term in terms {
            let heading = release(sheet, term, today, released)?;
            each(&Term {
                year,
                grade,
                term,
                learners,
                heading,
                released,
            })?;
        }
        Ok(())
    };
    match ask.what {
        What::MarksOfLearner(learner) => {
            let key = Key::new(&[school, year, learner]);
            let places = snapshot.get(Table::MarkPlaces, &key)?.unwrap_or_default();
            let (places, _) = places.as_chunks::<16>();
            for places in places.chunk_by(|a, b| a.first_chunk::<8>() == b.first_chunk::<8>()) {
                let [grade, _] = Key::last(places.first().context("no places")?);
                let mut terms = places.iter().map(|place| {
                    let [term] = Key::last(place);
                    term
                });
                of_grade(grade, &mut terms, [learner; 2])?;
            }
            Ok(())
        }
        What::MarksOfGrade { grade, term } | What::MarksOfOutcome { grade, term, .. } => {
            of_grade(grade, &mut [term].into_iter(), [0, u64::MAX])
        }
        _ => Ok(()),
    }
}

/// Reads the released subjects of a term from a sheet. Returns the heading of the sheet.
fn release<'a>(
    sheet: &'a [u8],
    term: u64,
    today: Day,
    released: &mut Vec<u64>,
) -> Result<&'a [u8]> {
    let (count, rest) = sheet.split_first_chunk().context("an empty sheet")?;
    let bytes = usize::try_from(u64::from_be_bytes(*count))? * 24;
    let (programmes, heading) = rest.split_at_checked(bytes).context("a cut sheet")?;
    released.clear();
    for programme in programmes.as_chunks::<24>().0 {
        let [of, subject, day] = Key::last(programme);
        if of == term && day <= today {
            released.push(subject);
        }
    }
    Ok(heading)
}
