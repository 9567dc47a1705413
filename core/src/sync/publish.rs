//! What was gathered becomes the school's records, in one transaction with what was
//! seen of it.

use super::asked::Asked;
use super::gather::Gathered;
use crate::clock::Offset;
use crate::dataset::coverage::{self, Seen};
use crate::dataset::{self, Line};
use crate::error::{Error, Result};
use crate::record::coverage::{Part, Unit};
use crate::record::field::position;
use crate::record::{Kind, Value};
use crate::store::Store;
use std::borrow::Cow;

const CURRENT_YEAR: usize = position(Kind::School.fields(), "current_year");
const STATUS: usize = position(Kind::Learner.fields(), "status");

/// Publishes the first pass over a school, as of an instant.
pub(super) fn publish(
    store: &Store,
    school: u64,
    mut gathered: Gathered,
    complete: &[Asked],
    as_of: i64,
) -> Result<()> {
    let year = current_year(&mut gathered, school, as_of);
    let mut stage = dataset::Stage::default();
    for (kind, mut values) in gathered.into_records() {
        if kind == Kind::Learner
            && let Some(status) = values.get_mut(STATUS)
            && status.is_empty()
        {
            // Told of by their accounts alone: neither current nor waiting.
            *status = Value::Text(Cow::Borrowed("left"));
        }
        if let Ok(line) = Line::whole(kind, values) {
            stage.push(0, &line, None)?;
        }
    }
    let seen = seen(complete, year);
    store.write(|write| {
        if dataset::has_records(write, school)? {
            return Err(Error::unsupported(
                "syncing a school that has records: remove it first",
            ));
        }
        dataset::commit(write, stage)?;
        coverage::see(write, school, &seen, as_of)
    })
}

/// The school's current year. Where no learner takes a subject nothing tells it, and no
/// answer depends on it: then it is the calendar's.
fn current_year(gathered: &mut Gathered, school: u64, as_of: i64) -> u64 {
    let calendar = u64::from(Offset::DEFAULT.today(as_of).year());
    let values = gathered.of_school(school);
    let Some(slot) = values.get_mut(CURRENT_YEAR) else {
        return calendar;
    };
    if slot.is_empty() {
        *slot = Value::Integer(calendar);
    }
    slot.integer().unwrap_or(calendar)
}

/// What was seen by these answers, each by itself and together.
fn seen(complete: &[Asked], year: u64) -> Vec<Seen> {
    let mut seen: Vec<Seen> = complete
        .iter()
        .filter_map(|asked| asked.seen(year))
        .collect();
    let has = |asked: &[Asked]| asked.iter().all(|asked| complete.contains(asked));
    let of_learners: Vec<u64> = complete
        .iter()
        .filter_map(|asked| match asked {
            Asked::SubjectsPerTerm(learner) => Some(*learner),
            _ => None,
        })
        .collect();
    for learner in of_learners {
        let own = Unit::of_id(Part::LearnersOwnSubjects, year, learner);
        seen.push(Seen::Whole(own));
    }
    // Learners who are known by their accounts alone come with their parents.
    if has(&["current", "waitlist"].map(Asked::Learners)) {
        seen.push(Seen::Whole(Unit::of(Part::LearnersParents)));
    }
    if has(&[false, true].map(|all| Asked::Accounts { all })) {
        seen.push(Seen::Whole(Unit::of(Part::LearnersDebtors)));
    }
    seen
}
