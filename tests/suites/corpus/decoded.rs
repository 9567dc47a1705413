//! Answers as values: an answer read into its type and written again says the same, so no
//! field is missing from the type, and none is of another one.

use rollbook::{Answer, Undecoded, v1, v2};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Compares what an answer to a method and a target says with what its type keeps of it.
pub(crate) fn agrees(method: &str, target: &str, answer: &Answer) -> Result<(), String> {
    let is_v2 = target == "/api/v2" || target.starts_with("/api/v2/");
    let read = match (reader(method, target), answer.status.code) {
        // A state that was so already comes with the client integration.
        (Some(reread), 400) if is_v2 && answer.text().contains("\"data\":{") => reread(answer),
        (_, 400..) if is_v2 => reread::<v2::Refusal>(answer),
        (_, 400..) => reread::<v1::Refusal>(answer),
        (Some(reread), 200) => reread(answer),
        _ => return Ok(()),
    };
    let read = read.map_err(|error| format!("{method} {target}: {error}"))?;
    let mut said = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
    without_nothing(&mut said);
    if read == said {
        return Ok(());
    }
    Err(format!(
        "{method} {target} as values\n  found    {read}\n  expected {said}"
    ))
}

fn reread<T: DeserializeOwned + Serialize>(answer: &Answer) -> Result<Value, Undecoded> {
    let mut read = serde_json::to_value(answer.decode::<T>()?).unwrap();
    without_nothing(&mut read);
    Ok(read)
}

/// A field that is null says as much as one that is not there.
fn without_nothing(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nothing);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nothing),
        _ => {}
    }
}

type Reread = fn(&Answer) -> Result<Value, Undecoded>;

/// The type of the records under a path: all of them, and in v2 one.
fn reader(method: &str, target: &str) -> Option<Reread> {
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    let path = path.strip_suffix('/').unwrap_or(path);
    let (path, has_id) = match path.rsplit_once('/') {
        Some((before, last)) if last.bytes().all(|byte| byte.is_ascii_digit()) => (before, true),
        _ => (path, false),
    };
    if let Some(path) = path.strip_prefix("/api/v1/") {
        return v1_reader(method, path);
    }
    v2_reader(method, path.strip_prefix("/api/v2/")?, has_id)
}

fn v1_reader(method: &str, path: &str) -> Option<Reread> {
    Some(match path {
        _ if method != "GET" => return None,
        "adminplus/learners" => reread::<Vec<v1::Learner>>,
        "adminplus/learnerabsentees" => reread::<Vec<v1::Absentee>>,
        "currplus/learnersubjects" => reread::<Vec<v1::LearnerSubject>>,
        "currplus/learnersubjectsperterm" => reread::<Vec<v1::SubjectPerTerm>>,
        "currplus/learnersubjectmarks" => reread::<Vec<v1::SubjectMarks>>,
        "currplus/learnerassessmentmarks" => reread::<v1::AssessmentMarks>,
        "finplus/debtmanagement/learnerparentinfo" => reread::<Vec<v1::FinanceLearner>>,
        "finplus/debtmanagement/schooldebtors" => reread::<Vec<v1::AccountablePerson>>,
        "finplus/debtmanagement/schools" => reread::<Vec<v1::School>>,
        "settings/clients" => reread::<Vec<v1::Client>>,
        _ => return None,
    })
}

fn v2_reader(method: &str, path: &str, has_id: bool) -> Option<Reread> {
    fn page<T: DeserializeOwned + Serialize>() -> Reread {
        reread::<v2::Collection<T>>
    }
    Some(match (path, has_id) {
        ("settings/clientintegrations", _) if method != "GET" => reread::<v2::IntegrationUpdate>,
        ("adminplus/learners", true) => reread::<v2::Learner>,
        ("adminplus/learners", false) => page::<v2::Learner>(),
        ("adminplus/learnerabsentees", true) => reread::<v2::Absentee>,
        ("adminplus/learnerabsentees", false) => page::<v2::Absentee>(),
        ("currplus/learnersubjects", _) => page::<v2::LearnerSubject>(),
        ("currplus/learnersubjectsperterm", _) => page::<v2::SubjectPerTerm>(),
        ("currplus/learnersubjectmarks", _) => page::<v2::SubjectMarks>(),
        ("currplus/learnerassessmentmarks", _) => page::<v2::AssessmentMark>(),
        ("finplus/debtmanagement/learners", true) => reread::<v2::FinanceLearner>,
        ("finplus/debtmanagement/learners", false) => page::<v2::FinanceLearner>(),
        ("finplus/debtmanagement/accountablepersons", true) => reread::<v2::AccountablePerson>,
        ("finplus/debtmanagement/accountablepersons", false) => page::<v2::AccountablePerson>(),
        ("finplus/debtmanagement/schools", true) => reread::<v2::School>,
        ("finplus/debtmanagement/schools", false) => page::<v2::School>(),
        ("settings/clientintegrations", _) => page::<v2::ClientIntegration>(),
        _ => return None,
    })
}
