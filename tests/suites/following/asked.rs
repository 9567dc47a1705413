//! Questions about what is in a scope: a follower answers them as its source does.

use super::scope::{Learners, Reach};
use rollbook::{Engine, Request};
use rollbook_tests::random::Random;
use rollbook_tests::world::blanked;
use std::collections::BTreeSet;

fn get(engine: &Engine, school: u64, target: &str, now: i64) -> (u16, String) {
    let school = school.to_string();
    let answer = engine.request(&Request {
        target,
        headers: &[
            ("HTTP-X-USERNAME", "sync"),
            ("HTTP-X-PASSWORD", "sync"),
            ("HTTP-X-SCHOOLID", &school),
        ],
        now: Some(now),
        ..Request::default()
    });
    (answer.status.code, blanked(answer.text()))
}

/// What names one learner; `{s}` is the school, `{l}` the learner.
const OF_LEARNER: [&str; 12] = [
    "v1/adminplus/learners/{s}?learner_id={l}&include_parents=1",
    "v1/adminplus/learnerabsentees/{s}?learner_id={l}",
    "v1/adminplus/learnerdiscipline/{s}?learner_id={l}",
    "v1/currplus/learnersubjectsperterm/{s}?learner_id={l}",
    "v1/currplus/learnersubjectmarks/{s}?learner_id={l}",
    "v1/currplus/learnerassessmentmarks/{s}?learner_id={l}",
    "v2/adminplus/learners/{l}?include_parents=1",
    "v2/adminplus/learnerabsentees?learner_id={l}",
    "v2/adminplus/learnerdiscipline?learner_id={l}",
    "v2/currplus/learnersubjectsperterm?learner_id={l}",
    "v2/currplus/learnersubjectmarks?learner_id={l}",
    "v2/currplus/learnerassessmentmarks?learner_id={l}",
];

/// What reads tables alone.
const OF_TABLES: [&str; 8] = [
    "v1/adminplus/lookup/grade/{s}",
    "v1/adminplus/lookup/gender",
    "v1/adminplus/school/{s}",
    "v2/adminplus/lookup/grade",
    "v2/adminplus/lookup/ethnicgroup",
    "v2/adminplus/lookup/maritalstatus?limit=2",
    "v2/adminplus/lookup/language",
    "v2/adminplus/school",
];

/// What reads more of people than a follower of some learners has.
const OF_PEOPLE: [&str; 8] = [
    "v1/adminplus/learners/{s}",
    "v1/adminplus/learners/{s}?status=left",
    "v1/adminplus/learnerabsentees/{s}",
    "v1/adminplus/parents/{s}",
    "v1/adminplus/staffmembers/{s}",
    "v1/currplus/learnersubjects/{s}",
    "v2/adminplus/learners",
    "v2/adminplus/learnerdiscipline",
];

/// What is about more than one school.
const OF_ALL: [&str; 2] = ["/settings/", "/debtmanagement/schools"];

/// What the source answers, and the follower has not.
fn refused((source, follower): (&Engine, &Engine), school: u64, target: &str, now: i64) {
    let [expected, answer] = [source, follower].map(|engine| get(engine, school, target, now));
    if matches!(expected.0, 200 | 404) {
        assert!(
            answer.0 == 503 && answer.1.contains("not synced yet: all but the learners"),
            "{target} at {now}: {answer:?}"
        );
    } else {
        assert_eq!(answer, expected, "{target} at {now}");
    }
}

/// Asks both; gives how often, and how often something was found.
pub(super) fn compare(
    dice: &mut Random,
    (source, follower): (&Engine, &Engine),
    reach: &Reach,
    erased: &Learners,
    gets: &[(String, i64)],
) -> (u64, u64) {
    let (mut asked, mut found) = (0, 0);
    if reach.kinds.is_some() {
        // What is not held is refused, and never answered otherwise.
        for (school, _) in reach.schools.iter().filter(|of| !erased.contains_key(of.0)) {
            for (target, now) in gets {
                let answer = get(follower, *school, target, *now);
                let is_of_all = OF_ALL.iter().any(|path| target.contains(path));
                if answer.0 != 503 && !is_of_all && target.contains(&format!("/{school}")) {
                    let expected = get(source, *school, target, *now);
                    assert_eq!(answer, expected, "{reach:?}, {target} at {now}");
                    asked += 1;
                    found += u64::from(answer.0 == 200);
                }
            }
        }
        return (asked, found);
    }
    let is_all = *reach == Reach::of_all() && erased.values().all(BTreeSet::is_empty);
    let mut ask = |school: u64, target: &str, now: i64| {
        let [expected, answer] = [source, follower].map(|engine| get(engine, school, target, now));
        assert_eq!(
            answer, expected,
            "school {school}, {reach:?}, {target} at {now}"
        );
        asked += 1;
        found += u64::from(answer.0 == 200);
    };
    let instant = gets.last().map_or(1_778_745_600, |(_, now)| *now);
    for (school, learners) in &reach.schools {
        let written = |target: &str, learner: u64| {
            let target = target.replace("{s}", &school.to_string());
            format!("/api/{}", target.replace("{l}", &learner.to_string()))
        };
        for target in OF_TABLES {
            ask(*school, &written(target, 0), instant);
        }
        let Some(learners) = learners else {
            let is_erased = erased.get(school).is_some_and(|erased| !erased.is_empty());
            for (target, now) in gets.iter().filter(|_| !is_erased && dice.chance(40)) {
                let path = target.split('?').next().unwrap_or_default();
                let is_v2 = path.starts_with("/api/v2/");
                let is_of_school = is_v2 || path.ends_with(&format!("/{school}"));
                let is_of_all =
                    OF_ALL.iter().any(|path| target.contains(path)) || path.contains('%');
                if is_all || (is_of_school && !is_of_all) {
                    ask(*school, target, *now);
                    ask(*school, target, now + 40 * 86_400);
                }
            }
            continue;
        };
        let outsider = 900 + dice.below(99) as u64;
        for target in OF_LEARNER.into_iter().chain(OF_PEOPLE) {
            refused(
                (source, follower),
                *school,
                &written(target, outsider),
                instant,
            );
        }
        for learner in learners {
            if erased
                .get(school)
                .is_some_and(|erased| erased.contains(learner))
            {
                continue;
            }
            for target in OF_LEARNER {
                for now in [instant, instant + 40 * 86_400] {
                    ask(*school, &written(target, *learner), now);
                }
            }
        }
    }
    (asked, found)
}
