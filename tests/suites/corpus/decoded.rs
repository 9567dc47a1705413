//! Decodes answers: an answer that is decoded into its type and encoded again is unchanged, so the
//! type lacks no field and no field has a wrong type.

use super::typed::question::RESOURCES;
use super::typed::values::{Reread, reread, without_nothing};
use rollbook::{Answer, v1, v2};

/// Compares an answer to a method and a target with its decoded and encoded form.
pub(crate) fn agrees(method: &str, target: &str, answer: &Answer) -> Result<(), String> {
    let is_v2 = target == "/api/v2" || target.starts_with("/api/v2/");
    let read = match (reader(method, target), answer.status.code) {
        // The refusal of a state that is already set contains the client integration.
        (Some(reread), 400) if is_v2 && answer.text().contains("\"data\":{") => reread(answer),
        (_, 400..) if is_v2 => reread::<v2::Refusal>(answer),
        (_, 400..) => reread::<v1::Refusal>(answer),
        (Some(reread), 200) => reread(answer),
        _ => return Ok(()),
    };
    let read = read.map_err(|error| format!("{method} {target}: {error}"))?;
    let mut said: serde_json::Value =
        serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
    without_nothing(&mut said);
    if read == said {
        return Ok(());
    }
    Err(format!(
        "{method} {target} as values\n  found    {read}\n  expected {said}"
    ))
}

/// Returns the reader of the records under a path: of all of them, or of one record in v2.
fn reader(method: &str, target: &str) -> Option<Reread> {
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    let path = path.strip_suffix('/').unwrap_or(path);
    let (path, has_id) = match path.rsplit_once('/') {
        Some((before, last)) if last.bytes().all(|byte| byte.is_ascii_digit()) => (before, true),
        _ => (path, false),
    };
    let mut resources = RESOURCES.iter();
    if let Some(path) = path.strip_prefix("/api/v1/") {
        let found = resources.find(|resource| resource.v1 == path)?;
        return (method == "GET").then_some(found.values.v1);
    }
    let path = path.strip_prefix("/api/v2/")?;
    let found = resources.find(|resource| resource.v2 == path)?;
    Some(if method != "GET" {
        reread::<v2::IntegrationUpdate>
    } else if has_id && found.has_id {
        found.values.one
    } else {
        found.values.page
    })
}
