//! What is seen of a school by answers that were published: by each, and by several
//! together.

use super::ask::{Ask, Listing};
use super::joined::Listed;
use super::publish::Pass;
use crate::dataset::coverage::{self, Seen};
use crate::error::Result;
use crate::record::coverage::{Part, Unit};
use crate::record::ledger::State;
use crate::store::Write;
use std::collections::BTreeSet;

/// Writes down what was seen, and takes back what is seen no longer.
pub(super) fn claim(
    pass: &Pass<'_>,
    write: &mut Write<'_>,
    held: &[Ask],
    listed: &Listed,
) -> Result<()> {
    let seen = by_each(pass, &pass.complete(held));
    coverage::see(write, pass.school, &seen, pass.as_of)?;
    let units = coverage::units(write, pass.school)?;
    let together = together(pass, held, &units, listed);
    let lost = units
        .into_iter()
        .filter(|unit| is_lost(pass, unit, &together, listed));
    let lost: Vec<Unit> = lost.collect();
    coverage::unsee(write, pass.school, &lost)?;
    let together: Vec<Seen> = together.into_iter().map(Seen::Whole).collect();
    coverage::see(write, pass.school, &together, pass.as_of)
}

/// What follows from several answers no longer, and what nobody asks for any more: learners
/// who are in no list, and years that are over.
fn is_lost(pass: &Pass<'_>, unit: &Unit, together: &[Unit], listed: &Listed) -> bool {
    match unit.part {
        Part::LearnersOwnSubjects | Part::SubjectsPerTerm | Part::SubjectMarks => {
            unit.year != pass.year || !listed.has(unit.key.0)
        }
        Part::LearnerSubjects | Part::LearnersParents | Part::LearnersDebtors => {
            !together.contains(unit)
        }
        _ => false,
    }
}

fn by_each(pass: &Pass<'_>, asks: &[Ask]) -> Vec<Seen> {
    let mut seen = Vec::new();
    for ask in asks {
        match *ask {
            // It is seen if all that it leads to is.
            Ask::LearnerSubjects => continue,
            Ask::Marks { grade, year, .. } if !is_of_year(pass, grade, year) => continue,
            Ask::SubjectsPerTerm(learner) => {
                let own = Unit::of_id(Part::LearnersOwnSubjects, pass.year, learner);
                seen.push(Seen::Whole(own));
            }
            _ => {}
        }
        seen.push(ask.seen(pass.year));
    }
    seen
}

fn together(pass: &Pass<'_>, held: &[Ask], units: &BTreeSet<Unit>, listed: &Listed) -> Vec<Unit> {
    let mut together = Vec::new();
    let has = |part| units.contains(&Unit::of(part));
    let takes = |id: &u64| units.contains(&Unit::of_id(Part::SubjectsPerTerm, pass.year, *id));
    // All of each who is current.
    if has(Part::CurrentLearners) && listed.current.iter().all(takes) {
        together.push(Unit::of_year(Part::LearnerSubjects, pass.year));
    }
    let lists = [Part::CurrentLearners, Part::WaitlistLearners];
    if lists.into_iter().all(has) && has_parents(pass, held, has(Part::LearnersParents)) {
        together.push(Unit::of(Part::LearnersParents));
    }
    if has(Part::OpenAccounts) && has(Part::AllAccounts) {
        together.push(Unit::of(Part::LearnersDebtors));
    }
    together
}

/// Whether learners were told with their parents wherever they were told. What was given up
/// or is held is as it was before, when they `had` them or not.
fn has_parents(pass: &Pass<'_>, held: &[Ask], had: bool) -> bool {
    let tells = |ask: Ask| {
        let row = pass.rows.get(&ask.unit(0));
        row.filter(|row| matches!(row.state, State::Told | State::Kept) && !held.contains(&ask))
    };
    let parents = true;
    let mut lists = Listing::ALL
        .map(|of| tells(Ask::Learners { of, parents }))
        .into_iter();
    let accounts = [false, true].map(|all| tells(Ask::Accounts { all, parents }));
    lists.all(|row| row.map_or(had, |row| !row.less))
        && accounts.into_iter().flatten().all(|row| !row.less)
}

/// Whether marks that were asked for are known to be of the year that is taken for the
/// current one. If nothing told that year, the current one has no marks: the other is
/// as good if it has none either.
fn is_of_year(pass: &Pass<'_>, grade: u64, year: Option<u64>) -> bool {
    if pass.is_year_told {
        return true;
    }
    let marks = |year, structure| Ask::Marks {
        grade,
        year,
        structure,
    };
    let is_told = |structure| {
        let row = pass.answer(marks(Some(pass.year), structure));
        row.is_some_and(|row| row.records > 0)
    };
    year.is_some()
        && pass.answer(marks(None, true)).is_some()
        && ![false, true].into_iter().any(is_told)
}
