//! The OpenAPI documents that the packages contain, with examples from the corpus.

use crate::corpus::{Request, Step, cases};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The maximum length in bytes of an answer that is used as an example.
const EXAMPLE: usize = 1_500;

/// Returns the documents and the files that contain them.
pub fn documents() -> Vec<(PathBuf, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/docs");
    let of = |name: &str, document| (folder.join(name), with_examples(document));
    vec![
        of("openapi-v1.json", rollbook::openapi::v1()),
        of("openapi-v2.json", rollbook::openapi::v2()),
    ]
}

/// Returns the text of the file that contains a document.
pub fn text(document: &Value) -> String {
    format!("{document:#}\n")
}

/// Returns the operation of a document that a request calls.
pub fn operation<'a>(document: &'a mut Value, request: &Request) -> Option<&'a mut Value> {
    let path = request.target.split('?').next().unwrap_or_default();
    let fits = |template: &str| {
        let (segments, named) = (path.split('/'), template.split('/'));
        let mut pairs = segments.clone().zip(named.clone());
        segments.count() == named.count()
            && pairs.all(|(segment, named)| {
                named == segment || named.starts_with('{') && segment.parse::<u64>().is_ok()
            })
    };
    let mut paths = document["paths"].as_object_mut()?.iter_mut();
    let (_, item) = paths.find(|(template, _)| fits(template))?;
    item.get_mut(request.method.to_lowercase())
}

/// Adds the first short answer of the corpus to each operation.
fn with_examples(mut document: Value) -> Value {
    let cases = cases();
    for step in cases.iter().flat_map(|case| &case.steps) {
        let Step::Request(_, request) = step else {
            continue;
        };
        let is_short = request.status == 200 && request.answer.len() <= EXAMPLE;
        let Ok(answer) = serde_json::from_str::<Value>(&request.answer) else {
            continue;
        };
        if let Some(operation) = operation(&mut document, request).filter(|_| is_short) {
            let content = &mut operation["responses"]["200"]["content"]["application/json"];
            if content["example"].is_null() {
                content["example"] = answer;
            }
        }
    }
    document
}
