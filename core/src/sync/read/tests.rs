//! Each reader, with what the service answers and with what it must not.

use super::super::ask::{Ask, Listing};
use super::{Evidence, MOST_BYTES, Unread, read};
use crate::dataset::LINE_BYTES;
use crate::date::Date;
use crate::record::{Kind, Value};

const SCHOOL: u64 = 1000;

fn day(text: &str) -> Date {
    text.parse().unwrap_or(Date::MIN)
}

fn may() -> Ask {
    Ask::Absences(day("2026-05-01"), day("2026-05-31"))
}

const MARKS: Ask = Ask::Marks {
    grade: 9,
    year: Some(2026),
    structure: false,
};
const STRUCTURE: Ask = Ask::Marks {
    grade: 9,
    year: None,
    structure: true,
};
const CURRENT: Ask = Ask::Learners {
    of: Listing::Current,
    parents: true,
};

/// What was told, a line a record: its kind and the fields that have a value.
fn told(ask: Ask, body: &str) -> Result<(Vec<String>, Evidence), Unread> {
    let (told, evidence) = read(ask, SCHOOL, body.as_bytes())?;
    let records = told.records(SCHOOL).filter_map(Result::ok);
    let lines = records.map(|record| {
        let mut line = record.kind.name().to_owned();
        for (field, value) in record.kind.fields().iter().zip(&record.values) {
            let mut text = Vec::new();
            value.push_exact(&mut text);
            if let Value::Terms(terms) = value {
                text = format!("{terms:?}").into_bytes();
            }
            if !value.is_empty() && field.name != "school_id" {
                line.extend([" ", field.name, "=", &String::from_utf8_lossy(&text)]);
            }
        }
        line
    });
    let lines: Vec<String> = lines.collect();
    assert_eq!(evidence.records, lines.len() as u64);
    Ok((lines, evidence))
}

fn lines(ask: Ask, body: &str) -> Vec<String> {
    match told(ask, body) {
        Ok((lines, evidence)) => {
            assert!(evidence.unknown.is_empty(), "{evidence:?}");
            lines
        }
        Err(why) => vec![why.to_string()],
    }
}

fn refused(ask: Ask, body: &str) -> Option<Unread> {
    told(ask, body).err()
}

#[allow(clippy::unnecessary_wraps, reason = "what refused gives")]
fn unkeepable(of: &'static str, field: &'static str) -> Option<Unread> {
    Some(Unread::Unkeepable { of, field })
}

#[test]
fn learners_come_with_their_status_and_parents() {
    let body = r#"[{"id":"1","first_name":"Anna","grade_id":9,"parents":[{"id":"5","first_name":"Zoe","gross_annual_income":"1.50"}]},{"id":"2"}]"#;
    let expected = [
        "parent id=5 first_name=Zoe gross_annual_income=1.5",
        "learner id=1 first_name=Anna grade_id=9 status=current",
        "learner id=2 status=current",
    ];
    assert_eq!(lines(CURRENT, body), expected);
    assert_eq!(lines(CURRENT, "[]"), [""; 0]);
}

/// What a record has beside what is answered is no member of an answer.
#[test]
fn a_member_is_no_fact_because_of_its_name() -> Result<(), Unread> {
    for (ask, fact) in [
        (CURRENT, "status"),
        (CURRENT, "school_id"),
        (CURRENT, "transfer_date"),
        (CURRENT, "account"),
        (CURRENT, "debtor_code"),
        (Ask::School, "utc_offset"),
        (Ask::School, "current_year"),
        (Ask::Staff, "status"),
        (Ask::Grades, "grade_id"),
        (may(), "school_id"),
    ] {
        let rest = match ask {
            Ask::School => r#""school_name":"a""#,
            Ask::Absences(..) => r#""id":"1","learner_id":"2","absent_date":"2026-05-01""#,
            _ => r#""id":"1""#,
        };
        let plain = told(ask, &format!("[{{{rest}}}]"))?;
        for value in [r#""2000""#, "{}", "[[1]]", "null"] {
            let (told, evidence) = told(ask, &format!(r#"[{{"{fact}":{value},{rest}}}]"#))?;
            assert_eq!(told, plain.0, "{fact}");
            let named: Vec<_> = evidence.unknown.iter().map(|(_, name)| name).collect();
            assert_eq!(named, [fact]);
        }
    }
    Ok(())
}

#[test]
fn another_school_is_refused() {
    let school = |id: &str| format!(r#"[{{"school_id":{id},"school_name":"a"}}]"#);
    assert_eq!(
        lines(Ask::School, &school("\"1000\"")),
        ["school school_name=a"]
    );
    for other in ["\"2000\"", "2000", "null", "\"x\""] {
        assert_eq!(
            refused(Ask::School, &school(other)),
            Some(Unread::OtherSchool)
        );
    }
}

#[test]
fn objects_without_what_makes_them_one_are_refused() {
    for (ask, body) in [
        (Ask::SchoolInfo, r#"{"ok":true}"#),
        (Ask::SchoolInfo, "{}"),
        (Ask::SchoolInfo, "[]"),
        (Ask::School, "[{}]"),
        (Ask::School, r#"{"school_name":"a"}"#),
        (MARKS, r#"{"9":{"grade":"7"}}"#),
        (MARKS, r#"{"ok":{"years":{}}}"#),
        (MARKS, "[]"),
        (
            Ask::SubjectMarks(1),
            r#"[{"year":"2026","subject_id":"1","grade_id":"9"}]"#,
        ),
    ] {
        assert_eq!(refused(ask, body), Some(Unread::Shape), "{body}");
    }
    assert_eq!(refused(CURRENT, "[{}]"), unkeepable("learner", "id"));
    assert_eq!(refused(CURRENT, r#"{"data":[]}"#), Some(Unread::Shape));
}

#[test]
fn what_is_no_json_is_asked_again() {
    let whole = r#"[{"id":"1","parents":[{"id":"5"}]}]"#;
    for body in [
        "",
        "<html><body>Log in</body></html>",
        "[{]",
        "[] []",
        "\u{0}",
    ] {
        assert_eq!(refused(CURRENT, body), Some(Unread::NoJson), "{body}");
    }
    for length in 0..whole.len() {
        let cut = whole.get(..length).unwrap_or_default();
        assert_eq!(refused(CURRENT, cut), Some(Unread::NoJson), "{cut}");
    }
    assert_eq!(read(CURRENT, SCHOOL, b"[\xff]").err(), Some(Unread::NoJson));
    let deep = "[".repeat(100_000);
    assert!(refused(CURRENT, &deep).is_some());
    let unknown = format!(r#"[{{"id":"1","new":{deep}"#);
    assert_eq!(refused(CURRENT, &unknown), Some(Unread::NoJson));
    let large = vec![b' '; MOST_BYTES + 1];
    assert_eq!(read(CURRENT, SCHOOL, &large).err(), Some(Unread::TooLarge));
}

/// The fault is named by kind and field, never by the value.
#[test]
fn wrong_types_are_named() {
    for (body, field) in [
        (r#"[{"id":true}]"#, "id"),
        (r#"[{"id":"-1"}]"#, "id"),
        (r#"[{"id":"18446744073709551616"}]"#, "id"),
        (
            r#"[{"id":"1","date_of_birth":"2026-02-30"}]"#,
            "date_of_birth",
        ),
        (r#"[{"id":"1","first_name":["Anna"]}]"#, "first_name"),
        (r#"[{"id":"1","first_name":1.5}]"#, "first_name"),
        (r#"[{"id":"1","first_name":{"a":1}}]"#, "first_name"),
    ] {
        assert_eq!(
            refused(CURRENT, body),
            unkeepable("learner", field),
            "{body}"
        );
    }
    let parent = r#"[{"id":"1","parents":[{"id":"5","gross_annual_income":"much"}]}]"#;
    let wrong = unkeepable("parent", "gross_annual_income");
    assert_eq!(refused(CURRENT, parent), wrong);
    assert_eq!(
        refused(CURRENT, r#"[{"id":"1","parents":{}}]"#),
        Some(Unread::Shape)
    );
    assert_eq!(refused(CURRENT, "[1]"), Some(Unread::Shape));
}

#[test]
fn a_member_that_stands_twice_is_refused() {
    for (ask, body) in [
        (CURRENT, r#"[{"id":"1","first_name":"a","first_name":"a"}]"#),
        (CURRENT, r#"[{"id":"1","parents":[],"parents":[]}]"#),
        (
            Ask::School,
            r#"[{"school_name":"a","school_id":"1000","school_id":"1000"}]"#,
        ),
        (MARKS, r#"{"9":{"years":{},"years":{}}}"#),
        (MARKS, r#"{"9":{"years":{}},"9":{"years":{}}}"#),
        (MARKS, r#"{"9":{"grade":"7","grade":"7","years":{}}}"#),
    ] {
        assert_eq!(refused(ask, body), Some(Unread::Shape), "{body}");
    }
}

#[test]
fn days_that_were_not_asked_are_refused() {
    let absence = |date: &str| {
        format!(r#"[{{"id":"1","learner_id":"2","absent_date":{date},"absent_reason":""}}]"#)
    };
    assert_eq!(
        lines(may(), &absence("\"2026-05-31\"")),
        ["absentee id=1 learner_id=2 absent_date=2026-05-31"]
    );
    assert_eq!(
        refused(may(), &absence("\"2026-06-01\"")),
        Some(Unread::OutOfUnit)
    );
    for none in ["\"\"", "null"] {
        assert_eq!(
            refused(may(), &absence(none)),
            unkeepable("absentee", "absent_date")
        );
    }
}

#[test]
fn accounts_tell_learners_parents_and_persons() {
    let ask = Ask::Accounts {
        all: true,
        parents: true,
    };
    let body = r#"[{"learner_id":"1","first_name":"Anna","debtor_code":"007","parents":[{"id":"5"}],"accountable_person":{"accountable_person_id":"6","first_name":"Zoe"}}]"#;
    let expected = [
        "parent id=5",
        "accountable_person accountable_person_id=6 first_name=Zoe",
        "learner id=1 first_name=Anna debtor_code=007",
    ];
    assert_eq!(lines(ask, body), expected);
}

#[test]
fn info_and_lookups() {
    let info = r#"{"school_name":"a","tuition_languages":["English"],"website":null}"#;
    let expected = r#"school school_name=a tuition_languages=[\"English\"]"#;
    assert_eq!(lines(Ask::SchoolInfo, info), [expected]);
    let grade = r#"[{"id":"9","name":"Grade 7"}]"#;
    assert_eq!(lines(Ask::Grades, grade), ["grade grade_id=9 name=Grade 7"]);
    let gender = r#"[{"id":"1","name":"M"}]"#;
    assert_eq!(
        lines(Ask::Lookup(Kind::Gender), gender),
        ["gender id=1 name=M"]
    );
    let none = r#"[{"name":"M"}]"#;
    assert_eq!(
        refused(Ask::Lookup(Kind::Gender), none),
        unkeepable("gender", "id")
    );
}

fn subject(terms: &str) -> String {
    format!(
        r#"[{{"year":"2026","subject_id":101,"subject_name":"Maths","super_subject_id":"","super_subject_name":"","grade_id":"9","grade":"7","terms":[{terms}]}}]"#
    )
}

#[test]
fn subjects_tell_the_year_and_the_terms() -> Result<(), Unread> {
    let ask = Ask::SubjectsPerTerm(1);
    let body = subject(r#"{"term_id":11,"term":"1"},{"term_id":0,"term":"2"}"#);
    let (told, evidence) = told(ask, &body)?;
    assert_eq!(evidence.year, Some(2026));
    let start = [
        "term year=2026 term=1 term_id=11",
        "term year=2026 term=2 term_id=0",
        "subject subject_id=101 subject_name=Maths",
        "grade grade_id=9 grade=7",
    ];
    assert_eq!(told.get(..4), Some(start.map(str::to_owned).as_slice()));
    let taken = told.get(4).map_or("", String::as_str);
    let expected = "learner_subject learner_id=1 year=2026 subject_id=101 grade_id=9 terms=";
    assert!(taken.starts_with(expected), "{taken}");

    let twice = subject(r#"{"term_id":11,"term":"1"},{"term_id":11,"term":"01"}"#);
    assert_eq!(refused(ask, &twice), unkeepable("learner_subject", "terms"));
    for no_id in [r#"{"term":"1"}"#, r#"{"term":"1","term_id":""}"#] {
        assert_eq!(refused(ask, &subject(no_id)), unkeepable("term", "term_id"));
    }
    let marked = subject(r#"{"term":"1","term_id":1,"mark":"50.00"}"#);
    assert_eq!(refused(ask, &marked), Some(Unread::Shape));
    let marks = Ask::SubjectMarks(1);
    assert_eq!(
        refused(marks, &subject(r#"{"term":"1","mark":"50.00"}"#)),
        None
    );
    let wrong = unkeepable("learner_subject", "terms");
    assert_eq!(
        refused(marks, &subject(r#"{"term":"1","mark":"much"}"#)),
        wrong
    );
    Ok(())
}

#[test]
fn an_answer_of_two_years_is_refused() {
    let other = r#"{"year":"2027","subject_id":"102","subject_name":"","grade_id":"9","terms":[]}"#;
    let both = subject("").replace("]}]", &format!("]}},{other}]"));
    assert_eq!(refused(Ask::SubjectsPerTerm(1), &both), Some(Unread::Shape));
    let twice = subject("").replace("]}]", &format!("]}},{}", &subject("")[1..]));
    assert_eq!(
        refused(Ask::SubjectsPerTerm(1), &twice),
        Some(Unread::Shape)
    );
}

/// Two learners, one assessment each; `{}` of the second.
fn marks(of_second: &str) -> String {
    let leaf = |id: &str, mark: &str| {
        format!(
            r#""subjects":{{"101":{{"subject_id":"101","subject_name":"Maths","learning_outcomes":{{"3":{{"learning_outcome_id":"3","learning_outcome_name":"","assessments":{{"{id}":{{"assessment_id":"{id}","assessment_name":"Test","assessment_date":"2026-02-01","weight":"10.00",{mark}}}}}}}}}}}}}"#
        )
    };
    let first = leaf(
        "77",
        r#""dtime":"2026-02-02 08:00:00","percentage":"50.00","mark":"5.00","mark_out_of":"10.00","captured":"1""#,
    );
    let second = leaf("77", of_second);
    format!(
        r#"{{"9":{{"grade":"7","years":{{"2026":{{"year":"2026","year_name":"2026","terms":{{"1":{{"term":"1","learners":{{"1":{{"learner_id":"1",{first}}},"2":{{"learner_id":"2",{second}}}}}}}}}}}}}}}}}"#
    )
}

const ABSENT: &str =
    r#""dtime":"","percentage":"a","mark":"","mark_out_of":"10.00","captured":"1""#;

#[test]
fn marks_tell_what_is_the_same_once() -> Result<(), Unread> {
    let (told, evidence) = told(MARKS, &marks(ABSENT))?;
    let expected = [
        "grade grade_id=9 grade=7",
        "year year=2026 year_name=2026",
        "learning_program grade_id=9 year=2026 term=1 subject_id=101 released=1",
        "subject subject_id=101 subject_name=Maths",
        "learning_outcome learning_outcome_id=3",
        "assessment assessment_id=77 grade_id=9 year=2026 term=1 subject_id=101 learning_outcome_id=3 assessment_name=Test assessment_date=2026-02-01 weight=10 mark_out_of=10",
        "mark assessment_id=77 learner_id=1 mark=5 percentage=50 captured=1 dtime=2026-02-02 08:00:00",
        "mark assessment_id=77 learner_id=2 percentage=a captured=1",
    ];
    assert_eq!(told, expected);
    assert_eq!(evidence.year, Some(2026));
    // The second learner's says something else: that is told too.
    let other = ABSENT.replace("10.00", "20.00");
    assert_eq!(lines(MARKS, &marks(&other)).len(), expected.len() + 1);
    Ok(())
}

#[test]
fn marks_of_others_are_refused() {
    let body = marks(ABSENT);
    for (ask, why) in [
        (MARKS, None),
        (
            Ask::Marks {
                grade: 8,
                year: None,
                structure: false,
            },
            Some(Unread::OutOfUnit),
        ),
        (
            Ask::Marks {
                grade: 9,
                year: Some(2025),
                structure: false,
            },
            Some(Unread::OutOfUnit),
        ),
    ] {
        assert_eq!(refused(ask, &body), why);
    }
    for (from, to) in [
        (r#""year":"2026""#, r#""year":"2025""#),
        (r#""term":"1""#, r#""term":"2""#),
        (r#""learner_id":"2""#, r#""learner_id":"1""#),
        (r#""subject_id":"101""#, r#""subject_id":"102""#),
        (
            r#""learning_outcome_id":"3""#,
            r#""learning_outcome_id":"4""#,
        ),
        (r#""assessment_id":"77""#, r#""assessment_id":"78""#),
        // A learner twice.
        (r#""2":{"learner_id":"2""#, r#""1":{"learner_id":"1""#),
    ] {
        let other = body.replace(from, to);
        assert_ne!(other, body);
        assert_eq!(refused(MARKS, &other), Some(Unread::Shape), "{to}");
    }
    for (from, to, field) in [
        ("2026-02-01", "2026-02-31", "assessment_date"),
        ("10.00", "1e9", "weight"),
        ("2026-02-01", "", "assessment_date"),
    ] {
        let wrong = unkeepable("assessment", field);
        assert_eq!(refused(MARKS, &body.replace(from, to)), wrong);
    }
    for (from, to, field) in [
        ("08:00:00", "25:00:00", "dtime"),
        ("5.00", "x", "mark"),
        (r#""captured":"1""#, r#""captured":"2""#, "captured"),
    ] {
        assert_eq!(
            refused(MARKS, &body.replace(from, to)),
            unkeepable("mark", field)
        );
    }
}

/// Marks in an answer of the structure are no structure: they are unknown there.
#[test]
fn the_structure_tells_no_marks() -> Result<(), Unread> {
    let (told, evidence) = told(STRUCTURE, &marks(ABSENT))?;
    assert_eq!(evidence.year, Some(2026));
    assert_eq!(evidence.unknown.len(), 5);
    let of = |kind: &str| {
        told.iter()
            .filter(|line| line.starts_with(kind))
            .collect::<Vec<_>>()
    };
    let program = "learning_program grade_id=9 year=2026 term=1 subject_id=101";
    assert_eq!(of("learning_program"), [program]);
    assert_eq!(of("mark assessment_id=77 learner_id=1 captured=0").len(), 1);
    assert!(of("assessment").iter().all(|line| !line.contains("out_of")));
    Ok(())
}

/// A store takes nothing that a dataset could not bring.
#[test]
fn large_records_are_refused() {
    let learner = |bytes: usize| format!(r#"[{{"id":"1","first_name":"{}"}}]"#, "x".repeat(bytes));
    assert_eq!(refused(CURRENT, &learner(1_000_000)), None);
    let large = learner(LINE_BYTES);
    assert_eq!(refused(CURRENT, &large), Some(Unread::LargeRecord));
}

/// Names of unknown members may be anything: few are kept, and none that is long.
#[test]
fn unknown_members_are_few() -> Result<(), Unread> {
    let many: Vec<String> = (0..1000).map(|n| format!(r#""new{n}":[{n}]"#)).collect();
    let long = "x".repeat(65);
    let body = format!(r#"[{{"id":"1","{long}":1,{}}}]"#, many.join(","));
    let (_, evidence) = told(CURRENT, &body)?;
    assert_eq!(evidence.unknown.len(), 64);
    assert!(
        evidence
            .unknown
            .iter()
            .all(|(of, name)| *of == "learner" && name.len() < 65)
    );
    Ok(())
}
