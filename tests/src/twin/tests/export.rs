//! The canonical export.

use super::super::Twin;
use super::{lines, twin};

#[test]
fn the_order_and_form_of_every_kind() {
    let expected = r#"
{"type":"school","school_id":9,"school_name":"S","telephone_number":"1","has_hostel":"No","telephone_calling_code":"27","current_year":2026,"utc_offset":"+00:00"}
{"type":"school","school_id":10,"current_year":2026}
{"type":"api_type","api_type_id":8,"api_type":"Admin","family":"administration"}
{"type":"api_type","api_type_id":10,"family":"parents"}
{"type":"client_integration","username":"B","school_id":10,"api_type_id":8,"state":0}
{"type":"client_integration","username":"a","school_id":9,"api_type_id":8,"state":1}
{"type":"client_integration","username":"a","school_id":9,"api_type_id":10,"state":0}
{"type":"client_integration","username":"a","school_id":10,"api_type_id":8,"state":0}
{"type":"learner","school_id":8,"id":1,"grade_id":"09","status":"left","transfer_date":"2026-01-01"}
{"type":"year","school_id":9,"year":2025}
{"type":"year","school_id":9,"year":2026,"year_name":"Now"}
{"type":"term","school_id":9,"year":2026,"term":2,"term_id":5,"start_date":"2026-01-01","end_date":"2026-02-01"}
{"type":"term","school_id":9,"year":2026,"term":10,"term_id":6,"start_date":"2026-01-01","end_date":"2026-02-01"}
{"type":"grade","school_id":9,"grade_id":3,"grade":"1"}
{"type":"parent","school_id":9,"id":1,"gross_annual_income":"-3.25"}
{"type":"learner","school_id":9,"id":1,"first_name":"A","parent2_id":"x","debtor_code":"D","accountable_person_id":"007"}
{"type":"subject","school_id":9,"subject_id":1,"super_subject_id":"01"}
{"type":"learner_subject","school_id":9,"learner_id":2,"year":2025,"subject_id":1,"grade_id":3}
{"type":"learner_subject","school_id":9,"learner_id":1,"year":2026,"subject_id":1,"grade_id":3,"terms":[{"term":2,"mark":"0"},{"term":10,"subject_group_id":"4","classroom_name":"3A"}]}
{"type":"learner_subject","school_id":9,"learner_id":1,"year":2026,"subject_id":10,"grade_id":3}
{"type":"learning_outcome","school_id":9,"learning_outcome_id":1,"learning_outcome_name":"\"\\/\r\n\u0000\u001f"}
{"type":"learning_program","school_id":9,"grade_id":3,"year":2026,"term":2,"subject_id":1,"mark_release_date":"2026-02-03"}
{"type":"assessment","school_id":9,"assessment_id":1,"grade_id":3,"year":2026,"term":2,"subject_id":1,"learning_outcome_id":1,"assessment_date":"2026-01-01","weight":"12.5","mark_out_of":"100"}
{"type":"mark","school_id":9,"assessment_id":1,"learner_id":1,"mark":"7","percentage":"a","captured":0,"dtime":"2026-01-01 00:00:00"}
{"type":"mark","school_id":9,"assessment_id":1,"learner_id":10}
{"type":"absentee","school_id":9,"id":1,"learner_id":1,"absent_date":"2026-01-01","absent_reason":"Illness"}
{"type":"accountable_person","school_id":9,"accountable_person_id":18446744073709551615,"title":"Ms"}
"#;
    let mut twin = Twin::default();
    let mut reversed = lines(expected);
    reversed.reverse();
    reversed.push(r#"{"type":"integrator","username":"a","password":"p"}"#.to_owned());
    twin.apply(&reversed).unwrap();
    assert_eq!(twin.export(), expected.trim_start());
}

#[test]
fn defaults_and_empty_values_are_left_out() {
    let twin = twin(
        r#"
{"type":"school","school_id":1000,"current_year":"02026","utc_offset":"+02:00","school_name":""}
{"type":"year","school_id":1000,"year":"02026","year_name":"2026"}
{"type":"learner","school_id":1000,"id":1,"status":"current","parent1_id":null}
{"type":"mark","school_id":1000,"assessment_id":1,"learner_id":1,"captured":"1","mark":"-0.000"}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":[]}
"#,
    );
    for line in [
        r#"{"type":"school","school_id":1000,"current_year":2026}"#,
        r#"{"type":"year","school_id":1000,"year":2026}"#,
        r#"{"type":"learner","school_id":1000,"id":1}"#,
        r#"{"type":"mark","school_id":1000,"assessment_id":1,"learner_id":1,"mark":"0"}"#,
        r#"{"type":"learner_subject","school_id":1000,"learner_id":1,"year":1,"subject_id":1,"grade_id":1}"#,
    ] {
        assert!(twin.export().contains(&format!("{line}\n")), "{line}");
    }
}
