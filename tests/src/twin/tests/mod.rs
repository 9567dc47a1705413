//! The naive implementation against the published samples, the rules and the exact texts.

mod access;
mod assessments;
mod curriculum;
mod export;
mod faults;
mod finance;
mod learners;
mod parameters;
mod published;
mod routes;
mod state;
mod transactions;
mod v2_checks;
mod v2_integrations;
mod v2_pages;
mod v2_published;
mod v2_records;
mod v2_walks;

use super::{Counts, Summary, Twin, TwinAnswer};

/// 2026-05-14T08:00:00Z
pub(super) const NOW: i64 = 1_778_745_600;

/// A school 1000 that has authorised `demo` for active API types of every family, in the year 2026.
pub(super) const SCHOOL: &str = r#"
{"type":"school","school_id":1000,"school_name":"d6+ Primary School","admin_email_address":"support@d6plus.co.za","telephone_calling_code":"27","telephone_number":"0123334444","current_year":2026}
{"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}
{"type":"api_type","api_type_id":9,"api_type":"Curriculum+ API","family":"curriculum"}
{"type":"api_type","api_type_id":12,"api_type":"Parents","family":"parents"}
{"type":"integrator","username":"demo","password":"demo"}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"state":1}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":9,"state":1}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":12,"state":1}
"#;

/// The finance API type, authorised and active.
pub(super) const FINANCE: &str = r#"
{"type":"api_type","api_type_id":3,"api_type":"Finance+ API","family":"finance"}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":3,"state":1}
"#;

/// The lines of a dataset that is written as one text.
pub(super) fn lines(text: &str) -> Vec<String> {
    text.trim().lines().map(str::to_owned).collect()
}

/// A store with the school and more.
pub(super) fn twin(more: &str) -> Twin {
    let mut twin = Twin::default();
    twin.apply(&lines(SCHOOL)).unwrap();
    twin.apply(&lines(more)).unwrap();
    twin
}

/// What an apply of more lines is refused with.
pub(super) fn refused(twin: &Twin, more: &str) -> String {
    twin.clone().apply(&lines(more)).unwrap_err()
}

/// The credentials of `demo`.
pub(super) fn demo() -> Vec<(String, Vec<u8>)> {
    vec![
        ("HTTP-X-USERNAME".to_owned(), b"demo".to_vec()),
        ("HTTP-X-PASSWORD".to_owned(), b"demo".to_vec()),
    ]
}

/// A GET as `demo` at [`NOW`]: status and body.
pub(super) fn get(twin: &Twin, target: &str) -> (u16, String) {
    get_at(twin, NOW, target)
}

/// A GET as `demo` at an instant.
pub(super) fn get_at(twin: &Twin, now: i64, target: &str) -> (u16, String) {
    shown(
        &twin
            .clone()
            .request(now, "GET", &format!("/api/v1{target}"), &demo(), b""),
    )
}

/// A GET of v2 as `demo` for school 1000 at [`NOW`].
pub(super) fn get_v2(twin: &Twin, target: &str) -> (u16, String) {
    get_v2_at(twin, NOW, target)
}

/// A GET of v2 as `demo` for school 1000 at an instant.
pub(super) fn get_v2_at(twin: &Twin, now: i64, target: &str) -> (u16, String) {
    let headers = of_school("1000");
    let target = format!("/api/v2{target}");
    shown(&twin.clone().request(now, "GET", &target, &headers, b""))
}

/// The credentials of `demo` and a header that names the school.
pub(super) fn of_school(school: &str) -> Vec<(String, Vec<u8>)> {
    let header = ("HTTP-X-SCHOOLID".to_owned(), school.as_bytes().to_vec());
    [demo(), vec![header]].concat()
}

/// A refusal of v2.
pub(super) fn refused_v2(status: u16, message: &str) -> (u16, String) {
    (
        status,
        format!(r#"{{"success":false,"message":"{message}"}}"#),
    )
}

/// A 400 of v2 with these members of `validation_errors`.
pub(super) fn invalid(errors: &str) -> (u16, String) {
    (
        400,
        format!(
            r#"{{"success":false,"message":"Validation Failed","validation_errors":{{{errors}}}}}"#
        ),
    )
}

/// The only page of a collection of v2.
pub(super) fn whole(records: &str, count: usize) -> (u16, String) {
    (
        200,
        format!(r#"{{"data":[{records}],"meta":{{"limit":{count},"max_allowed_limit":50}}}}"#),
    )
}

/// A state update as `demo`.
pub(super) fn patch(twin: &mut Twin, school: &str, body: &str) -> (u16, String) {
    let target = format!("/api/v1/settings/clients/{school}");
    shown(&twin.request(NOW, "PATCH", &target, &demo(), body.as_bytes()))
}

/// Status and body.
pub(super) fn shown(answer: &TwinAnswer) -> (u16, String) {
    (
        answer.status,
        String::from_utf8(answer.body.clone()).unwrap(),
    )
}

/// An error body.
pub(super) fn error(status: u16, title: &str, description: &str) -> (u16, String) {
    (
        status,
        format!(r#"{{"error":"{title}","error_description":"{description}"}}"#),
    )
}

/// A 400.
pub(super) fn bad(description: &str) -> (u16, String) {
    error(400, "Bad Request", description)
}

/// The counts of one kind: added, changed, removed, unchanged.
pub(super) fn counts(summary: &Summary, kind: &str) -> [u64; 4] {
    let Counts {
        added,
        changed,
        removed,
        unchanged,
    } = summary.get(kind).copied().unwrap_or_default();
    [added, changed, removed, unchanged]
}
