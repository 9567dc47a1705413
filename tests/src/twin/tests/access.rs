//! Credentials, authorisation, activation.

use super::{NOW, demo, error, get, lines, shown, twin};

const DATA: [&str; 6] = [
    "/adminplus/learners/1000",
    "/adminplus/learnerabsentees/1000",
    "/currplus/learnerassessmentmarks/1000",
    "/currplus/learnersubjectsperterm/1000",
    "/currplus/learnersubjectmarks/1000",
    "/currplus/learnersubjects/1000",
];

fn unauthorized(description: &str) -> (u16, String) {
    error(401, "Unauthorized", description)
}

#[test]
fn wrong_credentials_have_a_text_for_each_endpoint() {
    let header = |name: &str, value: &str| (name.to_owned(), value.as_bytes().to_vec());
    let wrong: [Vec<(String, Vec<u8>)>; 6] = [
        vec![],
        vec![header("HTTP-X-USERNAME", "demo")],
        vec![
            header("HTTP-X-USERNAME", "demo"),
            header("HTTP-X-PASSWORD", "Demo"),
        ],
        vec![
            header("HTTP-X-USERNAME", "Demo"),
            header("HTTP-X-PASSWORD", "demo"),
        ],
        [demo(), vec![header("http-x-password", "demo ")]].concat(),
        vec![
            header("HTTP-X-USERNAME", "demo"),
            ("HTTP-X-PASSWORD".to_owned(), vec![0xff]),
        ],
    ];
    let mut twin = twin("");
    for headers in &wrong {
        let mut ask = |method: &str, target: &str| {
            shown(&twin.request(NOW, method, &format!("/api/v1{target}"), headers, b""))
        };
        for target in DATA {
            assert_eq!(
                ask("GET", target),
                unauthorized("Client access not authorised"),
                "{target}"
            );
        }
        for target in [
            "/finplus/debtmanagement/schools",
            "/finplus/debtmanagement/schools/7",
            "/settings/clients",
            "/settings/clients/1000",
        ] {
            assert_eq!(
                ask("GET", target),
                unauthorized("Request not authorised"),
                "{target}"
            );
        }
        let patch = ask("PATCH", "/settings/clients/1000");
        assert_eq!(
            patch,
            unauthorized("Client access not authorised for this API type")
        );
    }
}

#[test]
fn header_names_have_any_case_and_the_last_counts() {
    let headers = [
        ("Http-X-Username".to_owned(), b"nobody".to_vec()),
        ("http-x-username".to_owned(), b"demo".to_vec()),
        ("HTTP-X-PASSWORD".to_owned(), b"demo".to_vec()),
    ];
    assert_eq!(
        twin("")
            .request(NOW, "GET", "/api/v1/settings/clients", &headers, b"")
            .status,
        200
    );
}

#[test]
fn a_school_that_has_not_authorised_is_as_an_unknown_one() {
    let twin = twin(r#"{"type":"school","school_id":7,"current_year":2026}"#);
    for school in ["7", "8"] {
        for target in DATA {
            let target = target.replace("1000", school);
            assert_eq!(
                get(&twin, &target),
                unauthorized("Client access not authorised"),
                "{target}"
            );
        }
        let schools = get(&twin, &format!("/finplus/debtmanagement/schools/{school}"));
        assert_eq!(schools, unauthorized("Client access not authorised"));
        let none = error(404, "Not found", "No client-authorised integrations found");
        assert_eq!(get(&twin, &format!("/settings/clients/{school}")), none);
        assert_eq!(super::patch(&mut twin.clone(), school, "no object"), none);
    }
}

#[test]
fn without_any_authorisation_lists_are_404() {
    let mut twin = twin("");
    twin.remove_school(1000);
    assert_eq!(
        get(&twin, "/finplus/debtmanagement/schools"),
        error(404, "Not found", "No school records found")
    );
    let none = error(404, "Not found", "No client-authorised integrations found");
    assert_eq!(get(&twin, "/settings/clients"), none);
}

#[test]
fn a_family_must_have_an_active_type() {
    let text = |name: &str| {
        error(
            403,
            "Integration not activated",
            &format!("Please activate the {name} for this client before making this request"),
        )
    };
    let mut twin = twin("");
    twin.apply(&lines(
        r#"
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"deleted":true}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":9,"state":0}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":12,"state":0}
{"type":"api_type","api_type_id":10,"api_type":"Other \"admin\"","family":"administration"}
"#,
    ))
    .unwrap();
    for (target, name) in DATA.into_iter().zip([
        "Admin+ API",
        "Admin+ API",
        "Curriculum+ API",
        "Curriculum+ API",
        "Curriculum+ API",
        "Curriculum+ API",
    ]) {
        assert_eq!(get(&twin, target), text(name), "{target}");
        assert_eq!(
            get(&twin, &format!("{target}?learner_id=x&status=x")),
            text(name),
            "{target}"
        );
    }
    twin.apply(&lines(r#"{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":10,"state":1}"#)).unwrap();
    assert_eq!(get(&twin, "/adminplus/learners/1000").0, 404);
    assert_eq!(
        get(&twin, "/adminplus/learners/1000?include_parents&status=x"),
        text("Parents")
    );
    assert_eq!(
        get(
            &twin,
            "/adminplus/learners/1000?include_parents=1&include_parents=0"
        )
        .0,
        404
    );
    // The lowest id of the family as a number, authorised or not; without any, a default name.
    let rename = |id: u64, family: &str| {
        format!(
            r#"{{"type":"api_type","api_type_id":{id},"api_type":"type {id}","family":"{family}"}}"#
        )
    };
    twin.apply(&[
        rename(2, "parents"),
        rename(10, "finance"),
        rename(8, "finance"),
    ])
    .unwrap();
    assert_eq!(get(&twin, "/adminplus/learners/1000"), text("Admin+ API"));
    twin.apply(&[rename(100, "administration"), rename(11, "administration")])
        .unwrap();
    assert_eq!(get(&twin, "/adminplus/learners/1000"), text("type 11"));
}

#[test]
fn an_api_type_without_a_record_authorises_but_activates_nothing() {
    let twin = twin(
        r#"
{"type":"school","school_id":7,"current_year":2026}
{"type":"client_integration","username":"demo","school_id":7,"api_type_id":77,"state":1}
"#,
    );
    assert_eq!(get(&twin, "/adminplus/learners/7").0, 403);
    let (status, body) = get(&twin, "/settings/clients/7");
    assert_eq!(status, 200);
    assert!(
        body.contains(r#""api_type_id":77,"api_type":"","activated_by_integrator":"Yes""#),
        "{body}"
    );
    assert_eq!(
        super::patch(&mut twin.clone(), "7", r#"{"state":0,"api_type_id":77}"#),
        (200, "[]".to_owned())
    );
    assert_eq!(get(&twin, "/finplus/debtmanagement/schools/07").0, 200);
}
