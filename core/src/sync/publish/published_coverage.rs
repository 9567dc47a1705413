//! Updates the coverage of a school from published answers: what each of them covers, and what
//! several cover together.

use super::publication_input::Publication;
use super::reconcile::LearnerLists;
use super::shrink_guard::Quarantine;
use crate::dataset::replication::stored_coverage::{self, CoverageAddition};
use crate::error::Result;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::replication::fetch_log_entry::FetchState;
use crate::store::{Reader, Write};
use crate::sync::resources::resource::{LISTINGS, Resource};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use std::collections::BTreeSet;

/// Stores the coverage that results from a publication, and removes coverage that no longer
/// applies.
pub(crate) fn update_coverage(
    pass: &Publication<'_>,
    write: &mut Write<'_>,
    quarantined: &Quarantine,
    listed: &LearnerLists,
) -> Result<()> {
    let additions = answer_coverage(pass, quarantined);
    stored_coverage::add_coverage(write, pass.school, &additions, pass.as_of)?;
    let coverage_keys = stored_coverage::coverage_keys(write, pass.school)?;
    let joint = joint_coverage(pass, quarantined, &coverage_keys, listed);
    let lost = coverage_keys
        .iter()
        .filter(|coverage_key| is_lost(pass, coverage_key, &joint, listed));
    let lost: Vec<CoverageKey> = lost.copied().collect();
    stored_coverage::remove_coverage(write, pass.school, &lost)?;
    if pass.is_whole {
        for (resource, days) in &pass.days {
            stored_coverage::retain_days(write, pass.school, resource.spec().coverage, days)?;
        }
    }
    // What is covered already remains as old as its quarantined parts.
    let is_new = |of: &CoverageKey| {
        !coverage_keys.contains(of) || !has_quarantined_part(of.kind, quarantined)
    };
    let joint = joint.into_iter().filter(is_new);
    let joint: Vec<CoverageAddition> = joint.map(CoverageAddition::Whole).collect();
    stored_coverage::add_coverage(write, pass.school, &joint, pass.as_of)
}

/// Returns whether an answer is quarantined that is a part of what several answers cover together.
fn has_quarantined_part(kind: CoverageKind, quarantined: &Quarantine) -> bool {
    quarantined.keys().any(|request| match kind {
        CoverageKind::LearnersParents => LISTINGS.contains(&request.resource),
        _ => request.resource == Resource::SubjectsPerTerm,
    })
}

/// Returns whether the coverage lacks something that a single answer of the pass covers.
pub(crate) fn lacks_coverage(
    pass: &Publication<'_>,
    reader: &dyn Reader,
    quarantined: &Quarantine,
) -> Result<bool> {
    let coverage_keys = stored_coverage::coverage_keys(reader, pass.school)?;
    let mut additions = answer_coverage(pass, quarantined).into_iter();
    Ok(additions.any(|addition| match addition {
        CoverageAddition::Whole(coverage_key) => !coverage_keys.contains(&coverage_key),
        CoverageAddition::Days(..) => false,
    }))
}

/// Returns whether a coverage key must be removed: because the other answers no longer imply it, or
/// because sync no longer requests it, as for learners that are in no list and for earlier years.
/// Marks of another year that the app requested are covered until the next pass.
fn is_lost(
    pass: &Publication<'_>,
    coverage_key: &CoverageKey,
    joint: &[CoverageKey],
    listed: &LearnerLists,
) -> bool {
    match coverage_key.kind {
        CoverageKind::LearnersOwnSubjects
        | CoverageKind::SubjectsPerTerm
        | CoverageKind::SubjectMarks => {
            coverage_key.year != pass.year || !listed.has(coverage_key.key.0)
        }
        CoverageKind::StructureOfLearner => {
            let learner = coverage_key.key.0;
            let request = ResourceRequest::of_id(Resource::StructureOfLearner, learner);
            let is_asked = pass.rows.contains_key(&request.coverage_key(0));
            coverage_key.year != pass.year || !is_asked || !listed.has(learner)
        }
        CoverageKind::MarksOfGrade | CoverageKind::StructureOfGrade => {
            let row = pass.rows.get(coverage_key);
            let is_of_pass = row.is_some_and(|row| row.pass == pass.head.pass);
            pass.is_whole && coverage_key.year != pass.year && !is_of_pass
        }
        CoverageKind::LearnerSubjects | CoverageKind::LearnersParents => {
            !joint.contains(coverage_key)
        }
        _ => false,
    }
}

fn answer_coverage(pass: &Publication<'_>, quarantined: &Quarantine) -> Vec<CoverageAddition> {
    let mut additions = Vec::new();
    let has_structures = has_structures(pass, quarantined);
    for request in pass.complete(quarantined) {
        match request.resource {
            Resource::MarksOfGrade | Resource::StructureOfGrade
                if !is_of_year(pass, request.id) =>
            {
                continue;
            }
            Resource::StructureOfLearner if !has_structures => continue,
            Resource::SubjectsPerTerm => {
                let own =
                    CoverageKey::of_id(CoverageKind::LearnersOwnSubjects, pass.year, request.id);
                additions.push(CoverageAddition::Whole(own));
            }
            _ => {}
        }
        additions.push(request.coverage_addition(pass.year));
    }
    additions
}

fn joint_coverage(
    pass: &Publication<'_>,
    quarantined: &Quarantine,
    coverage_keys: &BTreeSet<CoverageKey>,
    listed: &LearnerLists,
) -> Vec<CoverageKey> {
    let mut joint = Vec::new();
    let has = |kind| coverage_keys.contains(&CoverageKey::new(kind));
    let takes = |id: &u64| {
        // Requires the subjects of every current learner.
        coverage_keys.contains(&CoverageKey::of_id(
            CoverageKind::SubjectsPerTerm,
            pass.year,
            *id,
        ))
    };
    if has(CoverageKind::CurrentLearners) && listed.current.iter().all(takes) {
        joint.push(CoverageKey::of_year(
            CoverageKind::LearnerSubjects,
            pass.year,
        ));
    }
    let lists = [
        CoverageKind::CurrentLearners,
        CoverageKind::WaitlistLearners,
    ];
    if lists.into_iter().all(has) && has_parents(pass, quarantined, &has) {
        joint.push(CoverageKey::new(CoverageKind::LearnersParents));
    }
    joint
}

/// Returns whether all answers that contain learners include their parents. An answer that failed
/// or is quarantined leaves the learners unchanged; it counts as including parents if the coverage
/// already has them.
fn has_parents(
    pass: &Publication<'_>,
    quarantined: &Quarantine,
    has: &impl Fn(CoverageKind) -> bool,
) -> bool {
    let had = has(CoverageKind::LearnersParents);
    let has_accounts = has(CoverageKind::AllAccounts);
    let row_of = |resource| {
        let request = ResourceRequest::new(resource);
        let row = pass.rows.get(&request.coverage_key(0));
        row.filter(|row| row.state != FetchState::Failed && !quarantined.contains_key(&request))
    };
    let is_with = |resource| row_of(resource).map_or(had, |row| !row.without_parents);
    LISTINGS.into_iter().all(is_with) && (!has_accounts || is_with(Resource::AllAccounts))
}

/// Returns whether the structure of every grade is up to date: its latest answer has not failed, is
/// not due and is not quarantined.
fn has_structures(pass: &Publication<'_>, quarantined: &Quarantine) -> bool {
    let mut structures = logged_requests(pass.rows).filter(|(request, _)| {
        request.resource == Resource::StructureOfGrade && request.year.is_none()
    });
    structures.all(|(request, row)| {
        row.state != FetchState::Failed && !row.is_due() && !quarantined.contains_key(&request)
    })
}

/// Returns whether the marks of a grade are known to belong to the year that is used as the current
/// one. If no answer shows the current year, it has no marks, and any other year without marks is
/// equivalent.
fn is_of_year(pass: &Publication<'_>, grade: u64) -> bool {
    let is_empty = |year| {
        let row = pass.answer(ResourceRequest {
            year,
            ..ResourceRequest::of_id(Resource::StructureOfGrade, grade)
        });
        row.is_some_and(|row| row.records == 0)
    };
    pass.is_year_shown || is_empty(None) && is_empty(Some(pass.year))
}
