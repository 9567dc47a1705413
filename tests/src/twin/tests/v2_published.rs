//! The published samples of v2, byte for byte.

use super::{FINANCE, NOW, Twin, demo, get_v2, invalid, shown, twin};

const CLIENT: &str = r#"{"school_id":1000,"school_name":"d6+ Primary School","admin_email_address":"support@d6plus.co.za","telephone_calling_code":"27","telephone_number":"0123334444","api_type_id":8,"api_type":"Admin+ API","activated_by_integrator":"Yes"}"#;

fn post(twin: &mut Twin, body: &str) -> (u16, String) {
    let target = "/api/v2/settings/clientintegrations";
    shown(&twin.request(NOW, "POST", target, &demo(), body.as_bytes()))
}

#[test]
fn a_client_integration_is_activated() {
    let mut twin = twin("");
    let body = r#"{"school_id":1000,"api_type_id":8,"state":true}"#;
    let off = body.replace("true", "false");
    let (status, text) = post(&mut twin, &off);
    assert_eq!(status, 200);
    let data = CLIENT.replace("Yes", "No");
    assert_eq!(
        text,
        format!(
            r#"{{"success":true,"message":"Integration successfully deactivated","data":{data}}}"#
        )
    );
    assert_eq!(
        post(&mut twin, body),
        (
            200,
            format!(
                r#"{{"success":true,"message":"Integration successfully activated","data":{CLIENT}}}"#
            )
        )
    );
    assert_eq!(
        post(&mut twin, body),
        (
            400,
            format!(
                r#"{{"success":false,"message":"Integration already activated","data":{CLIENT}}}"#
            )
        )
    );
    let errors =
        r#""api_type_id":"The api_type_id is invalid","state":"The State must be a boolean""#;
    assert_eq!(post(&mut twin, r#"{"school_id":1000}"#), invalid(errors));
}

#[test]
fn a_learner_of_the_finance_family() {
    let learner = r#"{"type":"learner","school_id":1000,"id":1,"first_name":"John","last_name":"Smith","gender":"M","grade":"7","debtor_code":"1001","parent1_id":40,"parent2_id":41,"accountable_person_id":40}"#;
    let twin = twin(&format!("{FINANCE}{learner}"));
    let expected = r#"{"learner_id":1,"first_name":"John","last_name":"Smith","gender":"M","grade":"7","debtor_code":"1001","parent1_id":40,"parent2_id":41,"accountable_person_id":40}"#;
    let path = "/finplus/debtmanagement/learners";
    assert_eq!(
        get_v2(&twin, &format!("{path}/1")),
        (200, expected.to_owned())
    );
    assert_eq!(get_v2(&twin, path), super::whole(expected, 1));
}

#[test]
fn subjects_per_term_with_real_types() {
    let twin = twin(
        r#"
{"type":"subject","school_id":1000,"subject_id":10,"subject_name":"Afrikaans","super_subject_id":1,"super_subject_name":"Afrikaans First"}
{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":10,"grade_id":9,"terms":[{"term":1,"subject_group_id":118,"subject_group_name":"Group 1","classroom_id":"01","classroom_name":"1","subject_group_teacher_id":13,"mark":"66.665"},{"term":2}]}
"#,
    );
    let start = r#"{"year":2026,"subject_id":10,"subject_name":"Afrikaans""#;
    assert_eq!(
        get_v2(&twin, "/currplus/learnersubjectsperterm?learner_id=1"),
        super::whole(
            &format!(
                r#"{start},"super_subject_id":1,"super_subject_name":"Afrikaans First","grade_id":9,"grade":"7","terms":[{{"term_id":0,"term":1,"subject_group_id":118,"subject_group_name":"Group 1","classroom_id":"01","classroom_name":"1","subject_group_teacher_id":13}},{{"term_id":0,"term":2,"subject_group_id":null,"subject_group_name":null,"classroom_id":null,"classroom_name":null,"subject_group_teacher_id":null}}]}}"#
            ),
            1
        )
    );
    assert_eq!(
        get_v2(&twin, "/currplus/learnersubjectmarks?learner_id=1"),
        super::whole(
            &format!(r#"{start},"grade_id":9,"grade":"7","terms":[{{"term":1,"mark":66.67}}]}}"#),
            1
        )
    );
}
