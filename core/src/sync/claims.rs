//! What is seen of a school by answers that were published: by each, and by several
//! together.

use super::ask::{Ask, Listing};
use super::publish::Pass;
use super::told::Told;
use crate::dataset::coverage::{self, Seen};
use crate::error::Result;
use crate::record::coverage::{Part, Unit};
use crate::record::{Kind, Value};
use crate::store::Write;
use std::collections::BTreeSet;

/// Writes down what was seen, and takes back what is seen no longer.
pub(super) fn claim(pass: &Pass<'_>, write: &mut Write<'_>, held: &[Ask]) -> Result<()> {
    let asks: Vec<Ask> = pass.asks(held).iter().map(|(ask, _)| *ask).collect();
    let mut seen = by_each(pass, &asks);
    let together = together(pass, &asks)?;
    if pass.is_whole {
        let lost = lost(pass, write, &together)?;
        coverage::unsee(write, pass.school, &lost)?;
    }
    seen.extend(together.into_iter().map(Seen::Whole));
    coverage::see(write, pass.school, &seen, pass.as_of)
}

/// What follows from several answers no longer, and what nobody asks for any more: learners
/// who are in no list, grades that are none.
fn lost(pass: &Pass<'_>, write: &Write<'_>, together: &[Unit]) -> Result<Vec<Unit>> {
    let complete = pass.complete.iter().map(|(ask, _)| ask);
    let asked = complete.chain(pass.given_up);
    let mut still: BTreeSet<Unit> = asked.map(|ask| ask.unit(pass.year)).collect();
    still.extend(together);
    let units = coverage::units(write, pass.school)?;
    let is_lost = |unit: &Unit| match unit.part {
        Part::LearnersOwnSubjects => {
            let part = Part::SubjectsPerTerm;
            !still.contains(&Unit { part, ..*unit })
        }
        Part::LearnerSubjects
        | Part::LearnersParents
        | Part::LearnersDebtors
        | Part::SubjectsPerTerm
        | Part::SubjectMarks
        | Part::MarksOfGrade
        | Part::StructureOfGrade => !still.contains(unit),
        _ => false,
    };
    Ok(units.into_iter().filter(is_lost).collect())
}

fn by_each(pass: &Pass<'_>, asks: &[Ask]) -> Vec<Seen> {
    let mut seen = Vec::new();
    for ask in asks {
        match *ask {
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

fn together(pass: &Pass<'_>, asks: &[Ask]) -> Result<Vec<Unit>> {
    let mut units = Vec::new();
    let has = |is_it: &dyn Fn(&Ask) -> bool| asks.iter().any(is_it);
    let has_listing =
        |listing| has(&|ask| matches!(ask, Ask::Learners { of, .. } if *of == listing));
    let subjects: BTreeSet<u64> = asks
        .iter()
        .filter_map(|ask| match ask {
            Ask::SubjectsPerTerm(id) => Some(*id),
            _ => None,
        })
        .collect();
    // All of each who is current.
    let mut current = learners(pass.school, pass.complete, Some(Listing::Current))?;
    if has_listing(Listing::Current) && current.all(|id| subjects.contains(&id)) {
        units.push(Unit::of_year(Part::LearnerSubjects, pass.year));
    }
    if has_parents(asks) {
        units.push(Unit::of(Part::LearnersParents));
    }
    let has_accounts =
        |whether: bool| has(&|ask| matches!(ask, Ask::Accounts { all, .. } if *all == whether));
    if has_accounts(true) && has_accounts(false) {
        units.push(Unit::of(Part::LearnersDebtors));
    }
    Ok(units)
}

/// Whether all who tell parents are among these: of all learners that are told of.
pub(super) fn has_parents(asks: &[Ask]) -> bool {
    let mut listings = Listing::ALL.into_iter();
    let lacks = |ask: &Ask| ask.with_less().is_none() && ask.endpoint().has_parents;
    listings.all(|of| asks.contains(&Ask::Learners { of, parents: true }))
        && !asks.iter().any(lacks)
}

/// Whether marks that were asked for are known to be of the year that is taken for the
/// current one. If nothing told that year, the current one has no marks: the other is
/// as good if it has none either.
fn is_of_year(pass: &Pass<'_>, grade: u64, year: Option<u64>) -> bool {
    if pass.is_year_told {
        return true;
    }
    let current = Ask::Marks {
        grade,
        year: None,
        structure: true,
    };
    let is_told = |(ask, told): &(Ask, Told)| {
        let is_it = matches!(ask, Ask::Marks { grade: g, year: Some(_), .. } if *g == grade);
        is_it && !told.is_empty()
    };
    year.is_some() && pass.has(|ask| ask == current) && !pass.complete.iter().any(is_told)
}

/// The learners of a list, or of all.
pub(super) fn learners(
    school: u64,
    complete: &[(Ask, Told)],
    listing: Option<Listing>,
) -> Result<impl Iterator<Item = u64>> {
    let is_asked = |ask: &Ask| matches!(ask, Ask::Learners { of, .. } if listing.is_none_or(|listing| listing == *of));
    let mut ids = BTreeSet::new();
    for (_, told) in complete.iter().filter(|(ask, _)| is_asked(ask)) {
        for record in told.records(school) {
            let record = record?;
            if record.kind == Kind::Learner {
                ids.extend(record.values.get(1).and_then(Value::integer));
            }
        }
    }
    Ok(ids.into_iter())
}
