//! The records of v2: their fields and types, and which of them a path finds.

use super::{get_v2, get_v2_at, lines, refused_v2, twin, whole};

#[test]
fn ids_are_numbers_if_they_are_canonical() {
    for (given, expected) in [
        ("\"9\"", "9"),
        ("9", "9"),
        ("\"0\"", "0"),
        ("\"18446744073709551615\"", "18446744073709551615"),
        ("\"18446744073709551616\"", "\"18446744073709551616\""),
        ("\"009\"", "\"009\""),
        ("\"00\"", "\"00\""),
        ("\"R\"", "\"R\""),
        ("-9", "\"-9\""),
        ("\" 9\"", "\" 9\""),
        ("\"\"", "null"),
    ] {
        let twin = twin(&format!(
            r#"{{"type":"learner","school_id":1000,"id":1,"grade_id":{given}}}"#
        ));
        let (_, body) = get_v2(&twin, "/adminplus/learners/1");
        assert!(
            body.contains(&format!(r#""grade_id":{expected},"grade":null"#)),
            "{body}"
        );
    }
}

#[test]
fn a_learner_with_parents() {
    let twin = twin(
        r#"
{"type":"learner","school_id":1000,"id":1,"first_name":"John","date_of_birth":"2018-01-01","ethnic_group_id":4,"home_language_id":1,"tuition_language_id":2,"nationality":"7","family_code":1001,"id_number":"007","grade_id":9,"grade":"7","register_class_teacher_id":13,"parent1_id":40,"parent2_id":"0041"}
{"type":"parent","school_id":1000,"id":40,"ethnic_group_id":4,"home_language_id":2,"family_code":"1001","marital_status_id":2,"gross_annual_income":120000}
{"type":"parent","school_id":1000,"id":41}
"#,
    );
    let learner = r#"{"id":1,"first_name":"John","last_name":null,"mobile_calling_code":null,"mobile_number":null,"email_address":null,"date_of_birth":"2018-01-01","gender":null,"ethnic_group_id":4,"ethnic_group":null,"home_language_id":1,"home_language":null,"tuition_language_id":2,"tuition_language":null,"nationality":"7","admission_number":null,"family_code":"1001","id_number":"007","passport_number":null,"grade_id":9,"grade":"7","register_class_name":null,"register_class_teacher_id":13,"country":null,"province":null,"education_stream":null,"photo_url":null,"parent1_id":40,"parent2_id":"0041""#;
    let parent = |ids: [&str; 6]| {
        let [id, ethnic, language, family, marital, income] = ids;
        format!(
            r#"{{"id":{id},"title":null,"first_name":null,"last_name":null,"mobile_calling_code":null,"mobile_number":null,"email_address":null,"date_of_birth":null,"gender":null,"ethnic_group_id":{ethnic},"ethnic_group":null,"residential_address":null,"postal_address":null,"home_language_id":{language},"home_language":null,"nationality":null,"family_code":{family},"id_number":null,"passport_number":null,"marital_status_id":{marital},"marital_status":null,"occupation_status":null,"occupation":null,"employment_sector":null,"gross_annual_income":{income}}}"#
        )
    };
    let parents = format!(
        "{},{}",
        parent(["40", "4", "2", "\"1001\"", "2", "120000.00"]),
        parent(["41", "null", "null", "null", "null", "null"])
    );
    assert_eq!(
        get_v2(&twin, "/adminplus/learners?include_parents"),
        whole(&format!(r#"{learner},"parents":[{parents}]}}"#), 1)
    );
    assert_eq!(
        get_v2(&twin, "/adminplus/learners/1"),
        (200, format!("{learner}}}"))
    );
}

#[test]
fn an_assessment_mark_is_flat() {
    let mut twin = twin(
        r#"
{"type":"year","school_id":1000,"year":2026}
{"type":"term","school_id":1000,"year":2026,"term":1,"term_id":98,"start_date":"2026-01-15","end_date":"2026-05-14"}
{"type":"subject","school_id":1000,"subject_id":10,"subject_name":"Ten"}
{"type":"assessment","school_id":1000,"assessment_id":5,"grade_id":9,"year":2026,"term":1,"subject_id":10,"learning_outcome_id":3,"assessment_name":"Test","assessment_date":"2026-02-01","weight":"10.005","mark_out_of":30}
{"type":"mark","school_id":1000,"assessment_id":5,"learner_id":2,"mark":"-0.005","dtime":"2026-02-02 10:00:00"}
"#,
    );
    let start = r#"{"grade_id":9,"grade":null,"year":2026,"year_name":"2026","term":1,"learner_id":2,"subject_id":10,"subject_name":"Ten","learning_outcome_id":3,"learning_outcome_name":null,"assessment_id":5,"assessment_name":"Test","assessment_date":"2026-02-01","weight":10.01"#;
    let marks = |twin: &super::Twin, query: &str| {
        get_v2(
            twin,
            &format!("/currplus/learnerassessmentmarks?grade_id=9{query}"),
        )
    };
    assert_eq!(
        marks(&twin, ""),
        whole(
            &format!(
                r#"{start},"dtime":"2026-02-02 10:00:00","percentage":-0.02,"mark":-0.01,"mark_out_of":30.00,"captured":true}}"#
            ),
            1
        )
    );
    assert_eq!(
        marks(&twin, "&structure=TRUE"),
        whole(&format!("{start}}}"), 1)
    );
    for (mark, expected) in [
        (
            r#""percentage":"a","mark":3"#,
            r#""dtime":null,"percentage":"a","mark":null,"mark_out_of":30.00,"captured":true"#,
        ),
        (
            r#""captured":0,"mark":3"#,
            r#""dtime":null,"percentage":null,"mark":null,"mark_out_of":30.00,"captured":false"#,
        ),
    ] {
        let line = format!(
            r#"{{"type":"mark","school_id":1000,"assessment_id":5,"learner_id":2,{mark}}}"#
        );
        twin.apply(&[line]).unwrap();
        assert_eq!(marks(&twin, ""), whole(&format!("{start},{expected}}}"), 1));
    }
    // Not released yet.
    let before = get_v2_at(
        &twin,
        super::NOW - 86_400,
        "/currplus/learnerassessmentmarks?learner_id=2",
    );
    assert_eq!(before, whole("", 0));
}

#[test]
fn a_school_has_flags() {
    let mut twin = twin("");
    twin.apply(&lines(
        r#"{"type":"school","school_id":1000,"current_year":2026,"has_hostel":"Yes","uses_cashless":"No"}"#,
    ))
    .unwrap();
    let (status, body) = get_v2(&twin, "/finplus/debtmanagement/schools/01000");
    assert_eq!(status, 200);
    assert!(
        body.starts_with(r#"{"school_id":1000,"school_name":null,"#),
        "{body}"
    );
    let end = r#""has_after_school_center":null,"has_hostel":true,"uses_debit_orders":null,"uses_cashless":false}"#;
    assert!(body.ends_with(end), "{body}");
    assert_eq!(
        get_v2(&twin, "/finplus/debtmanagement/schools"),
        whole(&body, 1)
    );
}

#[test]
fn learner_subjects_and_absentees() {
    let twin = twin(
        r#"
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":105,"grade_id":7}
{"type":"absentee","school_id":1000,"id":399910,"learner_id":1,"absent_date":"2025-05-04","absent_reason":"Illness"}
{"type":"absentee","school_id":1000,"id":5,"learner_id":1,"absent_date":"2026-05-04"}
"#,
    );
    assert_eq!(get_v2(&twin, "/currplus/learnersubjects"), whole("", 0));
    assert_eq!(
        get_v2(&twin, "/currplus/learnersubjects?learner_id=1"),
        whole(
            r#"{"learner_id":1,"first_name":null,"last_name":null,"subject_id":105,"subject_name":null}"#,
            1
        )
    );
    let five = r#"{"id":5,"learner_id":1,"absent_date":"2026-05-04","absent_reason":null}"#;
    assert_eq!(get_v2(&twin, "/adminplus/learnerabsentees"), whole(five, 1));
    // By its id an absentee is found whatever its date, and whatever the parameters.
    let old =
        r#"{"id":399910,"learner_id":1,"absent_date":"2025-05-04","absent_reason":"Illness"}"#;
    let target = "/adminplus/learnerabsentees/399910?from_date=x&learner_id=9&limit=0";
    assert_eq!(get_v2(&twin, target), (200, old.to_owned()));
    assert_eq!(
        get_v2(&twin, "/adminplus/learnerabsentees/6"),
        refused_v2(404, "No learner absentee records found")
    );
}

#[test]
fn one_learner_is_one_that_would_be_listed() {
    let twin = twin(
        r#"
{"type":"learner","school_id":1000,"id":7,"status":"left","transfer_date":"2026-05-01","grade_id":9}
{"type":"learner","school_id":1000,"id":8}
"#,
    );
    let none = refused_v2(404, "No learner records found");
    let status = |target: &str| get_v2(&twin, &format!("/adminplus/learners/{target}")).0;
    assert_eq!(get_v2(&twin, "/adminplus/learners/7"), none);
    assert_eq!(get_v2(&twin, "/adminplus/learners/9"), none);
    assert_eq!(status("7?status=left"), 200);
    assert_eq!(status("7?status=left&grade_id=10"), 404);
    assert_eq!(status("7?status=left&until=2026-04-30"), 404);
    assert_eq!(status("8?learner_id=7"), 404);
    assert_eq!(status("8?learner_id=08"), 200);
    assert_eq!(status("8?status=x"), 400);
    assert_eq!(status("8?limit=0&cursor=x&reverse_order=x"), 200);
}
