//! 4.1 the filters, the window, the order.

use super::{get, get_at, twin};

/// The ids that a query of learners finds.
fn ids(twin: &super::Twin, query: &str) -> String {
    ids_at(twin, super::NOW, query)
}

fn ids_at(twin: &super::Twin, now: i64, query: &str) -> String {
    let (status, body) = get_at(twin, now, &format!("/adminplus/learners/1000?{query}"));
    if status == 404 {
        return String::new();
    }
    assert_eq!(status, 200, "{query}: {body}");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&body).unwrap();
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    ids.join(" ")
}

fn learner(id: &str, more: &str) -> String {
    format!("{{\"type\":\"learner\",\"school_id\":1000,\"id\":{id},{more}}}\n")
}

#[test]
fn learners_stand_in_the_order_of_their_ids() {
    let ids_given = ["10", "\"0002\"", "18446744073709551615", "0", "1"];
    let data: String = ids_given.map(|id| learner(id, "\"gender\":\"F\"")).concat();
    assert_eq!(ids(&twin(&data), ""), "0 1 2 10 18446744073709551615");
    assert_eq!(
        ids(&twin(&data), "learner_id=18446744073709551615"),
        "18446744073709551615"
    );
    assert_eq!(ids(&twin(&data), "learner_id=00002"), "2");
    assert_eq!(ids(&twin(&data), "learner_id=3"), "");
}

#[test]
fn text_references_are_compared_as_numbers_and_answered_as_given() {
    let twin = twin(
        &[
            learner("1", r#""grade_id":"009","family_code":"0040""#),
            learner("2", r#""grade_id":9,"family_code":40"#),
            learner("3", r#""grade_id":"R","family_code":"F40""#),
            learner("4", r#""grade_id":"+9","family_code":" 40""#),
            learner(
                "5",
                r#""grade_id":"18446744073709551616","family_code":-40"#,
            ),
            learner(
                "6",
                r#""status":"left","transfer_date":"2026-05-01","grade_id":9"#,
            ),
        ]
        .concat(),
    );
    assert_eq!(ids(&twin, "grade_id=9"), "1 2");
    assert_eq!(ids(&twin, "grade_id=+8+,++0009+,77"), "1 2");
    assert_eq!(ids(&twin, "family_code=40"), "1 2");
    assert_eq!(
        ids(&twin, "family_code=00040&learner_id=2&grade_id=9,9"),
        "2"
    );
    assert_eq!(ids(&twin, "family_code=0"), "");
    assert!(
        get(&twin, "/adminplus/learners/1000?learner_id=1")
            .1
            .contains(r#""grade_id":"009","grade":"","#)
    );
    assert!(
        get(&twin, "/adminplus/learners/1000?learner_id=5")
            .1
            .contains(r#""family_code":"-40","#)
    );
}

#[test]
fn parents_are_looked_up_by_number() {
    let twin = twin(
        &[
            learner("1", r#""parent1_id":"0040","parent2_id":"40""#),
            learner("2", r#""parent1_id":"99","parent2_id":40"#),
            learner("3", r#""parent1_id":"x40","parent2_id":"+40""#),
            "{\"type\":\"parent\",\"school_id\":1000,\"id\":40,\"gross_annual_income\":\"-0.005\"}\n".to_owned(),
            "{\"type\":\"parent\",\"school_id\":7,\"id\":99}\n".to_owned(),
        ]
        .concat(),
    );
    let (_, body) = get(&twin, "/adminplus/learners/1000?include_parents=");
    let rows: serde_json::Value = serde_json::from_str(&body).unwrap();
    let parents = |row: usize| {
        let parents: Vec<_> = rows[row]["parents"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["id"].as_str().unwrap())
            .collect();
        parents.join(" ")
    };
    assert_eq!([parents(0), parents(1), parents(2)], ["40 40", "40", ""]);
    assert_eq!(rows[0]["parent1_id"], "0040");
    assert_eq!(rows[0]["parents"][0]["gross_annual_income"], "-0.01");
    assert!(body.contains(r#""parent1_id":"x40","parent2_id":"+40","parents":[]}"#));
}

#[test]
fn names_are_folded() {
    let twin = twin(
        &[
            learner("1", r#""first_name":"José","last_name":"Smith""#),
            learner("2", r#""first_name":"JOSE\u0301","last_name":"ΟΔΟΣ""#),
            learner("3", r#""first_name":"한국","last_name":"İnce""#),
            learner("4", r#""first_name":"Ann"  "#),
            learner("5", r#""last_name":"Straße""#),
        ]
        .concat(),
    );
    for (query, expected) in [
        ("jose", "1 2"),
        ("JOS%C3%89+s", "1"),
        ("e%CC%81+%CE%BF%CE%94", "2"),
        ("%CE%9F%CE%94%CE%9F%CE%A3", "2"),
        // A final sigma in the query meets one in the name; an inner one does not.
        ("%CE%BF%CE%B4%CE%BF%CF%83", ""),
        ("%E1%84%92%E1%85%A1%E1%86%AB", "3"),
        ("%ED%95%98", "3"),
        ("ince", "3"),
        ("%C4%B1nce", ""),
        ("strasse", ""),
        ("STRA%C3%9FE", "5"),
        ("+stra", "5"),
        ("ann+", "4"),
        ("+ann", ""),
        ("%CC%81", "1 2 3 4 5"),
        ("", "1 2 3 4 5"),
        ("smith+jose", ""),
    ] {
        assert_eq!(ids(&twin, &format!("name={query}")), expected, "{query}");
    }
}

#[test]
fn the_window_of_left_learners_is_inclusive() {
    let left =
        |id: &str, date: &str| learner(id, &format!(r#""status":"left","transfer_date":"{date}""#));
    let twin = twin(
        &[
            left("1", "2026-04-13"),
            left("2", "2026-04-14"),
            left("3", "2026-05-14"),
            left("4", "2026-05-15"),
            left("5", "2025-05-14"),
            learner("6", r#""transfer_date":"2026-05-01""#),
            learner("7", r#""status":"waitlist","transfer_date":"2026-05-01""#),
        ]
        .concat(),
    );
    for (query, expected) in [
        ("status=left", "2 3"),
        ("status=left&until=2026-05-15", "3 4"),
        ("status=left&until=2026-05-13", "1 2"),
        ("status=left&since=2026-04-13", "1 2 3"),
        ("status=left&since=2025-05-14", "1 2 3 5"),
        ("status=left&since=2026-05-15&until=2026-05-15", "4"),
        ("status=left&since=", "2 3"),
        ("status=left&learner_id=1", ""),
        ("status=current", "6"),
        ("status=&since=2020-01-01&until=2026-01-01", "6"),
        ("status=waitlist&since=2026-06-01", "7"),
    ] {
        assert_eq!(ids(&twin, query), expected, "{query}");
    }
}

#[test]
fn today_is_the_local_date_of_the_school() {
    let left = learner("1", r#""status":"left","transfer_date":"2024-02-29""#);
    let twin = twin(&left);
    // 2024-03-31T22:00:00Z is midnight of 1 April at +02:00; a month before 31 March is 29 February.
    let midnight = 1_711_922_400;
    assert_eq!(ids_at(&twin, midnight - 1, "status=left"), "1");
    assert_eq!(ids_at(&twin, midnight, "status=left"), "");
    let mut west = twin.clone();
    west.apply(&super::lines(
        r#"{"type":"school","school_id":1000,"current_year":1,"utc_offset":"-18:00"}"#,
    ))
    .unwrap();
    assert_eq!(ids_at(&west, midnight + 20 * 3600 - 1, "status=left"), "1");
    assert_eq!(ids_at(&west, midnight + 20 * 3600, "status=left"), "");
}
