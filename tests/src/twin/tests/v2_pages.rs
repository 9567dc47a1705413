//! Pages: limits, order, and what a cursor is accepted for.

use super::{FINANCE, NOW, Twin, get_v2, invalid, of_school, shown, twin};

/// A school with 60 learners, of whom every other has an accountable person.
fn learners() -> Twin {
    let mut twin = twin(FINANCE);
    let learner = |id: u64| {
        let person = if id.is_multiple_of(2) { "5" } else { "" };
        format!(
            r#"{{"type":"learner","school_id":1000,"id":{id},"first_name":"n{}","grade_id":{},"accountable_person_id":"{person}"}}"#,
            id % 3,
            id % 2
        )
    };
    let lines: Vec<String> = (1..=60).map(learner).collect();
    twin.apply(&lines).unwrap();
    twin
}

/// The ids of a page, and its cursor.
fn page(twin: &Twin, target: &str) -> (Vec<u64>, Option<String>) {
    let (status, body) = get_v2(twin, target);
    assert_eq!(status, 200, "{target}: {body}");
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    let ids: Vec<u64> = body["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["id"].as_u64().unwrap())
        .collect();
    assert_eq!(body["meta"]["limit"], ids.len());
    assert_eq!(body["meta"]["max_allowed_limit"], 50);
    let cursor = body["meta"].get("next_cursor");
    (
        ids,
        cursor.map(|cursor| cursor.as_str().unwrap().to_owned()),
    )
}

fn refusal() -> (u16, String) {
    invalid(
        r#""cursor":"The cursor is of another request or damaged: leave it out to start from the first page""#,
    )
}

#[test]
fn limits() {
    let twin = learners();
    for (query, count) in [
        ("", 10),
        ("?limit=", 10),
        ("?limit=1", 1),
        ("?limit=0007", 7),
        ("?limit=50", 50),
        ("?limit=51", 50),
        ("?limit=18446744073709551615", 50),
        ("?limit=50&grade_id=1", 30),
    ] {
        let (ids, cursor) = page(&twin, &format!("/adminplus/learners{query}"));
        assert_eq!(ids.len(), count, "{query}");
        assert_eq!(cursor.is_some(), count != 30, "{query}");
    }
    for limit in ["0", "00", "-1", "+5", "1.0", "x", "18446744073709551616"] {
        assert_eq!(
            get_v2(
                &twin,
                &format!("/adminplus/learners?limit={}", limit.replace('+', "%2B"))
            ),
            invalid(r#""limit":"limit must be an unsigned integer above 0""#),
            "{limit}"
        );
    }
}

#[test]
fn pages_follow_each_other_in_either_order() {
    let twin = learners();
    for (order, mut expected) in [
        ("", (1..=60).collect::<Vec<u64>>()),
        ("&reverse_order=TRUE", (1..=60).rev().collect()),
    ] {
        let mut cursor = String::new();
        // Any limit on any page.
        for limit in [7, 1, 50, 2] {
            let target = format!("/adminplus/learners?limit={limit}{order}{cursor}");
            let (ids, next) = page(&twin, &target);
            let rest = expected.split_off(ids.len());
            assert_eq!(ids, expected, "{target}");
            expected = rest;
            assert_eq!(next.is_none(), expected.is_empty(), "{target}");
            cursor = next.map_or_else(String::new, |next| format!("&cursor={next}"));
        }
        assert!(expected.is_empty());
    }
    // A page that ends with the last record has no cursor.
    assert_eq!(
        page(&twin, "/adminplus/learners?limit=30&grade_id=0").1,
        None
    );
}

#[test]
fn a_cursor_is_for_the_same_question_in_any_words() {
    let twin = learners();
    let first = "/adminplus/learners?grade_id=0,1&limit=2";
    let (_, cursor) = page(&twin, first);
    let cursor = cursor.unwrap();
    for same in [
        "grade_id=0,1",
        "grade_id=00,+1",
        "grade_id=%30%2C1",
        "grade_id=x&grade_id=0,1",
        "grade_id=0,1&status=current&reverse_order=false&include_parents=NO",
        "grade_id=0,1&learner_id=&unknown=x&limit=50",
    ] {
        let (ids, _) = page(
            &twin,
            &format!("/adminplus/learners?{same}&cursor={cursor}"),
        );
        assert_eq!(ids[0], 3, "{same}");
    }
    for other in [
        "",
        "grade_id=1,0",
        "grade_id=0,1,1",
        "grade_id=0,1&reverse_order=1",
        "grade_id=0,1&include_parents",
        "grade_id=0,1&status=left",
        "grade_id=0,1&learner_id=3",
        "grade_id=0,1&name=n",
        "grade_id=0,1&until=2026-05-14",
    ] {
        let target = format!("/adminplus/learners?{other}&cursor={cursor}");
        assert_eq!(get_v2(&twin, &target), refusal(), "{other}");
    }
    // A limit that is wrong is the only fault; any other makes it another request.
    let wrong = format!("/adminplus/learners?grade_id=0,1&limit=0&cursor={cursor}");
    assert_eq!(
        get_v2(&twin, &wrong),
        invalid(r#""limit":"limit must be an unsigned integer above 0""#)
    );
}

#[test]
fn a_cursor_is_of_one_path_and_school() {
    let mut twin = learners();
    let (_, cursor) = page(&twin, "/adminplus/learners?limit=2");
    let cursor = cursor.unwrap();
    let mut get = |school: &str, target: &str| {
        let target = format!("/api/v2{target}?cursor={cursor}");
        shown(&twin.request(NOW, "GET", &target, &of_school(school), b""))
    };
    assert_eq!(get("1000", "/adminplus/learners/").0, 200);
    assert_eq!(get("01000", "/adminplus/learners").0, 200);
    assert_eq!(get("1000", "/finplus/debtmanagement/learners"), refusal());
    assert_eq!(get("1000", "/adminplus/learnerabsentees"), refusal());
    assert_eq!(get("1000", "/settings/clientintegrations"), refusal());
    twin.apply(&super::lines(
        r#"
{"type":"school","school_id":7,"current_year":2026}
{"type":"client_integration","username":"demo","school_id":7,"api_type_id":8,"state":1}
"#,
    ))
    .unwrap();
    let target = format!("/api/v2/adminplus/learners?cursor={cursor}");
    let other = shown(&twin.request(NOW, "GET", &target, &of_school("7"), b""));
    assert_eq!(other, refusal());
}

#[test]
fn a_damaged_cursor_is_refused() {
    let twin = learners();
    let (_, cursor) = page(&twin, "/adminplus/learners?limit=2");
    let cursor = cursor.unwrap();
    let cut = &cursor[..cursor.len() - 1];
    for damaged in [
        cut,
        "none",
        "0",
        &format!("A{cursor}"),
        &format!("{cursor}x"),
        &format!("{cursor}{cursor}"),
    ] {
        let target = format!("/adminplus/learners?limit=2&cursor={damaged}");
        assert_eq!(get_v2(&twin, &target), refusal(), "{damaged}");
    }
}
