//! A school outside the scope of a follower is unknown, for every typed question: the follower
//! never answers as if the school had no records.

use super::transfer::bring;
use crate::corpus::typed::{Shape, Way, hand};
use rollbook::{Engine, Options, Page, Parents, Scope, StaffMembers};
use rollbook_tests::random::Random;
use std::cell::RefCell;

/// The questions about one school, without filters and for one record.
const TARGETS: [&str; 19] = [
    "adminplus/learners/{s}",
    "adminplus/learners/{s}?learner_id=7",
    "adminplus/learners/{s}?status=left",
    "adminplus/learnerabsentees/{s}",
    "adminplus/learnerabsentees/{s}?id=3",
    "adminplus/learnerdiscipline/{s}",
    "adminplus/parents/{s}",
    "adminplus/parents/{s}?parent_id=5",
    "adminplus/staffmembers/{s}",
    "adminplus/school/{s}",
    "adminplus/lookup/grade/{s}",
    "currplus/learnersubjects/{s}",
    "currplus/learnersubjectsperterm/{s}?learner_id=7",
    "currplus/learnersubjectmarks/{s}?learner_id=7",
    "currplus/learnerassessmentmarks/{s}?learner_id=7",
    "finplus/debtmanagement/learnerparentinfo/{s}",
    "finplus/debtmanagement/schooldebtors/{s}",
    "settings/clients/{s}",
    "finplus/debtmanagement/schools/{s}",
];

const SCHOOL: &str = r#"
{"type":"school","school_id":1,"current_year":2026}
{"type":"learner","school_id":1,"id":7}
"#;

/// Returns the statuses and error codes of all questions about a school, in each of the three
/// forms.
fn outcomes(engine: &Engine, school: u64) -> Vec<(String, String)> {
    let all = RefCell::new(Vec::new());
    for target in TARGETS {
        let target = format!("/api/v1/{}", target.replace("{s}", &school.to_string()));
        let take = |question: &dyn rollbook::Question, _: &Shape<'_>| {
            let answers = [
                engine.ask(question),
                engine.page(question, &Page::default()),
                engine.find(question),
            ];
            all.borrow_mut().extend(answers.map(|answer| {
                let outcome = match answer {
                    Ok(answer) => answer.status.code.to_string(),
                    Err(error) => error.code().to_owned(),
                };
                (target.clone(), outcome)
            }));
        };
        let shape = Shape::All;
        assert!(
            hand("demo", &target, &Way { shape, take: &take }).is_some(),
            "{target}"
        );
    }
    all.into_inner()
}

fn all_are_not_synced(engine: &Engine, school: u64) {
    let outcomes = outcomes(engine, school);
    assert_eq!(outcomes.len(), 3 * TARGETS.len());
    for (target, outcome) in outcomes {
        assert_eq!(outcome, "not_synced", "{target}");
    }
}

#[test]
fn a_school_outside_the_scope_is_not_synced() {
    let mut dice = Random::new(1);
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SCHOOL.as_bytes()).unwrap();
    let follower = Engine::memory(Options::default()).unwrap();
    let scope = Scope::default().school(1);
    let mut follow = |scope: &Scope| bring(&mut dice, &source, &follower, scope).unwrap();
    follow(&scope);
    let answered = |engine: &Engine, school| {
        let is_answered = |(_, outcome): &(String, String)| outcome != "not_synced";
        outcomes(engine, school)
            .iter()
            .filter(|one| is_answered(one))
            .count()
    };
    assert_eq!(answered(&follower, 1), 3 * TARGETS.len());
    all_are_not_synced(&follower, 2);
    // A school of the app is answered, however little is stored of it.
    for own in [
        r#"{"type":"school","school_id":77,"current_year":2026}"#,
        r#"{"type":"learner","school_id":78,"id":1}"#,
    ] {
        follower.apply(own.as_bytes()).unwrap();
    }
    assert_eq!(answered(&follower, 77), 3 * TARGETS.len());
    assert_eq!(answered(&follower, 78), 3 * TARGETS.len());
    follow(&Scope::default());
    all_are_not_synced(&follower, 1);
    assert_eq!(answered(&follower, 77), 3 * TARGETS.len());
    follow(&scope);
    assert_eq!(answered(&follower, 1), 3 * TARGETS.len());
    follower.remove_school(1).unwrap();
    all_are_not_synced(&follower, 1);
    // The source follows no store, and has all existing data.
    assert_eq!(answered(&source, 2), 3 * TARGETS.len());
}

/// A follower cannot make a feed of a school that it neither follows nor has records of.
#[test]
fn a_school_outside_the_scope_is_not_passed_on() {
    let [root, server, phone] = [(); 3].map(|()| Engine::memory(Options::default()).unwrap());
    root.apply(
        &b"{\"type\":\"school\",\"school_id\":1,\"current_year\":2026}\n{\"type\":\"school\",\"school_id\":2,\"current_year\":2026}"[..],
    )
    .unwrap();
    let mut dice = Random::new(1);
    let [first, second] = [1, 2].map(|school| Scope::default().school(school));
    bring(&mut dice, &root, &server, &first).unwrap();
    let refused = bring(&mut dice, &server, &phone, &second).unwrap_err();
    assert_eq!(refused.code(), "unsupported");
    // Records of the school that the app has added are passed on.
    server
        .apply(&br#"{"type":"staff_member","school_id":2,"id":7}"#[..])
        .unwrap();
    bring(&mut dice, &server, &phone, &second).unwrap();
    let staff = StaffMembers {
        school: 2,
        ..StaffMembers::default()
    };
    assert_eq!(phone.ask(&staff).unwrap().status.code, 200);
}

/// Live queries about a school that is not followed notice the first record of it, of any kind, and
/// the removal of the last one.
#[test]
fn observers_see_the_first_record_of_a_school_that_is_not_followed() {
    let [server, phone] = [(); 2].map(|()| Engine::memory(Options::default()).unwrap());
    let mut dice = Random::new(1);
    bring(&mut dice, &server, &phone, &Scope::default().school(2)).unwrap();
    let parents = Parents {
        school: 3,
        parent_id: None,
    };
    let mut observed = phone.observe(parents);
    let mut code = || {
        let answer = observed.poll()?;
        Some(answer.map_or_else(
            |error| error.code().to_owned(),
            |answer| answer.status.code.to_string(),
        ))
    };
    assert_eq!(code().as_deref(), Some("not_synced"));
    let record = r#"{"type":"staff_member","school_id":3,"id":2"#;
    for (change, expected) in [
        ("}", "404"),
        (r#","deleted":true}"#, "not_synced"),
        ("}", "404"),
    ] {
        phone.apply(format!("{record}{change}").as_bytes()).unwrap();
        assert_eq!(code().as_deref(), Some(expected));
        let asked = phone.ask(&Parents {
            school: 3,
            parent_id: None,
        });
        assert_eq!(asked.is_ok(), expected == "404");
    }
}
