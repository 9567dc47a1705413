//! Client integrations of v2: the list, and POST and PATCH.

use super::{NOW, Twin, demo, get, get_v2, invalid, lines, patch, refused_v2, shown, twin};

fn ask(twin: &mut Twin, method: &str, body: &[u8]) -> (u16, String) {
    let target = "/api/v2/settings/clientintegrations?school_id=x";
    shown(&twin.request(NOW, method, target, &demo(), body))
}

fn message(answer: &(u16, String)) -> (u16, String) {
    let body: serde_json::Value = serde_json::from_str(&answer.1).unwrap();
    (answer.0, body["message"].as_str().unwrap().to_owned())
}

#[test]
fn the_state_is_the_one_that_v1_sees() {
    let mut twin = twin("");
    let mut update = |method: &str, body: &str| {
        let answer = ask(&mut twin, method, body.as_bytes());
        let active = get(&twin, "/settings/clients/1000")
            .1
            .matches("Yes")
            .count();
        (message(&answer), active)
    };
    let told = |status: u16, text: &str| (status, text.to_owned());
    for (method, state, expected, active) in [
        (
            "POST",
            "true",
            told(400, "Integration already activated"),
            3,
        ),
        (
            "PATCH",
            "0",
            told(200, "Integration successfully deactivated"),
            2,
        ),
        (
            "POST",
            "false",
            told(400, "Integration already deactivated"),
            2,
        ),
        (
            "PATCH",
            "1",
            told(200, "Integration successfully activated"),
            3,
        ),
        (
            "POST",
            "false",
            told(200, "Integration successfully deactivated"),
            2,
        ),
    ] {
        let body =
            format!(r#" {{"more":[],"st\u0061te":{state},"api_type_id":8,"school_id":1000}}"#);
        assert_eq!(update(method, &body), (expected, active), "{body}");
    }
    assert_eq!(
        patch(&mut twin, "1000", r#"{"state":0,"api_type_id":8}"#).0,
        204
    );
}

#[test]
fn the_list_stands_by_school_then_api_type() {
    let mut twin = twin("");
    twin.apply(&lines(
        r#"
{"type":"school","school_id":7,"current_year":2026}
{"type":"client_integration","username":"demo","school_id":7,"api_type_id":77}
{"type":"client_integration","username":"demo","school_id":7,"api_type_id":9}
{"type":"integrator","username":"other","password":"x"}
{"type":"client_integration","username":"other","school_id":7,"api_type_id":8}
"#,
    ))
    .unwrap();
    let places = |query: &str| {
        let (_, body) = get_v2(&twin, &format!("/settings/clientintegrations?{query}"));
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        let place = |record: &serde_json::Value| {
            format!("{}/{}", record["school_id"], record["api_type_id"])
        };
        let records = body["data"].as_array().unwrap();
        records.iter().map(place).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(places(""), "7/9 7/77 1000/8 1000/9 1000/12");
    assert_eq!(places("reverse_order=1"), "1000/12 1000/9 1000/8 7/77 7/9");
    assert_eq!(places("school_id=07"), "7/9 7/77");
    assert_eq!(places("api_type_id=9"), "7/9 1000/9");
    assert_eq!(places("api_type_id=9&school_id=8"), "");
    let (_, body) = get_v2(
        &twin,
        "/settings/clientintegrations?school_id=7&api_type_id=77",
    );
    assert!(body.contains(r#"{"school_id":7,"school_name":null,"admin_email_address":null,"telephone_calling_code":null,"telephone_number":null,"api_type_id":77,"api_type":null,"activated_by_integrator":"No"}"#), "{body}");
}

#[test]
fn faults_of_a_body() {
    let object = r#""body":"The body must be a JSON object""#;
    let school = r#""school_id":"The school_id is invalid""#;
    let api_type = r#""api_type_id":"The api_type_id is invalid""#;
    let state = r#""state":"The State must be a boolean""#;
    let twice = |name: &str| format!(r#""{name}":"stands twice in the body""#);
    let cases = [
        ("", object.to_owned()),
        ("[]", object.to_owned()),
        ("true", object.to_owned()),
        ("{\"state\":1,}", object.to_owned()),
        ("{}", format!("{school},{api_type},{state}")),
        (r#"{"school_id":1000,"api_type_id":8}"#, state.to_owned()),
        (
            r#"{"school_id":1000,"api_type_id":8,"state":null}"#,
            state.to_owned(),
        ),
        (
            r#"{"school_id":1000,"api_type_id":8,"state":2}"#,
            state.to_owned(),
        ),
        (
            r#"{"school_id":1000,"api_type_id":8,"state":1.0}"#,
            state.to_owned(),
        ),
        (
            r#"{"school_id":1000,"api_type_id":8,"state":"true"}"#,
            state.to_owned(),
        ),
        (
            r#"{"school_id":"1000","api_type_id":8,"state":1}"#,
            school.to_owned(),
        ),
        (
            r#"{"school_id":1000,"api_type_id":8e0,"state":1}"#,
            api_type.to_owned(),
        ),
        (
            r#"{"api_type_id":18446744073709551616,"state":-0}"#,
            format!("{school},{api_type},{state}"),
        ),
        (r#"{"state":9,"state":9}"#, twice("state")),
        (
            r#"{"a":1,"b\"\n":1,"b\u0022\u000a":2,"a":1}"#,
            twice(r#"b\"\n"#),
        ),
    ];
    let mut twin = twin("");
    for (body, errors) in &cases {
        for method in ["POST", "PATCH"] {
            assert_eq!(
                ask(&mut twin, method, body.as_bytes()),
                invalid(errors),
                "{body}"
            );
        }
    }
    assert_eq!(ask(&mut twin, "POST", b"{\"a\":\"\xff\"}"), invalid(object));
}

#[test]
fn credentials_come_first_and_the_authorisation_last() {
    let mut twin = twin("");
    let no_access = refused_v2(401, "Client has not authorised access");
    let target = "/api/v2/settings/clientintegrations";
    assert_eq!(
        shown(&twin.request(NOW, "POST", target, &[], b"")),
        no_access
    );
    for (school, api_type) in [(1000, 11), (7, 8), (0, 0)] {
        let body = format!(r#"{{"school_id":{school},"api_type_id":{api_type},"state":true}}"#);
        assert_eq!(ask(&mut twin, "POST", body.as_bytes()), no_access);
        let body = body.replace("true", "2");
        assert_eq!(ask(&mut twin, "POST", body.as_bytes()).0, 400);
    }
}
