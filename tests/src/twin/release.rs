//! When the marks of a learning programme are released (4.2; `dataset.md`, "Gate").

use super::dates::parse_date;
use super::kinds::Kind;
use super::question::View;
use super::records::Record;

/// As `released` says; else today is on or after the release date or, without one, the term's last day; with
/// neither, never.
pub(crate) fn is_released(view: &View<'_>, assessment: &Record) -> bool {
    let (year, term) = (assessment.id("year"), assessment.id("term"));
    let programme = [
        view.school,
        assessment.id("grade_id"),
        year,
        term,
        assessment.id("subject_id"),
    ];
    let told = |name| view.store.look_up(Kind::LearningProgram, &programme, name);
    match told("released").as_str() {
        "1" => return true,
        "0" => return false,
        _ => {}
    }
    let release = told("mark_release_date");
    let term_end = view
        .store
        .look_up(Kind::Term, &[view.school, year, term], "end_date");
    parse_date(&release)
        .or_else(|| parse_date(&term_end))
        .is_some_and(|day| view.today >= day)
}
