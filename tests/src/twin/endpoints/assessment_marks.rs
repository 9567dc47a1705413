//! 4.2 Get Learner Assessment Marks.

use std::collections::BTreeSet;

use super::super::kinds::Kind;
use super::super::params::{Params, fault};
use super::super::parents::decimal;
use super::super::percentage::result;
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::release::is_released;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

static ASSESSMENT_MARK: Types = Types {
    numbers: &[
        "grade_id",
        "year",
        "term",
        "learner_id",
        "subject_id",
        "learning_outcome_id",
        "assessment_id",
        "weight",
        "percentage",
        "mark",
        "mark_out_of",
    ],
    ids: &[],
    flags: &["captured"],
    records: &[],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "currplus/learnerassessmentmarks",
    v2: "currplus/learnerassessmentmarks",
    family: Some("curriculum"),
    none_found: "No subject mark records found",
    types: &ASSESSMENT_MARK,
    whole: nested,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct AssessmentMarksQuestion {
    learner: Option<u64>,
    grade: Option<u64>,
    subject: Option<u64>,
    year: Option<u64>,
    term: Option<u64>,
    outcome: Option<u64>,
    assessment: Option<u64>,
    structure: bool,
}

impl AssessmentMarksQuestion {
    fn meant(mut self, view: &View<'_>) -> Self {
        self.year = self.year.or(view.year);
        self
    }
}

impl super::Question for AssessmentMarksQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        rows(view, self)
    }

    fn canonical_text(&self, view: &View<'_>) -> String {
        format!("{:?}", self.clone().meant(view))
    }

    fn flat_rows(&self, view: &View<'_>) -> Rows {
        let rows = self.rows(view)?.into_iter();
        Ok(rows.map(|row| flat(view, row)).collect())
    }
}

fn question(params: &mut Params) -> AssessmentMarksQuestion {
    AssessmentMarksQuestion {
        learner: params.integer("learner_id"),
        grade: params.integer("grade_id"),
        subject: params.integer("subject_id"),
        year: params.integer("year"),
        term: params.integer("term"),
        outcome: params.integer("learning_outcome_id"),
        assessment: params.integer("assessment_id"),
        structure: params.switch("structure"),
    }
}

/// Returns the rows by grade, year, term, learner, subject, learning outcome and assessment. These
/// ids are the place of a row.
fn rows(view: &View<'_>, question: &AssessmentMarksQuestion) -> Rows {
    if question.learner.is_none() && question.grade.is_none() {
        return Err(fault(
            &["learner_id", "grade_id"],
            "Please provide a learner_id or grade_id",
        ));
    }
    let Some(year) = question.year.or(view.year) else {
        return Ok(Vec::new());
    };
    let mut rows: Vec<Row> = Vec::new();
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
        let wanted = question.learner.is_none_or(|wanted| learner_id == wanted)
            && matches("grade_id", question.grade)
            && matches("subject_id", question.subject)
            && matches("year", Some(year))
            && matches("term", question.term)
            && matches("learning_outcome_id", question.outcome)
            && matches("assessment_id", question.assessment);
        if wanted && (question.structure || is_released(view, record)) {
            let place = vec![
                record.id("grade_id"),
                record.id("year"),
                record.id("term"),
                learner_id,
                record.id("subject_id"),
                record.id("learning_outcome_id"),
                assessment_id,
            ];
            rows.push((place, leaf(view, record, learner_id, question.structure)));
        }
    }
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(rows)
}

/// Returns the nested object of 2.6. The keys of every level ascend as numbers.
fn nested(view: &View<'_>, rows: &[Row]) -> Json {
    nest(view, rows, 0)
}

/// Returns a row as an object without nesting: the members of the levels above an assessment, then
/// those of the assessment.
fn flat(view: &View<'_>, (place, leaf): Row) -> Row {
    let mut members = Vec::new();
    for (level, id) in place.iter().enumerate().take(6) {
        let name = LEVELS[level];
        members.push((name.to_owned(), Json::Text(id.to_string())));
        members.extend(label(view, level, *id));
    }
    let Json::Object(own) = leaf else {
        unreachable!("an assessment is an object")
    };
    members.extend(own);
    (place, Json::Object(members))
}

/// The names of the ids of the levels above an assessment.
const LEVELS: [&str; 6] = [
    "grade_id",
    "year",
    "term",
    "learner_id",
    "subject_id",
    "learning_outcome_id",
];

/// Returns the name of an item of a level, if items of that level have names.
fn label(view: &View<'_>, level: usize, id: u64) -> Option<(String, Json)> {
    let (name, kind) = match level {
        0 => ("grade", Kind::Grade),
        1 => ("year_name", Kind::Year),
        4 => ("subject_name", Kind::Subject),
        5 => ("learning_outcome_name", Kind::LearningOutcome),
        _ => return None,
    };
    Some((name.to_owned(), Json::Text(view.name(kind, id, name))))
}

/// Returns the pairs of an assessment and a learner: the assessments of the grade, year, subject
/// and terms of a `learner_subject`, and those for which the learner has a `mark`.
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

/// Returns the fields of an assessment; only the first four if `structure` is true.
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

/// Returns the rows, whose first `level` ids are equal, as an object with the next ids as keys.
fn nest(view: &View<'_>, rows: &[Row], level: usize) -> Json {
    let same_id = |a: &Row, b: &Row| a.0[level] == b.0[level];
    let members = rows.chunk_by(same_id).map(|group| {
        let (place, leaf) = &group[0];
        let value = if level == 6 {
            leaf.clone()
        } else {
            item(view, place[level], group, level)
        };
        (place[level].to_string(), value)
    });
    Json::Object(members.collect())
}

/// Returns an item of a level above the assessments: its own fields, then the level below. A grade
/// does not repeat its id, which is its key.
fn item(view: &View<'_>, id: u64, rows: &[Row], level: usize) -> Json {
    let below = [
        "years",
        "terms",
        "learners",
        "subjects",
        "learning_outcomes",
        "assessments",
    ];
    let mut members = Vec::new();
    if level > 0 {
        members.push((LEVELS[level].to_owned(), Json::Text(id.to_string())));
    }
    members.extend(label(view, level, id));
    members.push((below[level].to_owned(), nest(view, rows, level + 1)));
    Json::Object(members)
}
