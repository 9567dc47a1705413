//! The check that the data that a question reads was fetched. In a synced school, data that was
//! not fetched is unknown, and is never treated as absent. The data of other schools is
//! complete.

use super::coverage_check::CoverageCheck;
use super::endpoint::Query;
use super::follower_scope::ensure_followed;
use super::view::View;
use crate::error::Result;
use crate::store::SchoolOwner;

/// Fails with `not_synced` if a valid question reads data that was not fetched. `for_one`
/// states that the question asks for one record by its id.
#[inline]
pub(crate) fn ensure_available(question: &dyn Query, view: View<'_>, for_one: bool) -> Result<()> {
    let follows = view.snapshot.follows()?;
    if follows || !view.snapshot.owners().is_empty() {
        check_scope_and_coverage(question, view, for_one)
    } else {
        Ok(())
    }
}

#[cold]
fn check_scope_and_coverage(question: &dyn Query, view: View<'_>, for_one: bool) -> Result<()> {
    if question.broken_rule(view)?.is_some() {
        return Ok(());
    }
    ensure_followed(question, view)?;
    let owners = view.snapshot.owners();
    let has_coverage = match question.about() {
        Some(school) => owners.get(school).has_coverage(),
        None if view.snapshot.follows()? => owners.any(SchoolOwner::has_coverage),
        None => true,
    };
    if !has_coverage {
        return Ok(());
    }
    question.require_coverage(&CoverageCheck { view, for_one })
}
