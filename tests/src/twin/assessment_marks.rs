//! 4.2 Get Learner Assessment Marks.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{Answered, bad_request, not_found};
use super::kinds::Kind;
use super::parents::decimal;
use super::percentage::result;
use super::records::Record;
use super::release::is_released;
use super::render::Json;
use super::request::View;

/// Grade, year, term, learner, subject, learning outcome, assessment.
type Place = [u64; 7];

/// The nested object of 2.6; every key level ascending as a number.
pub(crate) fn assessment_marks(view: &View<'_>) -> Answered {
    let params = view.params;
    let learner = params.integer("learner_id")?;
    let grade = params.integer("grade_id")?;
    let subject = params.integer("subject_id")?;
    let year = params.integer("year")?;
    let term = params.integer("term")?;
    let outcome = params.integer("learning_outcome_id")?;
    let assessment = params.integer("assessment_id")?;
    let structure = params.structure()?;
    if learner.is_none() && grade.is_none() {
        return Err(bad_request("Please provide a learner_id or grade_id"));
    }
    let nothing = || not_found("No subject mark records found");
    let year = year.or_else(|| view.current_year()).ok_or_else(nothing)?;

    let mut rows: BTreeMap<Place, Json> = BTreeMap::new();
    for (assessment_id, learner_id) in pairs(view) {
        let Some(record) = view
            .store
            .get(Kind::Assessment, &[view.school, assessment_id])
        else {
            continue;
        };
        let matches = |field: &str, wanted: Option<u64>| {
            wanted.is_none_or(|wanted| record.id(field) == wanted)
        };
        let wanted = learner.is_none_or(|wanted| learner_id == wanted)
            && matches("grade_id", grade)
            && matches("subject_id", subject)
            && matches("year", Some(year))
            && matches("term", term)
            && matches("learning_outcome_id", outcome)
            && matches("assessment_id", assessment);
        if wanted && (structure || is_released(view, record)) {
            let place = [
                record.id("grade_id"),
                record.id("year"),
                record.id("term"),
                learner_id,
                record.id("subject_id"),
                record.id("learning_outcome_id"),
                assessment_id,
            ];
            rows.insert(place, leaf(view, record, learner_id, structure));
        }
    }
    let rows: Vec<(Place, Json)> = rows.into_iter().collect();
    if rows.is_empty() {
        Err(nothing())
    } else {
        Ok(nest(view, &rows, 0))
    }
}

/// Which assessments belong to which learners: those of the grade, year, subject and terms of a
/// `learner_subject`, and those for which the learner has a `mark`.
fn pairs(view: &View<'_>) -> BTreeSet<(u64, u64)> {
    let mut pairs = BTreeSet::new();
    for taken in view.store.of_school(Kind::LearnerSubject, view.school) {
        for assessment in view.store.of_school(Kind::Assessment, view.school) {
            let same = |field: &str| taken.id(field) == assessment.id(field);
            let listed = taken.terms.contains_key(&assessment.id("term"));
            if listed && same("year") && same("grade_id") && same("subject_id") {
                pairs.insert((assessment.id("assessment_id"), taken.id("learner_id")));
            }
        }
    }
    for mark in view.store.of_school(Kind::Mark, view.school) {
        pairs.insert((mark.id("assessment_id"), mark.id("learner_id")));
    }
    pairs
}

/// The fields of an assessment; only the first four when `structure` is on.
fn leaf(view: &View<'_>, assessment: &Record, learner: u64, structure: bool) -> Json {
    let text = |name: &str| (name.to_owned(), Json::text(assessment.text(name)));
    let number = |name: &str| (name.to_owned(), decimal(assessment.text(name)));
    let mut members = vec![
        text("assessment_id"),
        text("assessment_name"),
        text("assessment_date"),
        number("weight"),
    ];
    if !structure {
        let mark = view.store.get(
            Kind::Mark,
            &[view.school, assessment.id("assessment_id"), learner],
        );
        let result = result(assessment, mark);
        members.push(("dtime".to_owned(), Json::Text(result.dtime)));
        members.push(("percentage".to_owned(), Json::Text(result.percentage)));
        members.push(("mark".to_owned(), Json::Text(result.mark)));
        members.push(number("mark_out_of"));
        members.push(("captured".to_owned(), Json::text(result.captured)));
    }
    Json::Object(members)
}

/// The rows, which agree in the first `level` ids, as an object keyed by the next id.
fn nest(view: &View<'_>, rows: &[(Place, Json)], level: usize) -> Json {
    let same_id = |a: &(Place, Json), b: &(Place, Json)| a.0[level] == b.0[level];
    let members = rows.chunk_by(same_id).map(|group| {
        let (place, leaf) = &group[0];
        let value = if level == 6 {
            leaf.clone()
        } else {
            item(view, place, group, level)
        };
        (place[level].to_string(), value)
    });
    Json::Object(members.collect())
}

/// One item of a level above the assessments: its own fields, then the level below.
fn item(view: &View<'_>, place: &Place, rows: &[(Place, Json)], level: usize) -> Json {
    let id = place[level];
    let own = |name: &str| (name.to_owned(), Json::Text(id.to_string()));
    let named = |name: &str, kind| (name.to_owned(), Json::Text(view.name(kind, id, name)));
    let (mut members, below) = match level {
        0 => (vec![named("grade", Kind::Grade)], "years"),
        1 => (vec![own("year"), named("year_name", Kind::Year)], "terms"),
        2 => (vec![own("term")], "learners"),
        3 => (vec![own("learner_id")], "subjects"),
        4 => (
            vec![own("subject_id"), named("subject_name", Kind::Subject)],
            "learning_outcomes",
        ),
        _ => (
            vec![
                own("learning_outcome_id"),
                named("learning_outcome_name", Kind::LearningOutcome),
            ],
            "assessments",
        ),
    };
    members.push((below.to_owned(), nest(view, rows, level + 1)));
    Json::Object(members)
}
