//! What both layouts keep alike: the facts of a school, the facts that learners
//! are filtered by, and where a learner's marks stand.

use super::key::Key;
use super::store::{Moment, Put};
use crate::ask::{Ask, What};
use crate::peers::rendered::{CURRENT, Day, LEFT, Place, Rendered, Row, Sheet, Table, day};
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// How many facts a learner is filtered by.
pub(super) const TAGS: usize = 6;
pub(super) const STATUS: usize = 0;
const GRADE: usize = 1;
const TRANSFER: usize = 3;
pub(super) const PARENTS: [usize; 2] = [4, 5];
/// A fact that is not there.
pub(super) const NONE: u64 = u64::MAX;

/// Which learners a question wants, but for its name and id.
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

    /// Whether a learner with these facts is wanted.
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

/// Adds a school: its year, its sheets, its rows, and where its marks stand.
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

/// The number of programmes · term, subject and day of release of each · the
/// heading.
fn sheet_value(sheet: &Sheet) -> Vec<u8> {
    let mut value = Key::new(&[sheet.programmes.len() as u64]).to_vec();
    for programme in &sheet.programmes {
        let release = programme.release.unwrap_or(NONE);
        value.extend_from_slice(&Key::new(&[programme.term, programme.subject, release]));
    }
    value.extend_from_slice(sheet.heading.as_bytes());
    value
}

/// The current year of a school.
#[inline]
pub(super) fn year(moment: &Moment<'_>, school: u64) -> Result<u64> {
    let value = moment.get(Table::Schools, &Key::new(&[school]))?;
    let [year] = Key::last(value.context("no such school")?);
    Ok(year)
}

/// Some of the marks of a grade and term.
pub(super) struct Term<'a> {
    pub(super) year: u64,
    pub(super) grade: u64,
    pub(super) term: u64,
    /// The first and the last of the learners.
    pub(super) learners: [u64; 2],
    pub(super) heading: &'a [u8],
    /// The subjects whose marks may be seen.
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

/// Hands on the terms whose marks a question is about.
pub(super) fn each_term(
    moment: &Moment<'_>,
    ask: &Ask,
    released: &mut Vec<u64>,
    mut each: impl FnMut(&Term<'_>) -> Result<()>,
) -> Result<()> {
    let school = ask.school;
    let today = day(ask.today)?;
    let year = year(moment, school)?;
    let mut of_grade = |grade, terms: &mut dyn Iterator<Item = u64>, learners| {
        let key = Key::new(&[school, year, grade]);
        let Some(sheet) = moment.get(Table::Sheets, &key)? else {
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
            let places = moment.get(Table::MarkPlaces, &key)?.unwrap_or_default();
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

/// Reads the subjects of a term that are released from a sheet; gives its
/// heading.
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
