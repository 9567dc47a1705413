//! The answers that the service's documentation shows.

use super::{error, get, twin};

const SMITHS: &str = r#"
{"type":"learner","school_id":1000,"id":1,"first_name":"John","last_name":"Smith","mobile_calling_code":27,"mobile_number":"0823456789","email_address":"jsmith@example.com","date_of_birth":"2018-01-01","gender":"M","ethnic_group_id":4,"ethnic_group":"White","home_language_id":1,"home_language":"Afrikaans","tuition_language_id":"1","tuition_language":"Afrikaans","nationality":"South Africa","parent1_id":40,"parent2_id":"41"}
{"type":"parent","school_id":1000,"id":40,"title":"Mr","first_name":"John James","last_name":"Smith","mobile_calling_code":"27","mobile_number":"0823456789","email_address":"jjsmith@example.com","date_of_birth":"1967-02-14","gender":"M","ethnic_group_id":"4","ethnic_group":"White","residential_address":"Plot 101\r\nDaffodil Street\r\nPretoria","postal_address":"PO Box 12\r\nMenlyn\r\nPretoria","home_language_id":"2","home_language":"English","nationality":"South Africa","family_code":"1001","id_number":"6702145076084","passport_number":"A0176543","marital_status_id":"2","marital_status":"Married","occupation_status":"Full Time Employed","occupation":"Salesman","employment_sector":"Selling","gross_annual_income":120000}
{"type":"parent","school_id":1000,"id":41,"title":"Mrs","first_name":"Jane Jenny","last_name":"Smith","gross_annual_income":"0"}
"#;

#[test]
fn a_learner_with_parents() {
    let twin = twin(SMITHS);
    let learner = r#"{"id":"1","first_name":"John","last_name":"Smith","mobile_calling_code":"27","mobile_number":"0823456789","email_address":"jsmith@example.com","date_of_birth":"2018-01-01","gender":"M","ethnic_group_id":"4","ethnic_group":"White","home_language_id":"1","home_language":"Afrikaans","tuition_language_id":"1","tuition_language":"Afrikaans","nationality":"South Africa","admission_number":"","family_code":"","id_number":"","passport_number":"","grade_id":"","grade":"","register_class_name":"","register_class_teacher_id":"","country":"","province":"","education_stream":"","photo_url":"","parent1_id":"40","parent2_id":"41"#;
    let parents = r#"[{"id":"40","title":"Mr","first_name":"John James","last_name":"Smith","mobile_calling_code":"27","mobile_number":"0823456789","email_address":"jjsmith@example.com","date_of_birth":"1967-02-14","gender":"M","ethnic_group_id":"4","ethnic_group":"White","residential_address":"Plot 101\r\nDaffodil Street\r\nPretoria","postal_address":"PO Box 12\r\nMenlyn\r\nPretoria","home_language_id":"2","home_language":"English","nationality":"South Africa","family_code":"1001","id_number":"6702145076084","passport_number":"A0176543","marital_status_id":"2","marital_status":"Married","occupation_status":"Full Time Employed","occupation":"Salesman","employment_sector":"Selling","gross_annual_income":"120000.00"},{"id":"41","title":"Mrs","first_name":"Jane Jenny","last_name":"Smith","mobile_calling_code":"","mobile_number":"","email_address":"","date_of_birth":"","gender":"","ethnic_group_id":"","ethnic_group":"","residential_address":"","postal_address":"","home_language_id":"","home_language":"","nationality":"","family_code":"","id_number":"","passport_number":"","marital_status_id":"","marital_status":"","occupation_status":"","occupation":"","employment_sector":"","gross_annual_income":"0.00"}]"#;
    let with = format!(r#"[{learner}","parents":{parents}}}]"#);
    assert_eq!(
        get(&twin, "/adminplus/learners/1000?include_parents"),
        (200, with.clone())
    );
    assert_eq!(
        get(&twin, "/adminplus/learners/1000?include_parents=yes"),
        (200, with)
    );
    let without = format!(r#"[{learner}"}}]"#);
    for target in [
        "",
        "?include_parents=0",
        "?include_parents=False",
        "?include_parents=NO",
    ] {
        assert_eq!(
            get(&twin, &format!("/adminplus/learners/1000{target}")),
            (200, without.clone()),
            "{target}"
        );
    }
}

#[test]
fn subjects_per_term() {
    let twin = twin(
        r#"
{"type":"school","school_id":1000,"current_year":2025}
{"type":"year","school_id":1000,"year":2025}
{"type":"term","school_id":1000,"year":2025,"term":1,"term_id":98,"start_date":"2025-01-15","end_date":"2025-03-28"}
{"type":"term","school_id":1000,"year":2025,"term":3,"term_id":100,"start_date":"2025-07-15","end_date":"2025-09-28"}
{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}
{"type":"subject","school_id":1000,"subject_id":10,"subject_name":"Afrikaans First Additional Language (Gr 07)","super_subject_id":1,"super_subject_name":"Afrikaans First Additional Language"}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2025,"subject_id":10,"grade_id":9,"terms":[{"term":3,"subject_group_id":270,"subject_group_name":"Afrikaans Group 2","classroom_id":4,"classroom_name":"3A","subject_group_teacher_id":17},{"term":1,"subject_group_id":"118","subject_group_name":"Afrikaans Group 1","classroom_id":"1","classroom_name":"1","subject_group_teacher_id":"13"}]}
"#,
    );
    let expected = r#"[{"year":"2025","subject_id":"10","subject_name":"Afrikaans First Additional Language (Gr 07)","super_subject_id":"1","super_subject_name":"Afrikaans First Additional Language","grade_id":"9","grade":"7","terms":[{"term_id":98,"term":"1","subject_group_id":"118","subject_group_name":"Afrikaans Group 1","classroom_id":"1","classroom_name":"1","subject_group_teacher_id":"13"},{"term_id":100,"term":"3","subject_group_id":"270","subject_group_name":"Afrikaans Group 2","classroom_id":"4","classroom_name":"3A","subject_group_teacher_id":"17"}]}]"#;
    assert_eq!(
        get(&twin, "/currplus/learnersubjectsperterm/1000?learner_id=1"),
        (200, expected.to_owned())
    );
}

#[test]
fn learner_subjects() {
    let twin = twin(
        r#"
{"type":"learner","school_id":1000,"id":1,"first_name":"Janey","last_name":"Smith"}
{"type":"subject","school_id":1000,"subject_id":105,"subject_name":"English First Additional Language (Gr 05)"}
{"type":"subject","school_id":1000,"subject_id":101,"subject_name":"Afrikaans Home Language (Gr 05)"}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":105,"grade_id":7}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":101,"grade_id":7}
"#,
    );
    let expected = r#"[{"learner_id":"1","first_name":"Janey","last_name":"Smith","subject_id":101,"subject_name":"Afrikaans Home Language (Gr 05)"},{"learner_id":"1","first_name":"Janey","last_name":"Smith","subject_id":105,"subject_name":"English First Additional Language (Gr 05)"}]"#;
    assert_eq!(
        get(&twin, "/currplus/learnersubjects/1000"),
        (200, expected.to_owned())
    );
}

#[test]
fn clients() {
    let expected = r#"{"school_login_id":"1000","school_name":"d6+ Primary School","admin_email_address":"support@d6plus.co.za","telephone_calling_code":"27","telephone_number":"0123334444","api_type_id":8,"api_type":"Admin+ API","activated_by_integrator":"Yes"}"#;
    let (status, body) = get(&twin(""), "/settings/clients/1000");
    assert_eq!(status, 200);
    assert!(body.starts_with(&format!("[{expected},")), "{body}");
}

#[test]
fn not_activated() {
    let mut twin = twin("");
    super::patch(&mut twin, "1000", r#"{"state":0,"api_type_id":8}"#);
    assert_eq!(
        get(&twin, "/adminplus/learners/1000"),
        error(
            403,
            "Integration not activated",
            "Please activate the Admin+ API for this client before making this request"
        )
    );
}
