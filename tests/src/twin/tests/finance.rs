//! The finance family in both versions: who is listed, what is compared, what is included.

use super::{FINANCE, bad, error, get, get_v2, invalid, lines, refused_v2, twin, whole};

const PEOPLE: &str = r#"
{"type":"learner","school_id":1000,"id":1,"first_name":"John","accountable_person_id":"0040","debtor_code":"1001","parent1_id":40}
{"type":"learner","school_id":1000,"id":2,"status":"waitlist","accountable_person_id":"40","parent2_id":"040"}
{"type":"learner","school_id":1000,"id":10,"accountable_person_id":"D40","debtor_code":"01001"}
{"type":"learner","school_id":1000,"id":3,"status":"left","transfer_date":"2026-01-01","accountable_person_id":5}
{"type":"learner","school_id":1000,"id":4,"accountable_person_id":99}
{"type":"parent","school_id":1000,"id":40,"first_name":"Jane"}
{"type":"accountable_person","school_id":1000,"accountable_person_id":40,"title":"Mrs","debtor_code":"1001"}
{"type":"accountable_person","school_id":1000,"accountable_person_id":5,"debtor_code":"1001 "}
{"type":"accountable_person","school_id":1000,"accountable_person_id":7,"employer_address":"a\r\nb"}
"#;

fn people() -> super::Twin {
    twin(&format!("{FINANCE}{PEOPLE}"))
}

const LEARNERS: &str = "/finplus/debtmanagement/learners";
const PERSONS: &str = "/finplus/debtmanagement/accountablepersons";

/// The ids that v1 and v2 list, which must be the same.
fn listed(v1: &str, v2: &str, field: &str, query: &str) -> Vec<u64> {
    let twin = people();
    let (status, body) = get_v2(&twin, &format!("{v2}?{query}"));
    assert_eq!(status, 200, "{body}");
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    let records = body["data"].as_array().unwrap();
    let ids: Vec<u64> = records
        .iter()
        .map(|record| record[field].as_u64().unwrap())
        .collect();

    let target = format!("/finplus/debtmanagement/{v1}/1000?{query}");
    let (status, body) = get(&twin, &target);
    assert_eq!(status, if ids.is_empty() { 404 } else { 200 }, "{body}");
    if status == 200 {
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        let texts: Vec<String> = body
            .as_array()
            .unwrap()
            .iter()
            .map(|record| record[field].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(texts, ids.iter().map(u64::to_string).collect::<Vec<_>>());
    }
    ids
}

#[test]
fn which_learners_are_listed() {
    let ids = |query| listed("learnerparentinfo", LEARNERS, "learner_id", query);
    assert_eq!(ids(""), [1, 4, 10]);
    assert_eq!(ids("all_accounts=FALSE"), [1, 4, 10]);
    assert_eq!(ids("all_accounts=True"), [1, 2, 3, 4, 10]);
    assert_eq!(ids("accountable_person_id=040&all_accounts=1"), [1, 2]);
    assert_eq!(ids("accountable_person_id=99"), [4]);
    assert_eq!(ids("parent_id=40&all_accounts=1"), [1, 2]);
    assert_eq!(ids("debtor_code=1001"), [1]);
    assert_eq!(ids("debtor_code=01001"), [10]);
    assert_eq!(ids("debtor_code=1001&learner_id=10"), [0; 0]);
    assert_eq!(ids("learner_id=3"), [0; 0]);
}

#[test]
fn which_persons_are_listed() {
    let ids = |query| listed("schooldebtors", PERSONS, "accountable_person_id", query);
    assert_eq!(ids(""), [40]);
    assert_eq!(ids("all_accounts=1"), [5, 7, 40]);
    assert_eq!(ids("all_accounts=1&debtor_code=1001"), [40]);
    assert_eq!(ids("all_accounts=1&debtor_code=1001+"), [5]);
    assert_eq!(ids("accountable_person_id=0040"), [40]);
    assert_eq!(ids("accountable_person_id=5"), [0; 0]);
}

#[test]
fn what_is_included() {
    let twin = people();
    let john = r#""learner_id":"1","first_name":"John","last_name":"","gender":"","grade":"","debtor_code":"1001","parent1_id":"40","parent2_id":"","accountable_person_id":"0040""#;
    let person = r#"{"accountable_person_id":"40","title":"Mrs","first_name":"","full_names":"","last_name":"","debtor_code":"1001","mobile_calling_code":"","mobile_number":"","work_tel_number":"","home_tel_number":"","email_address":"","residential_address":"","postal_address":"","home_language":"","nationality":"","id_number":"","passport_number":"","employer":"","employer_address":""}"#;
    let v1 = |target: &str| get(&twin, &format!("/finplus/debtmanagement/{target}")).1;
    let one = v1("learnerparentinfo/1000?learner_id=1");
    assert_eq!(one, format!("[{{{john}}}]"));
    let both =
        v1("learnerparentinfo/1000?learner_id=1&include_parents&include_accountable_person=x");
    assert!(both.starts_with(&format!(
        r#"[{{{john},"parents":[{{"id":"40","title":"","first_name":"Jane","#
    )));
    assert!(both.ends_with(&format!(
        r#""gross_annual_income":""}}],"accountable_person":{person}}}]"#
    )));
    // A person that is not there is left out in v1 and null in v2.
    let without = v1("learnerparentinfo/1000?learner_id=4&include_accountable_person");
    assert!(!without.contains(r#""accountable_person":"#), "{without}");
    for id in [4, 10] {
        let target = format!("{LEARNERS}/{id}?include_accountable_person");
        let (_, body) = get_v2(&twin, &target);
        assert!(body.ends_with(r#","accountable_person":null}"#), "{body}");
    }
    let persons = v1("schooldebtors/1000?include_learners=yes");
    let listed = person.replace('}', r#","learners":[{"#);
    assert_eq!(persons, format!("[{listed}{john}}}]}}]"));
    let (_, all) = get_v2(
        &twin,
        &format!("{PERSONS}/40?include_learners&all_accounts=1"),
    );
    assert!(all.contains(r#""learners":[{"learner_id":1,"#), "{all}");
    assert!(all.contains(r#"},{"learner_id":2,"#), "{all}");
    let (_, none) = get_v2(
        &twin,
        &format!("{PERSONS}/7?include_learners&all_accounts=1"),
    );
    assert!(
        none.ends_with(r#""employer_address":"a\r\nb","learners":[]}"#),
        "{none}"
    );
}

#[test]
fn one_record_is_one_that_would_be_listed() {
    let twin = people();
    let learner = refused_v2(404, "No learner records found");
    let person = refused_v2(404, "No debtor records found");
    assert_eq!(get_v2(&twin, &format!("{LEARNERS}/3")), learner);
    assert_eq!(
        get_v2(&twin, &format!("{LEARNERS}/3?all_accounts=1")).0,
        200
    );
    assert_eq!(get_v2(&twin, &format!("{PERSONS}/5")), person);
    assert_eq!(
        get_v2(&twin, &format!("{PERSONS}/05?all_accounts=1")).0,
        200
    );
    assert_eq!(
        get_v2(&twin, &format!("{PERSONS}/40?debtor_code=x")),
        person
    );
}

#[test]
fn refusals() {
    let mut twin = people();
    assert_eq!(
        get(
            &twin,
            "/finplus/debtmanagement/learnerparentinfo/1000?all_accounts=yes&parent_id=x"
        ),
        bad("parent_id must be an unsigned integer")
    );
    assert_eq!(
        get(
            &twin,
            "/finplus/debtmanagement/schooldebtors/1000?all_accounts=yes"
        ),
        bad("all_accounts must be 1, true, 0 or false")
    );
    assert_eq!(
        get_v2(&twin, &format!("{LEARNERS}?all_accounts=yes&parent_id=x")),
        invalid(
            r#""parent_id":"parent_id must be an unsigned integer","all_accounts":"all_accounts must be 1, true, 0 or false""#
        )
    );
    assert_eq!(
        get(
            &twin,
            "/finplus/debtmanagement/schooldebtors/1000?debtor_code=x"
        ),
        error(404, "Not found", "No debtor records found")
    );
    assert_eq!(
        get_v2(&twin, &format!("{PERSONS}?debtor_code=x")),
        whole("", 0)
    );
    for target in ["learnerparentinfo", "schooldebtors"] {
        let (status, _) = get(&twin, &format!("/finplus/debtmanagement/{target}"));
        assert_eq!(status, 404, "{target} needs a school");
    }

    twin.apply(&lines(
        r#"
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":12,"state":0}
"#,
    ))
    .unwrap();
    let text = "Please activate the Parents for this client before making this request";
    assert_eq!(
        get(
            &twin,
            "/finplus/debtmanagement/learnerparentinfo/1000?include_parents&learner_id=x"
        ),
        error(403, "Integration not activated", text)
    );
    assert_eq!(
        get_v2(&twin, &format!("{LEARNERS}/1?include_parents")),
        refused_v2(403, text)
    );
    assert_eq!(get_v2(&twin, &format!("{PERSONS}?include_parents")).0, 200);

    twin.apply(&lines(
        r#"{"type":"api_type","api_type_id":3,"deleted":true}"#,
    ))
    .unwrap();
    let text = "Please activate the Finance+ API for this client before making this request";
    for target in ["learnerparentinfo", "schooldebtors"] {
        assert_eq!(
            get(
                &twin,
                &format!("/finplus/debtmanagement/{target}/1000?include_parents")
            ),
            error(403, "Integration not activated", text)
        );
    }
    for target in [LEARNERS, PERSONS] {
        assert_eq!(get_v2(&twin, target), refused_v2(403, text));
    }
}
