//! The release of the marks of a learning programme (4.2; `decisions.md`, "Dates and time").

use super::dates::parse_date;
use super::kinds::Kind;
use super::question::View;
use super::records::Record;

/// Returns whether the marks are released. If `released` is set, it decides. Otherwise today must
/// be on or after the release date or, without one, the last day of the term. If there is neither,
/// the marks are not released.
pub(crate) fn is_released(view: &View<'_>, assessment: &Record) -> bool {
    let (year, term) = (assessment.id("year"), assessment.id("term"));
    let programme = [
        view.school,
        assessment.id("grade_id"),
        year,
        term,
        assessment.id("subject_id"),
    ];
    let field = |name| view.store.look_up(Kind::LearningProgram, &programme, name);
    match field("released").as_str() {
        "1" => return true,
        "0" => return false,
        _ => {}
    }
    let release = field("mark_release_date");
    let term_end = view
        .store
        .look_up(Kind::Term, &[view.school, year, term], "end_date");
    parse_date(&release)
        .or_else(|| parse_date(&term_end))
        .is_some_and(|day| view.today >= day)
}
