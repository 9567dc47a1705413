//! Updates the fetch log after a publication: which answers are published, and which must be
//! requested again.

use super::publication_input::Publication;
use super::reconcile::Reconciliation;
use super::shrink_guard::{Loss, Quarantine};
use crate::dataset;
use crate::dataset::replication::stored_fetch_log;
use crate::error::Result;
use crate::record::replication::fetch_log_entry::{Due, FetchLogEntry, FetchState};
use crate::store::Write;
use crate::sync::resources::resource::{Group, Resource, Selection};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};

/// Updates the rows of the fetch log. Removes the fetched records of answers, except for
/// quarantined answers and the list of grades. Removes the answers about learners that are in no
/// list, so that they are requested again if a learner returns.
pub(crate) fn update_fetch_log(
    pass: &Publication<'_>,
    write: &mut Write<'_>,
    quarantined: &Quarantine,
    outcome: &Reconciliation,
) -> Result<()> {
    let are_all_synced = dataset::are_all_synced(write, pass.school)?;
    // Lookups are deleted only if all schools of the store are synced.
    let is_partial =
        |request: ResourceRequest| !are_all_synced && request.spec().scope == Selection::AllSchools;
    let largest = outcome.losses.largest();
    for request in &pass.fetched {
        let coverage_key = request.coverage_key(0);
        let Some(row) = pass.rows.get(&coverage_key) else {
            continue;
        };
        let is_approved = row.state == FetchState::Approved;
        if let Some(Loss { lost, stored, .. }) = quarantined.get(request).copied() {
            let row = FetchLogEntry {
                state: if is_approved {
                    FetchState::Approved
                } else {
                    FetchState::Quarantined
                },
                lost,
                stored,
                ..*row
            };
            stored_fetch_log::set(write, pass.school, coverage_key, &row)?;
            continue;
        }
        let loss = largest.get(request).filter(|_| !is_approved);
        let Loss { lost, stored, .. } = loss.copied().unwrap_or_default();
        // What the answer has removed when it was published earlier in the pass.
        let is_again = row.pass == pass.head.pass && !row.state.is_quarantined();
        let earlier = if is_again { row.lost } else { 0 };
        let row = FetchLogEntry {
            state: FetchState::Published,
            due: if is_partial(*request) || is_contradicted(*request, row, outcome) {
                Due::ReadAgain
            } else {
                row.due
            },
            lost: lost + earlier,
            stored: stored + earlier,
            ..*row
        };
        match request.resource {
            Resource::Grades => {
                stored_fetch_log::set(write, pass.school, coverage_key, &row)?;
            }
            _ => stored_fetch_log::put(write, pass.school, coverage_key, &row, &[])?,
        }
    }
    for (request, row) in logged_requests(pass.rows) {
        let is_unlisted = matches!(
            request.group(),
            Some((Group::Subjects, learner)) if outcome.listed.lacks(learner)
        );
        if is_unlisted || pass.is_obsolete(request, row) {
            stored_fetch_log::remove(write, pass.school, request.coverage_key(0))?;
        } else if row.state == FetchState::Published && is_of_moved(request, outcome) {
            let due = Due::ReadAgain;
            let row = FetchLogEntry { due, ..*row };
            stored_fetch_log::set(write, pass.school, request.coverage_key(0), &row)?;
        }
    }
    set_marks_due(pass, write, outcome)
}

/// Returns whether another answer contradicts a published one. Answers that contradict each other in
/// every pass are read again once.
fn is_contradicted(
    request: ResourceRequest,
    row: &FetchLogEntry,
    outcome: &Reconciliation,
) -> bool {
    row.is_changed && outcome.contradicted.contains(&request) || is_of_moved(request, outcome)
}

/// Returns whether a request is about the marks of a grade from which or to which an assessment has
/// moved. The answers of both grades are needed to find the values of the assessment.
fn is_of_moved(request: ResourceRequest, outcome: &Reconciliation) -> bool {
    let group = request.group();
    matches!(group, Some((Group::Marks, grade)) if outcome.moved.contains(&grade))
}

/// Marks the subject marks of learners whose marks have changed as due, if they were received before
/// the change: in an earlier pass, or before the marks were requested again in this one.
fn set_marks_due(
    pass: &Publication<'_>,
    write: &mut Write<'_>,
    outcome: &Reconciliation,
) -> Result<()> {
    let again = pass.fetched.iter().filter_map(|request| {
        let row = pass.rows.get(&request.coverage_key(0))?;
        (request.resource == Resource::MarksOfGrade && row.times > 1).then(|| row.age())
    });
    let again = again.max();
    for learner in &outcome.marked {
        let request = ResourceRequest::of_id(Resource::SubjectMarks, *learner);
        let row = pass.rows.get(&request.coverage_key(0));
        let row = row.filter(|row| {
            let is_before = row.pass < pass.head.pass || again.is_some_and(|age| row.age() < age);
            is_before && row.state == FetchState::Published
        });
        if let Some(row) = row {
            let due = Due::Changed;
            let row = FetchLogEntry { due, ..*row };
            stored_fetch_log::set(write, pass.school, request.coverage_key(0), &row)?;
        }
    }
    Ok(())
}
