//! Tests schools that are no longer synced, lookup lists of several schools, and the report of the
//! coverage.

use super::*;

#[test]
fn a_school_is_no_longer_synced_after_it_is_removed_replaced_or_forgotten() -> Result<()> {
    let target = "/api/v1/adminplus/learners/1000";
    let seen = [
        whole(CoverageKind::Staff),
        of_id(CoverageKind::SubjectMarks, 7),
    ];
    let line = &br#"{"type":"learner","school_id":1000,"id":7}"#[..];
    for (way, code) in [("replace", 200), ("remove", 401), ("forget", 200)] {
        let engine = engine()?;
        cover(&engine, &seen)?;
        assert_eq!(get(&engine, target, "demo").status.code, 503);
        // A failed change does not affect the coverage.
        assert!(engine.replace_school(1000, &b"x"[..]).is_err());
        assert_eq!(get(&engine, target, "demo").status.code, 503);
        match way {
            "replace" => {
                let client = r#"{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"state":1}"#;
                let school = r#"{"type":"school","school_id":1000,"current_year":2026}"#;
                let lines = [school.as_bytes(), client.as_bytes(), line].join(&b'\n');
                engine.replace_school(1000, lines.as_slice())?;
            }
            "remove" => {
                engine.remove_school(1000)?;
            }
            _ => engine.forget_sync(1000)?,
        }
        assert_eq!(get(&engine, target, "demo").status.code, code, "{way}");
        assert!(engine.verify()?.is_sound());
        assert_eq!(engine.synced(1000)?, None, "{way}");
        let has_owners = engine
            .store
            .read(|snapshot| Ok(!snapshot.owners().is_empty()))?;
        assert!(!has_owners, "{way}");
    }
    Ok(())
}

#[test]
fn a_lookup_list_is_answered_if_any_school_covers_it_or_it_has_records() -> Result<()> {
    let engine = engine()?;
    engine.apply(&br#"{"type":"language","id":1,"name":"English"}"#[..])?;
    cover(&engine, &[whole(CoverageKind::Genders)])?;
    for (list, codes, what) in [
        ("ethnicgroup", [503, 503, 503, 503], "the ethnic groups"),
        (
            "maritalstatus",
            [503, 503, 503, 503],
            "the marital statuses",
        ),
        ("gender", [404, 404, 200, 404], ""),
        ("language", [200, 404, 200, 404], ""),
    ] {
        let targets = [
            format!("/api/v1/adminplus/lookup/{list}"),
            format!("/api/v1/adminplus/lookup/{list}/8"),
            format!("/api/v2/adminplus/lookup/{list}"),
            format!("/api/v2/adminplus/lookup/{list}/8"),
        ];
        for (target, code) in targets.iter().zip(codes) {
            let answer = get(&engine, target, "demo");
            assert_eq!(answer.status.code, code, "{target}");
            if code == 503 {
                let expected = unavailable(target, &missing(None, what));
                assert_eq!(answer.text(), expected, "{target}");
            }
        }
    }
    let genders = missing(None, "the genders").to_string();
    assert_eq!(
        genders,
        "not synced yet: the genders; sync that first, or ask for what was seen"
    );
    // If no school is synced, a list consists of the records from datasets.
    engine.forget_sync(1000)?;
    let nothing = get(&engine, "/api/v1/adminplus/lookup/ethnicgroup", "demo");
    assert_eq!(nothing.status.code, 404);
    Ok(())
}

#[test]
fn the_coverage_is_returned_with_its_times() -> Result<()> {
    let engine = engine()?;
    assert_eq!(engine.synced(1000)?, None);
    cover(&engine, &[])?;
    assert_eq!(engine.synced(1000)?, Some(Coverage::default()));
    let seen = [
        whole(CoverageKind::Staff),
        of_id(CoverageKind::SubjectMarks, 7),
        of_id(CoverageKind::SubjectMarks, 8),
        days(CoverageKind::Absences, "2026-04-01", "2026-04-30"),
        CoverageAddition::Whole(CoverageKey::of_year(CoverageKind::LearnerSubjects, 2026)),
    ];
    cover(&engine, &seen)?;
    let later = [
        of_id(CoverageKind::SubjectMarks, 9),
        days(CoverageKind::Absences, "2026-04-20", "2026-05-14"),
    ];
    engine
        .store
        .write(|write| stored_coverage::add_coverage(write, 1000, &later, NOW + 60))?;
    let coverage = engine.synced(1000)?.unwrap_or_default();
    let summary = |of: &Covered| {
        let days = of.days.map(|(from, to)| format!("{from} {to}"));
        (of.what, of.year, days, of.count, of.as_of - NOW)
    };
    let days = |text: &str| Some(text.to_owned());
    let expected = [
        ("the learners' subjects", Some(2026), None, 1, 0),
        ("the subject marks of the learner", Some(2026), None, 3, 0),
        ("the absences", None, days("2026-04-01 2026-04-19"), 1, 0),
        ("the absences", None, days("2026-04-20 2026-05-14"), 1, 60),
        ("the current staff", None, None, 1, 0),
    ];
    assert_eq!(
        coverage.seen.iter().map(summary).collect::<Vec<_>>(),
        expected
    );
    assert_eq!((coverage.as_of, coverage.erased), (Some(NOW), 0));
    Ok(())
}
