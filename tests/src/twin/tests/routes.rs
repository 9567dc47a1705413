//! Paths, methods and school ids: checked without credentials.

use super::{NOW, bad, error, shown, twin};

fn ask(method: &str, target: &str) -> (u16, String, Option<String>) {
    let answer = twin("").request(NOW, method, target, &[], b"");
    let (status, body) = shown(&answer);
    (status, body, answer.allow)
}

#[test]
fn unknown_paths_are_404() {
    let (status, body) = error(404, "Not found", "Route not found");
    for target in [
        "",
        "/",
        "api/v1/adminplus/learners/1000",
        "/api/v1",
        "/api/v1/adminplus/learners",
        "/api/v1/adminplus/learners/",
        "/api/v1/adminplus/learners//",
        "/api/v1/adminplus/learners//1000",
        "/api/v1/adminplus/learners/1000//",
        "/api/v1/adminplus/learners/1000/1",
        "//api/v1/adminplus/learners/1000",
        "/api/v1/Adminplus/learners/1000",
        "/api/v1/adminplus%2Flearners/1000",
        "/api/v1/adminplus/learners+/1000",
        "/api/v3/adminplus/learners/1000",
        "/api/v1/settings/clients//",
        "/api/v1/finplus/debtmanagement/schools/1/2",
        "/api/v1/currplus/learners/1000",
    ] {
        for method in ["GET", "PATCH", "nonsense"] {
            assert_eq!(
                ask(method, target),
                (status, body.clone(), None),
                "{method} {target}"
            );
        }
    }
}

#[test]
fn known_paths_with_another_method_are_405() {
    let read_only = error(405, "Method not allowed", "Use GET");
    for target in [
        "/api/v1/adminplus/learners/1000",
        "/api/v1/adminplus/learners/x",
        "/api/v1/adminplus/learnerabsentees/1000/?a=b",
        "/api/v1/currplus/learnerassessmentmarks/1000",
        "/api/v1/currplus/learnersubjectsperterm/1000",
        "/api/v1/currplus/learnersubjectmarks/1000",
        "/api/v1/currplus/learnersubjects/1000",
        "/api/v1/finplus/debtmanagement/schools",
        "/api/v1/finplus/debtmanagement/schools/1000",
        "/api/v1/settings/clients",
        "/api/v1/settings/clients/",
    ] {
        for method in ["HEAD", "OPTIONS", "POST", "PATCH", "get", ""] {
            let expected = (405, read_only.1.clone(), Some("GET".to_owned()));
            assert_eq!(ask(method, target), expected, "{method} {target}");
        }
    }
    let (status, body) = error(405, "Method not allowed", "Use GET or PATCH");
    for method in ["HEAD", "POST", "patch"] {
        let expected = (status, body.clone(), Some("GET, PATCH".to_owned()));
        assert_eq!(ask(method, "/api/v1/settings/clients/x"), expected);
    }
}

#[test]
fn a_school_id_is_an_unsigned_integer() {
    let (status, body) = bad("school_login_id must be an unsigned integer");
    for id in [
        "x",
        "+1",
        "-1",
        "1.0",
        "%20",
        "1%2F2",
        "18446744073709551616",
        "%D9%A1",
        "1,2",
        "%2B",
        "%3F",
    ] {
        for path in [
            "adminplus/learners",
            "currplus/learnersubjects",
            "finplus/debtmanagement/schools",
            "settings/clients",
        ] {
            let target = format!("/api/v1/{path}/{id}?learner_id=x");
            assert_eq!(
                ask("GET", &target),
                (status, body.clone(), None),
                "{target}"
            );
        }
    }
    assert_eq!(
        ask("PATCH", "/api/v1/settings/clients/x"),
        (status, body, None)
    );
}

#[test]
fn a_school_id_may_be_spelled_in_many_ways() {
    for target in [
        "/api/v1/adminplus/learnerabsentees/1000",
        "/api/v1/adminplus/learnerabsentees/0001000/",
        "/api/v1/adminplus/learnerabsentees/%31000?",
        "/%61pi/v%31/adminplus/learnerabsentees/00000000000000000000000000001000/?to_date=",
    ] {
        let answer = twin("").request(NOW, "GET", target, &super::demo(), b"");
        assert_eq!(
            shown(&answer),
            error(404, "Not found", "No learner absentee records found"),
            "{target}"
        );
    }
}
