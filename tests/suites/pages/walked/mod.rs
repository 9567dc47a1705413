//! Requests of v2 by the integrator of the sample schools, page by page.

pub(crate) mod types;

use rollbook::{Answer, Engine, Request};
use rollbook_tests::storage::requests::{NOW, headers};
use serde_json::Value;

/// Sends a request of either version; the header contains the school.
pub(crate) fn ask(engine: &Engine, method: &str, target: &str, school: u64, body: &str) -> Answer {
    let school = school.to_string();
    let mut headers = headers().to_vec();
    headers.push(("HTTP-X-SCHOOLID", &school));
    engine.request(&Request {
        method,
        target,
        headers: &headers,
        body: body.as_bytes(),
        now: Some(NOW),
    })
}

/// Requests a path below `/api/v2/`.
pub(crate) fn get(engine: &Engine, target: &str, school: u64) -> Answer {
    ask(engine, "GET", &format!("/api/v2/{target}"), school, "")
}

/// Returns the body of an answer that must be a 200.
pub(crate) fn found(what: &str, answer: &Answer) -> Value {
    assert_eq!(answer.status.code, 200, "{what}: {}", answer.text());
    serde_json::from_str(answer.text()).unwrap()
}

/// Returns the cursor of the next page, if there is one.
pub(crate) fn cursor(page: &Value) -> Option<String> {
    let cursor = page["meta"].get("next_cursor")?;
    Some(cursor.as_str().unwrap().to_owned())
}

/// Returns a target with one more parameter.
pub(crate) fn with(target: &str, parameter: &str) -> String {
    let mark = if target.contains('?') { '&' } else { '?' };
    format!("{target}{mark}{parameter}")
}

/// Returns the pages of a collection, from a cursor on or from the first page.
pub(crate) fn pages(
    target: &str,
    from: Option<String>,
    ask: impl Fn(&str) -> Answer,
) -> Vec<String> {
    let mut pages = Vec::new();
    let mut next = from;
    loop {
        let asked = match &next {
            Some(cursor) => with(target, &format!("cursor={cursor}")),
            None => target.to_owned(),
        };
        let answer = ask(&asked);
        let page = found(&asked, &answer);
        pages.push(answer.text().to_owned());
        next = cursor(&page);
        if next.is_none() {
            return pages;
        }
        assert!(pages.len() < 10_000, "{target} does not end");
    }
}

/// Returns the records of pages.
pub(crate) fn records(pages: &[String]) -> Vec<Value> {
    let mut all = Vec::new();
    for page in pages {
        let page: Value = serde_json::from_str(page).unwrap();
        let records = page["data"].as_array().unwrap();
        let limit = page["meta"]["limit"].as_u64().unwrap();
        assert_eq!(limit, records.len() as u64);
        all.extend(records.iter().cloned());
    }
    all
}

/// Returns targets for every collection of a sample school, each in both orders.
pub(crate) fn collections() -> Vec<String> {
    let targets = [
        "adminplus/learners",
        "adminplus/learners?include_parents=1&status=current",
        "adminplus/learners?status=left&since=2025-06-01",
        "adminplus/learnerabsentees",
        "adminplus/learnerabsentees?from_date=2026-05-01&to_date=2026-05-31",
        "currplus/learnerassessmentmarks?grade_id=4",
        "currplus/learnerassessmentmarks?grade_id=5&structure=1",
        "currplus/learnersubjectsperterm?learner_id=3",
        "currplus/learnersubjectmarks?learner_id=3",
        "currplus/learnersubjects",
        "finplus/debtmanagement/schools",
        "finplus/debtmanagement/learners?include_parents=1&include_accountable_person=1",
        "finplus/debtmanagement/accountablepersons?include_learners=1",
        "settings/clientintegrations",
    ];
    let both = |target: &str| [target.to_owned(), with(target, "reverse_order=1")];
    targets.into_iter().flat_map(both).collect()
}
