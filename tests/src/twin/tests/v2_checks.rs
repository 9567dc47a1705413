//! The checks of v2, their order and their exact texts.

use super::{
    FINANCE, NOW, demo, get_v2, invalid, lines, of_school, refused_v2, shown, twin, whole,
};

const COLLECTIONS: [&str; 8] = [
    "/adminplus/learners",
    "/adminplus/learnerabsentees",
    "/currplus/learnerassessmentmarks",
    "/currplus/learnersubjectsperterm",
    "/currplus/learnersubjectmarks",
    "/currplus/learnersubjects",
    "/finplus/debtmanagement/learners",
    "/finplus/debtmanagement/accountablepersons",
];

fn ask(method: &str, target: &str, headers: &[(String, Vec<u8>)]) -> (u16, String, Option<String>) {
    let answer = twin(FINANCE).request(NOW, method, target, headers, b"");
    let (status, body) = shown(&answer);
    (status, body, answer.allow)
}

#[test]
fn unknown_paths_are_404() {
    let (status, body) = refused_v2(404, "Route not found");
    for target in [
        "/api/v2",
        "/api/v2/",
        "/api/v2?a",
        "/%61pi/v%32/x",
        "/api/v2//adminplus/learners",
        "/api/v2/adminplus/learners//",
        "/api/v2/adminplus/learners/1/2",
        "/api/v2/adminplus/learners/1000/1",
        "/api/v2/Adminplus/learners",
        "/api/v2/adminplus%2Flearners",
        "/api/v2/currplus/learnersubjects/1",
        "/api/v2/currplus/learnersubjectsperterm/1",
        "/api/v2/currplus/learnersubjectmarks/1",
        "/api/v2/currplus/learnerassessmentmarks/1",
        "/api/v2/settings/clientintegrations/1",
        "/api/v2/settings/clients",
        "/api/v2/finplus/debtmanagement/learnerparentinfo",
        "/api/v2/finplus/debtmanagement/schooldebtors/1",
    ] {
        for method in ["GET", "POST", "nonsense"] {
            assert_eq!(
                ask(method, target, &[]),
                (status, body.clone(), None),
                "{target}"
            );
        }
    }
    // Not below the second version.
    for target in [
        "//api/v2",
        "/api/v22/x",
        "/api/V2/x",
        "/api%2Fv2/x",
        "/api//v2/x",
    ] {
        let (status, body, _) = ask("GET", target, &[]);
        assert!(
            status == 404 && body.starts_with(r#"{"error":"#),
            "{target}: {body}"
        );
    }
}

#[test]
fn known_paths_with_another_method_are_405() {
    let read = refused_v2(405, "Use GET");
    let write = refused_v2(405, "Use GET, POST or PATCH");
    for method in ["HEAD", "OPTIONS", "PUT", "DELETE", "get", "post"] {
        let target = "/api/v2/settings/clientintegrations/";
        let allow = Some("GET, POST, PATCH".to_owned());
        assert_eq!(ask(method, target, &[]), (write.0, write.1.clone(), allow));
    }
    for path in COLLECTIONS.into_iter().chain([
        "/adminplus/learners/x",
        "/finplus/debtmanagement/schools",
        "/finplus/debtmanagement/schools/1",
    ]) {
        for method in ["HEAD", "POST", "PATCH", "get"] {
            let target = format!("/api/v2{path}");
            let allow = Some("GET".to_owned());
            assert_eq!(
                ask(method, &target, &[]),
                (read.0, read.1.clone(), allow),
                "{target}"
            );
        }
    }
}

#[test]
fn ids_in_header_and_path_come_before_credentials() {
    let header = |value: &str| vec![("http-x-SchoolId".to_owned(), value.as_bytes().to_vec())];
    let get = |path: &str, headers: &[(String, Vec<u8>)]| {
        let (status, body, _) = ask("GET", &format!("/api/v2{path}"), headers);
        (status, body)
    };
    let required = r#""HTTP-X-SCHOOLID":"HTTP-X-SCHOOLID is required""#;
    let malformed = r#""HTTP-X-SCHOOLID":"HTTP-X-SCHOOLID must be an unsigned integer""#;
    for path in COLLECTIONS {
        assert_eq!(get(path, &[]), invalid(required), "{path}");
        assert_eq!(get(path, &header("")), invalid(required), "{path}");
        for value in ["x", "-1", " 1000", "1000.0", "18446744073709551616"] {
            assert_eq!(
                get(path, &header(value)),
                invalid(malformed),
                "{path} {value}"
            );
        }
        let no_access = refused_v2(401, "Client has not authorised access");
        assert_eq!(get(path, &header("1000")), no_access, "{path}");
    }
    for (path, name) in [
        ("/adminplus/learners", "learner_id"),
        ("/adminplus/learnerabsentees", "id"),
        ("/finplus/debtmanagement/learners", "learner_id"),
        (
            "/finplus/debtmanagement/accountablepersons",
            "accountable_person_id",
        ),
    ] {
        let fault = format!(r#""{name}":"{name} must be an unsigned integer""#);
        let path = format!("{path}/%2B1");
        assert_eq!(get(&path, &header("1000")), invalid(&fault));
        assert_eq!(
            get(&path, &header("x")),
            invalid(&format!("{malformed},{fault}"))
        );
        assert_eq!(get(&path, &[]), invalid(&format!("{required},{fault}")));
    }
    assert_eq!(
        get("/finplus/debtmanagement/schools/x", &header("x")),
        invalid(r#""school_id":"school_id must be an unsigned integer""#)
    );
    // The last header counts; schools and client integrations have none.
    let twice = [header("x"), of_school("0001000")].concat();
    assert_eq!(get("/adminplus/learners", &twice), whole("", 0));
    for path in [
        "/finplus/debtmanagement/schools",
        "/settings/clientintegrations",
    ] {
        assert_eq!(get(path, &[demo(), header("x")].concat()).0, 200);
    }
}

#[test]
fn access() {
    let mut twin = twin(FINANCE);
    twin.apply(&lines(
        r#"{"type":"school","school_id":7,"current_year":2026}"#,
    ))
    .unwrap();
    let mut get = |path: &str, headers: &[(String, Vec<u8>)]| {
        shown(&twin.request(NOW, "GET", &format!("/api/v2{path}"), headers, b""))
    };
    let no_access = refused_v2(401, "Client has not authorised access");
    for path in COLLECTIONS {
        for school in ["7", "8"] {
            assert_eq!(get(path, &of_school(school)), no_access, "{path} {school}");
        }
    }
    for path in [
        "/finplus/debtmanagement/schools/7",
        "/finplus/debtmanagement/schools/8?limit=0",
    ] {
        assert_eq!(get(path, &demo()), no_access);
    }
    for path in [
        "/finplus/debtmanagement/schools",
        "/settings/clientintegrations",
    ] {
        assert_eq!(get(path, &[]), no_access);
    }
    assert_eq!(
        get("/settings/clientintegrations?school_id=7", &demo()),
        whole("", 0)
    );

    twin.apply(&lines(
        r#"
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"state":0}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":9,"state":0}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":3,"state":0}
"#,
    ))
    .unwrap();
    for (path, name) in COLLECTIONS.into_iter().zip([
        "Admin+ API",
        "Admin+ API",
        "Curriculum+ API",
        "Curriculum+ API",
        "Curriculum+ API",
        "Curriculum+ API",
        "Finance+ API",
        "Finance+ API",
    ]) {
        let text = format!("Please activate the {name} for this client before making this request");
        assert_eq!(
            get_v2(&twin, &format!("{path}?limit=0")),
            refused_v2(403, &text)
        );
    }
}

#[test]
fn without_any_authorisation_lists_are_empty() {
    let mut twin = twin("");
    twin.remove_school(1000);
    for path in [
        "/finplus/debtmanagement/schools",
        "/settings/clientintegrations",
    ] {
        assert_eq!(get_v2(&twin, path), whole("", 0));
    }
}

const FAULTS: [(&str, &str); 9] = [
    (
        "/adminplus/learners?reverse_order=yes&limit=0&cursor=x&family_code=x&grade_id=8,&learner_id=-1&until=x&since=x&status=x&include_parents=maybe",
        r#""status":"status must be current, left or waitlist","since":"since must be a date (YYYY-MM-DD)","until":"until must be a date (YYYY-MM-DD)","learner_id":"learner_id must be an unsigned integer","grade_id":"grade_id must be an unsigned integer or a comma-separated list of them","family_code":"family_code must be an unsigned integer","cursor":"The cursor is of another request or damaged: leave it out to start from the first page","limit":"limit must be an unsigned integer above 0","reverse_order":"reverse_order must be 1, true, 0 or false""#,
    ),
    (
        "/adminplus/learners?status=left&since=2026-05-15&limit=18446744073709551616",
        r#""limit":"limit must be an unsigned integer above 0""#,
    ),
    (
        "/adminplus/learners?status=left&since=2026-05-15",
        r#""since":"since must not be later than until","until":"since must not be later than until""#,
    ),
    (
        "/adminplus/learners/1?status=left&since=2025-05-13",
        r#""since":"since to until must not exceed 1 year","until":"since to until must not exceed 1 year""#,
    ),
    (
        "/adminplus/learnerabsentees?from_date=2026-05-15",
        r#""from_date":"to_date must not be before from_date","to_date":"to_date must not be before from_date""#,
    ),
    (
        "/currplus/learnersubjectmarks?limit=x&learner_id=",
        r#""learner_id":"Please provide a learner_id","limit":"limit must be an unsigned integer above 0""#,
    ),
    (
        "/currplus/learnersubjectsperterm?learner_id=x",
        r#""learner_id":"learner_id must be an unsigned integer""#,
    ),
    (
        "/currplus/learnerassessmentmarks?year=2026",
        r#""learner_id":"Please provide a learner_id or grade_id","grade_id":"Please provide a learner_id or grade_id""#,
    ),
    (
        "/settings/clientintegrations?api_type_id=x&school_id=y",
        r#""school_id":"school_id must be an unsigned integer","api_type_id":"api_type_id must be an unsigned integer""#,
    ),
];

#[test]
fn every_parameter_at_fault_is_named() {
    for (target, errors) in FAULTS {
        assert_eq!(get_v2(&twin(""), target), invalid(errors), "{target}");
    }
}
