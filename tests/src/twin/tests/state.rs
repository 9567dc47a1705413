//! 4.8 the state update.

use super::{bad, error, get, lines, patch, twin};

#[test]
fn a_state_is_set_once() {
    let mut twin = twin("");
    let active = |twin: &super::Twin| {
        get(twin, "/settings/clients/1000")
            .1
            .matches(r#"integrator":"Yes""#)
            .count()
    };
    assert_eq!(
        patch(&mut twin, "1000", r#"{"state":1,"api_type_id":8}"#),
        (204, "[]".to_owned())
    );
    assert_eq!(
        patch(
            &mut twin,
            "01000",
            r#" {"api_type_id": 8, "more": [{}], "state": 0}"#
        ),
        (200, "[]".to_owned())
    );
    assert_eq!(active(&twin), 2);
    assert_eq!(
        patch(&mut twin, "1000", r#"{"state":0,"api_type_id":8}"#),
        (204, "[]".to_owned())
    );
    assert_eq!(
        patch(&mut twin, "1000", r#"{"st\u0061te":1,"api_type_id":8}"#),
        (200, "[]".to_owned())
    );
    assert_eq!(active(&twin), 3);
}

#[test]
fn faults_are_found_in_their_order() {
    let object = bad("The body must be a JSON object");
    let state = bad("Invalid integration state provided");
    let api_type = bad("api_type_id must be an unsigned integer");
    let twice = |name: &str| bad(&format!(r#"The body has the name \"{name}\" twice"#));
    let cases = [
        ("", &object),
        ("[]", &object),
        ("{\"state\":1,}", &object),
        ("{\"state\":1,\"api_type_id\":8}x", &object),
        ("{}", &state),
        (r#"{"api_type_id":8}"#, &state),
        (r#"{"state":null,"api_type_id":8}"#, &state),
        (r#"{"state":2,"api_type_id":8}"#, &state),
        (r#"{"state":"1","api_type_id":8}"#, &state),
        (r#"{"state":1.0,"api_type_id":8}"#, &state),
        (r#"{"state":1e0,"api_type_id":8}"#, &state),
        (r#"{"state":-0,"api_type_id":8}"#, &state),
        (r#"{"state":true,"api_type_id":8}"#, &state),
        (
            r#"{"state":18446744073709551616,"api_type_id":"x"}"#,
            &state,
        ),
        (r#"{"state":1}"#, &api_type),
        (r#"{"state":1,"api_type_id":null}"#, &api_type),
        (r#"{"state":1,"api_type_id":"8"}"#, &api_type),
        (r#"{"state":1,"api_type_id":8.0}"#, &api_type),
        (r#"{"state":1,"api_type_id":-8}"#, &api_type),
        (
            r#"{"state":1,"api_type_id":18446744073709551616}"#,
            &api_type,
        ),
        (r#"{"state":9,"state":9}"#, &twice("state")),
        (
            r#"{"a":1,"b\"\u000a":1,"b\u0022\n":2,"a":1,"state":7}"#,
            &twice(r#"b\"\n"#),
        ),
    ];
    let mut twin = twin("");
    for (body, expected) in cases {
        assert_eq!(&patch(&mut twin, "1000", body), expected, "{body}");
    }
    assert_eq!(
        twin.request(
            0,
            "PATCH",
            "/api/v1/settings/clients/1000",
            &super::demo(),
            b"{\"a\":\"\xff\"}"
        )
        .status,
        400
    );
    for id in ["11", "18446744073709551615"] {
        let expected = error(
            401,
            "Unauthorized",
            "Client access not authorised for this API type",
        );
        assert_eq!(
            patch(
                &mut twin,
                "1000",
                &format!(r#"{{"state":0,"api_type_id":{id}}}"#)
            ),
            expected
        );
    }
}

#[test]
fn loading_a_school_again_undoes_no_update() {
    let mut twin = twin("");
    let line = r#"{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8"#;
    let stateless = format!("{line}}}");
    let deleted = format!("{line},\"deleted\":true}}");
    let export_has = |twin: &super::Twin, state: u8| {
        twin.export()
            .contains(&format!("\"api_type_id\":8,\"state\":{state}"))
    };
    twin.apply(std::slice::from_ref(&stateless)).unwrap();
    assert!(export_has(&twin, 1));
    twin.apply(&[format!("{line},\"state\":0}}"), stateless.clone()])
        .unwrap();
    assert!(export_has(&twin, 0));
    patch(&mut twin, "1000", r#"{"state":1,"api_type_id":8}"#);
    twin.replace_school(
        1000,
        &[
            r#"{"type":"school","school_id":1000,"current_year":1}"#.to_owned(),
            stateless.clone(),
        ],
    )
    .unwrap();
    assert!(export_has(&twin, 1));
    twin.apply(&[deleted, stateless.clone()]).unwrap();
    assert!(export_has(&twin, 0));
    twin.remove_school(1000);
    twin.apply(&lines(&format!(
        "{{\"type\":\"school\",\"school_id\":1000,\"current_year\":1}}\n{stateless}"
    )))
    .unwrap();
    assert!(export_has(&twin, 0));
}
