//! Every endpoint of a school, asked at once.

use crate::sample::{PASSWORD, USERNAME};
use rollbook::{Answer, Credentials, Engine, Request, Result};

/// 2026-05-14T12:00:00Z, a school day.
pub const NOW: i64 = 1_778_760_000;

/// The credentials of the sample schools' integrator.
pub fn headers() -> [(&'static str, &'static str); 2] {
    [("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)]
}

/// A target of each endpoint, and of each way through it, for a primary school.
pub fn targets(school: u64) -> Vec<String> {
    let learners = format!("/api/v1/adminplus/learners/{school}");
    let marks = format!("/api/v1/currplus/learnerassessmentmarks/{school}");
    vec![
        learners.clone(),
        format!("{learners}?include_parents=1&grade_id=1,2,3"),
        format!("{learners}?name=an&family_code="),
        format!("{learners}?status=left&since=2026-01-01"),
        format!("{learners}?learner_id=7"),
        format!("{marks}?grade_id=4"),
        format!("{marks}?learner_id=7&term=1"),
        format!("{marks}?grade_id=5&structure=1"),
        format!("/api/v1/currplus/learnersubjectsperterm/{school}?learner_id=7"),
        format!("/api/v1/currplus/learnersubjectmarks/{school}?learner_id=7"),
        format!("/api/v1/currplus/learnersubjects/{school}"),
        format!(
            "/api/v1/adminplus/learnerabsentees/{school}?from_date=2026-05-01&to_date=2026-05-31"
        ),
        format!("/api/v1/adminplus/parents/{school}"),
        format!("/api/v1/adminplus/staffmembers/{school}"),
        format!("/api/v1/adminplus/school/{school}"),
        format!(
            "/api/v1/adminplus/learnerdiscipline/{school}?from_date=2026-05-01&to_date=2026-05-31"
        ),
        format!("/api/v1/adminplus/lookup/grade/{school}"),
        "/api/v1/adminplus/lookup/language".to_owned(),
        "/api/v1/finplus/debtmanagement/schools".to_owned(),
        format!("/api/v1/settings/clients/{school}"),
    ]
}

/// Asks a target as the integrator.
pub fn get(engine: &Engine, target: &str) -> Answer {
    engine.request(&Request {
        target,
        headers: &headers(),
        now: Some(NOW),
        ..Request::default()
    })
}

/// The answers to all targets of a school.
pub fn answers(engine: &Engine, school: u64) -> Vec<Answer> {
    let targets = targets(school);
    targets.iter().map(|target| get(engine, target)).collect()
}

/// The whole export, credentials included.
pub fn export(engine: &Engine) -> Result<String> {
    let mut text = String::new();
    for line in engine.export(Credentials::Keep)? {
        text.push_str(&line?);
        text.push('\n');
    }
    Ok(text)
}

/// The code of the error that something comes to, or `ok`.
pub fn code<T>(result: Result<T>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "ok")
}
