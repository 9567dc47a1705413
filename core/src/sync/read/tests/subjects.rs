//! Tests the subjects of learners, per term and with marks.

use super::*;

pub(super) fn subject(terms: &str) -> String {
    format!(
        r#"[{{"year":"2026","subject_id":101,"subject_name":"Maths","super_subject_id":"","super_subject_name":"","grade_id":"9","grade":"7","terms":[{terms}]}}]"#
    )
}

#[test]
fn subjects_contain_the_year_and_the_terms() -> Result<(), DecodeError> {
    let request = PER_TERM;
    let body = subject(r#"{"term_id":11,"term":"1"},{"term_id":0,"term":"2"}"#);
    let (records, evidence) = decode(request, &body)?;
    assert_eq!(evidence.year, Some(2026));
    let start = [
        "term year=2026 term=1 term_id=11",
        "term year=2026 term=2 term_id=0",
        "subject subject_id=101 subject_name=Maths",
        "grade grade_id=9 grade=7",
    ];
    assert_eq!(records.get(..4), Some(start.map(str::to_owned).as_slice()));
    let taken = records.get(4).map_or("", String::as_str);
    let expected = "learner_subject learner_id=1 year=2026 subject_id=101 grade_id=9 terms=";
    assert!(taken.starts_with(expected), "{taken}");

    let left_out = "without learner_subject learner_id=1 year=2026 subject_id=101";
    let terms = "learner_subject.terms of 1/2026/101: 1 left out";
    let twice = subject(r#"{"term_id":11,"term":"1"},{"term_id":11,"term":"01"}"#);
    assert_eq!(
        lines(request, &twice).last().map_or("", String::as_str),
        left_out
    );
    assert_eq!(findings(request, &twice), [terms]);
    for no_id in [r#"{"term":"1"}"#, r#"{"term":"1","term_id":""}"#] {
        let body = subject(no_id);
        let expected = "term.term_id of 2026/1: 1 left out";
        assert_eq!(findings(request, &body), [expected]);
        assert_eq!(lines(request, &body).len(), 4);
    }
    let marked = subject(r#"{"term":"1","term_id":1,"mark":"50.00"}"#);
    assert_eq!(findings(request, &marked), [terms]);
    let group = subject(r#"{"term":"1","term_id":1,"classroom_name":["a"]}"#);
    let expected = "learner_subject.terms.classroom_name of 1/2026/101: 1 empty";
    assert_eq!(findings(request, &group), [expected]);
    let marks = SUBJECT_MARKS;
    for mark in ["\"50.00\"", "50", "50.00"] {
        let body = subject(&format!(r#"{{"term":"1","mark":{mark}}}"#));
        assert_eq!(findings(marks, &body), [""; 0]);
    }
    for mark in [r#""""#, "null"] {
        let body = subject(&format!(r#"{{"term":"1","mark":{mark}}}"#));
        assert_eq!(lines(marks, &body), lines(marks, &subject("")), "{mark}");
    }
    for mark in [r#""much""#, "[]", "true"] {
        let body = subject(&format!(r#"{{"term":"1","mark":{mark}}}"#));
        assert_eq!(findings(marks, &body), [terms], "{mark}");
    }
    Ok(())
}

#[test]
fn an_answer_of_two_years_is_refused() {
    let other = r#"{"year":"2027","subject_id":"102","subject_name":"","grade_id":"9","terms":[]}"#;
    let both = subject("").replace("]}]", &format!("]}},{other}]"));
    assert!(has_wrong_shape(PER_TERM, &both));
    let twice = subject("").replace("]}]", &format!("]}},{}", &subject("")[1..]));
    assert!(has_wrong_shape(PER_TERM, &twice));
}
