//! A service that refuses some of its lists, or does not answer them: everything else is synced, in a
//! first pass and in later ones, and the report names what is missing.

use super::bad::targets;
use super::machine::{grades, options};
use super::{ACCESS, NOW, SCHOOL, get, source, synced};
use rollbook::{CallFailure, Engine, FailedRequest, Options, Reply, Step, SyncOptions, SyncReport};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, search, seeds};
use rollbook_tests::world::{Action, World};
use std::collections::BTreeSet;

/// How the service fails to answer a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    Status(u16),
    Body(&'static str),
    NoReply,
}

const WAYS: [Way; 12] = [
    Way::Status(401),
    Way::Status(403),
    Way::Status(404),
    Way::Status(410),
    Way::Status(429),
    Way::Status(500),
    Way::Status(302),
    Way::Body("null"),
    Way::Body("\"Zebedee\""),
    Way::Body("Fatal error: out of memory"),
    Way::Body("<html>Log in</html>"),
    Way::NoReply,
];

/// Runs a pass in which the service fails to answer the lost targets. Returns the report and how
/// often each lost target was requested.
pub(super) fn pass(
    mirror: &Engine,
    source: &Engine,
    lost: &dyn Fn(&str) -> Option<Way>,
) -> (SyncReport, usize) {
    let sync = mirror.sync(SCHOOL, options(u32::MAX)).unwrap();
    let (mut now, mut requested) = (NOW, 0);
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let way = lost(&call.target);
                requested += usize::from(way.is_some());
                let answer = get(source, &call.target, NOW);
                let reply = match way {
                    Some(Way::NoReply) => {
                        sync.handle_failure(call.id, now, CallFailure::Cut).unwrap();
                        continue;
                    }
                    Some(Way::Status(status)) => Reply {
                        status,
                        body: br#"{"error":"x","error_description":"x"}"#,
                        ..Reply::default()
                    },
                    Some(Way::Body(body)) => Reply {
                        status: 200,
                        body: body.as_bytes(),
                        ..Reply::default()
                    },
                    None => super::reply(&answer),
                };
                sync.handle_reply(call.id, now, &reply).unwrap();
            }
            Step::Wait { until } => now = until,
            Step::Done(report) => return (report, requested),
            other => panic!("{other:?}"),
        }
    }
}

/// Returns whether an answer depends on another one: on the list that contains its learners, or on
/// an answer that contains a part of its records.
fn depends_on(target: &str, lost: &str) -> bool {
    let is_of_learner = target.contains("learner_id=") || target.contains("/learnersubjects/");
    let has_parents = target.contains("include_parents") || target.contains("/parents/");
    match lost {
        _ if target == lost => true,
        _ if lost.contains("status=current") => is_of_learner || has_parents,
        _ if lost.contains("include_parents") => has_parents,
        _ if lost.contains("/learnersubjectsperterm/") => target.contains("/learnersubjects/"),
        _ if lost.contains("structure=1") => is_of_learner && target.contains("structure=1"),
        _ => false,
    }
}

/// Returns the targets that are lost if one of them is lost in this way. If the service does not
/// permit a request, the others to the same endpoint are not sent.
fn lost_with<'a>(lost: &'a str, way: Way, all: &'a [String]) -> Vec<&'a str> {
    let path = |target: &str| target.split('?').next().unwrap_or_default().to_owned();
    let is_forbidden = matches!(way, Way::Status(401 | 403));
    let others = all.iter().map(String::as_str);
    let others = others.filter(|other| is_forbidden && path(other) == path(lost));
    others.chain([lost]).collect()
}

/// Checks that a report names the lost target, with the status of the last reply and a reason.
fn check_failed(failed: &[FailedRequest], lost: &str, way: Way) {
    let place = format!("{way:?} of {lost}: {failed:?}");
    let of_lost = failed.iter().find(|one| one.target == lost);
    let of_lost = of_lost.unwrap_or_else(|| panic!("{place}"));
    let (status, reason) = match way {
        Way::Status(status) => (Some(status), format!("the service answered {status}")),
        Way::Body("null") => (Some(200), "unexpected structure".to_owned()),
        Way::Body(body) if body.starts_with('<') => (Some(200), "page of another".to_owned()),
        Way::Body(body) if body.starts_with('"') => (Some(200), "no record in it".to_owned()),
        Way::Body(_) => (Some(200), "not JSON: expected".to_owned()),
        Way::NoReply => (None, "no reply".to_owned()),
    };
    assert_eq!(of_lost.status, status, "{place}");
    assert!(of_lost.reason.contains(&reason), "{place}");
    assert!(!of_lost.reason.contains("Zebedee"), "{place}");
}

/// Each resource in turn is lost in a first pass. Everything that does not depend on it is exact.
#[test]
fn a_first_pass_keeps_everything_but_the_lost_answer() {
    let source = grades(2);
    let all = targets(&source);
    let lost = all.iter().collect::<BTreeSet<_>>().into_iter().enumerate();
    for (number, lost) in lost.step_by(extent(2, 1)) {
        let ways = WAYS
            .iter()
            .skip(number % extent(3, 1))
            .step_by(extent(3, 1));
        for way in ways.copied() {
            let mirror = Engine::memory(Options::default()).unwrap();
            let of_lost = |target: &str| (target == lost).then_some(way);
            let (report, requested) = pass(&mirror, &source, &of_lost);
            let place = format!("{way:?} of {lost}");
            check_failed(&report.failed, lost, way);
            assert_eq!(report.failed.len(), 1, "{place}: {:?}", report.failed);
            let attempts = match way {
                Way::Status(401 | 403 | 404 | 410) | Way::Body("null" | "\"Zebedee\"") => 1,
                Way::Body(body) if !body.starts_with('<') => 2,
                _ => 10,
            };
            assert_eq!(requested, attempts, "{place}");
            mirror.apply(ACCESS.as_bytes()).unwrap();
            let gone = lost_with(lost, way, &all);
            let may_be_refused = |target: &str| gone.iter().any(|lost| depends_on(target, lost));
            for target in &all {
                let answer = get(&mirror, target, NOW);
                let is_refused = answer.status.code == 503;
                assert!(!is_refused || may_be_refused(target), "{place}: {target}");
                if !is_refused {
                    assert_eq!(answer, get(&source, target, NOW), "{place}: {target}");
                }
            }
            assert!(mirror.verify().unwrap().is_sound(), "{place}");
            // Passes that succeed make the mirror complete. The structure of the marks of a learner
            // is requested in every second pass.
            for _ in 0..2 {
                let (report, _) = pass(&mirror, &source, &|_| None);
                assert_eq!(report.failed, [], "{place}");
            }
            for target in &all {
                assert_eq!(
                    get(&mirror, target, NOW),
                    get(&source, target, NOW),
                    "{place}"
                );
            }
        }
    }
}

/// After a first pass without faults, a resource is lost for a long time. What changes elsewhere
/// still arrives, and the lost answer stays as it was.
#[test]
fn later_passes_go_on_without_the_lost_answer() {
    let changes = r#"
{"type":"absentee","school_id":1000,"id":91,"learner_id":1,"absent_date":"2026-05-13"}
{"type":"staff_member","school_id":1000,"id":91,"first_name":"New"}
{"type":"mark","school_id":1000,"assessment_id":1,"learner_id":1,"mark":"3.5"}"#;
    let changed = [
        "/api/v1/adminplus/staffmembers/1000",
        "/api/v1/adminplus/learnerabsentees/1000",
        "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=1",
    ];
    let all = targets(&grades(2));
    // A later pass does not request the structure of the marks of each learner.
    let is_requested =
        |target: &&String| !(target.contains("learner_id=") && target.contains("structure=1"));
    let lost = all.iter().filter(is_requested).collect::<BTreeSet<_>>();
    let lost = lost.into_iter().enumerate();
    for (number, lost) in lost.step_by(extent(3, 1)) {
        let source = grades(2);
        let mirror = Engine::memory(Options::default()).unwrap();
        pass(&mirror, &source, &|_| None);
        mirror.apply(ACCESS.as_bytes()).unwrap();
        let before = get(&mirror, lost, NOW);
        let way = WAYS[number % WAYS.len()];
        let of_lost = |target: &str| (target == lost).then_some(way);
        source.apply(changes.as_bytes()).unwrap();
        for _ in 0..3 {
            let (report, _) = pass(&mirror, &source, &of_lost);
            check_failed(&report.failed, lost, way);
            for target in changed {
                if lost_with(lost, way, &all)
                    .iter()
                    .all(|lost| !lost.starts_with(target))
                {
                    let expected = get(&source, target, NOW);
                    assert_eq!(get(&mirror, target, NOW), expected, "{way:?} of {lost}");
                }
            }
            assert_eq!(get(&mirror, lost, NOW), before, "{way:?} of {lost}");
        }
    }
}

/// Without an activated finance API, the school has the values that Get School has.
#[test]
fn the_school_is_taken_from_get_school_if_get_schools_is_refused() {
    let source = grades(1);
    let line = r#"{"type":"school","school_id":1000,"school_name":"Hill","telephone_number":"021","website":"w","town":"T","current_year":2026}"#;
    source.apply(line.as_bytes()).unwrap();
    let mirror = Engine::memory(Options::default()).unwrap();
    let no_finance = |target: &str| target.contains("/finplus/").then_some(Way::Status(403));
    let (report, _) = pass(&mirror, &source, &no_finance);
    assert!(
        report
            .failed
            .iter()
            .all(|one| one.target.contains("/finplus/"))
    );
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let info = "/api/v1/adminplus/school/1000";
    assert_eq!(get(&mirror, info, NOW), get(&source, info, NOW));
    let schools = "/api/v1/finplus/debtmanagement/schools/1000";
    assert_eq!(get(&mirror, schools, NOW).status.code, 503);
    for target in [
        "/api/v1/adminplus/learners/1000",
        "/api/v1/adminplus/staffmembers/1000",
    ] {
        assert_eq!(get(&mirror, target, NOW), get(&source, target, NOW));
    }
    let clients = get(&mirror, "/api/v1/settings/clients/1000", NOW);
    assert!(clients.text().contains("Hill") && clients.text().contains("021"));
}

#[test]
fn whatever_is_lost_the_rest_is_exact() {
    let count = Counts::default();
    let worlds = search(
        seeds(extent(25, 400)),
        |seed| World::new(seed).actions(100),
        |seed, actions| {
            lose_and_compare(seed, actions, &count);
            Ok(())
        },
    );
    println!("{worlds} worlds: {count}");
    count.at_least("schools", worlds / 3);
    count.at_least("exact", 10 * worlds);
    assert!(count.get("refused") * 2 < count.get("exact"), "{count}");
}

fn lose_and_compare(seed: u64, actions: &[Action], count: &Counts) {
    let Some(source) = source(actions) else {
        return;
    };
    let (clean, _, targets) = synced(&source, NOW, SyncOptions::default());
    let mut random = Random::new(seed);
    let mut lost = Vec::new();
    for _ in 0..random.between(1, 4) {
        let target = targets[random.below(targets.len())].clone();
        lost.push((target, random.pick(&WAYS)));
    }
    let of_lost = |target: &str| {
        let mut lost = lost.iter();
        lost.find(|(of, _)| of == target).map(|(_, way)| *way)
    };
    // A first pass, and a later one: in both, only the lost answers are missing.
    for (mirror, is_first) in [
        (Engine::memory(Options::default()).unwrap(), true),
        (clean, false),
    ] {
        let (report, requested) = pass(&mirror, &source, &of_lost);
        for failed in &report.failed {
            let is_lost = of_lost(&failed.target).is_some();
            assert!(is_lost, "{failed:?} of {lost:?}");
        }
        // A later pass does not request everything again.
        let is_reported = requested > 0 && !report.failed.is_empty();
        assert!(is_reported || !is_first, "{lost:?}");
        assert_eq!(
            (&report.findings[..], &report.quarantined[..]),
            (&[][..], &[][..])
        );
        mirror.apply(ACCESS.as_bytes()).unwrap();
        for target in &targets {
            let answer = get(&mirror, target, NOW);
            if answer.status.code == 503 {
                // The parents of a list that was fetched without them are no longer known.
                let is_without_parents = |(of, way): &(String, Way)| {
                    of.contains("include_parents") && matches!(way, Way::Status(403))
                };
                let is_lost =
                    target.contains("include_parents") && lost.iter().any(is_without_parents);
                // An answer of a given year is requested only to find out the current year.
                let is_of_year = target.contains("&year=") && target.contains("structure=1");
                assert!(is_first || is_lost || is_of_year, "{target} of {lost:?}");
                count.add("refused", 1);
            } else {
                assert_eq!(answer, get(&source, target, NOW), "{target} of {lost:?}");
                count.add("exact", 1);
            }
        }
        assert!(mirror.verify().unwrap().is_sound());
    }
    count.add("schools", 1);
}
