//! Asks a follower and its source the same questions. Questions in the scope of the follower are
//! answered with the same bytes; all others are refused as predicted.

use super::records;
use super::scope::{Learners, Reach};
use super::scope_model::{Outcome, predict};
use rollbook::{Engine, Request};
use rollbook_tests::random::Random;
use rollbook_tests::search::Counts;
use rollbook_tests::twin::percent_decoded;
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

/// Requests that name one learner; `{s}` is the school, `{l}` the learner.
const OF_LEARNER: [&str; 14] = [
    "v1/adminplus/learners/{s}?learner_id={l}&include_parents=1",
    "v1/adminplus/learnerabsentees/{s}?learner_id={l}",
    "v1/adminplus/learnerdiscipline/{s}?learner_id={l}",
    "v1/currplus/learnersubjectsperterm/{s}?learner_id={l}",
    "v1/currplus/learnersubjectmarks/{s}?learner_id={l}",
    "v1/currplus/learnerassessmentmarks/{s}?learner_id={l}",
    "v1/finplus/debtmanagement/learnerparentinfo/{s}?learner_id={l}&include_accountable_person",
    "v2/adminplus/learners/{l}?include_parents=1",
    "v2/adminplus/learnerabsentees?learner_id={l}",
    "v2/adminplus/learnerdiscipline?learner_id={l}",
    "v2/currplus/learnersubjectsperterm?learner_id={l}",
    "v2/currplus/learnersubjectmarks?learner_id={l}",
    "v2/currplus/learnerassessmentmarks?learner_id={l}",
    "v2/finplus/debtmanagement/learners/{l}?include_parents=1",
];

/// Returns the requests that name one learner.
pub(super) fn of_learner(school: u64, learner: u64) -> impl Iterator<Item = String> {
    OF_LEARNER
        .into_iter()
        .map(move |target| written(target, school, learner))
}

fn written(target: &str, school: u64, learner: u64) -> String {
    let target = target.replace("{s}", &school.to_string());
    format!("/api/{}", target.replace("{l}", &learner.to_string()))
}

/// Requests that read only tables.
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

/// Requests that read people.
const OF_PEOPLE: [&str; 12] = [
    "v1/adminplus/learners/{s}",
    "v1/adminplus/learners/{s}?status=left",
    "v1/adminplus/learnerabsentees/{s}",
    "v1/adminplus/parents/{s}",
    "v1/adminplus/staffmembers/{s}",
    "v1/currplus/learnersubjects/{s}",
    "v1/finplus/debtmanagement/learnerparentinfo/{s}?include_parents=1",
    "v1/finplus/debtmanagement/schooldebtors/{s}?all_accounts=1",
    "v2/adminplus/learners",
    "v2/adminplus/learnerdiscipline",
    "v2/adminplus/parents/40",
    "v2/finplus/debtmanagement/accountablepersons",
];

const MUCH_LATER: i64 = 40 * 86_400;

/// A follower that is up to date with its source.
pub(super) struct Pair<'a> {
    pub(super) source: &'a Engine,
    pub(super) follower: &'a Engine,
    pub(super) reach: &'a Reach,
    /// The learners that were erased at the follower.
    pub(super) erased: &'a Learners,
    pub(super) count: &'a Counts,
}

impl Pair<'_> {
    /// Asks both stores. The follower must refuse what is outside its scope, and answer everything
    /// else as its source does.
    fn ask(&self, school: u64, target: &str, now: i64) {
        let [expected, answer] =
            [self.source, self.follower].map(|engine| get(engine, school, target, now));
        let place = || format!("school {school}, {:?}, {target} at {now}", self.reach);
        let is_found = matches!(expected.0, 200 | 404);
        let has_all =
            *self.reach == Reach::of_all() && self.erased.values().all(BTreeSet::is_empty);
        match predict(self.reach, school, target) {
            Outcome::OfApp if !has_all => return,
            Outcome::Refused if is_found => {
                let is_refused = answer.0 == 503 && answer.1.contains("not synced yet: ");
                assert!(is_refused, "{}: {answer:?}, and not refused", place());
                self.count.add("refusals predicted", 1);
                return;
            }
            // A school that neither store has is unknown to the follower.
            Outcome::OfApp if answer.0 == 503 => {
                let school = answer.1.split("any record of school ").nth(1);
                let school = school.and_then(|rest| rest.split(';').next()?.parse().ok());
                let is_beyond =
                    school.is_some_and(|school| !self.reach.schools.contains_key(&school));
                assert!(is_beyond && expected.0 != 200, "{}: {answer:?}", place());
                self.count.add("refusals predicted", 1);
                return;
            }
            _ => assert_eq!(answer, expected, "{}", place()),
        }
        self.count.add("asked", 1);
        self.count.add("found", u64::from(answer.0 == 200));
    }

    /// Asks about each school of the scope: about each existing learner, in the scope or not, about
    /// a learner that does not exist, and some of the given requests.
    pub(super) fn compare(&self, dice: &mut Random, gets: &[(String, i64)]) {
        let instant = gets.last().map_or(1_778_745_600, |(_, now)| *now);
        let there = self.learners();
        let no_learners = BTreeSet::new();
        for (school, learners) in &self.reach.schools {
            let erased = self.erased.get(school).unwrap_or(&no_learners);
            for target in OF_TABLES {
                self.ask(*school, &written(target, *school, 0), instant);
            }
            let all = there.get(school).unwrap_or(&no_learners);
            let unknown = 900 + dice.below(99) as u64;
            let is_in = |learner: &u64| learners.as_ref().is_none_or(|some| some.contains(learner));
            for learner in all.iter().copied().chain([unknown]) {
                if erased.contains(&learner) && is_in(&learner) {
                    continue;
                }
                for target in OF_LEARNER {
                    let target = written(target, *school, learner);
                    self.ask(*school, &target, instant);
                    self.ask(*school, &target, instant + MUCH_LATER);
                }
                let is_outsider = learner != unknown && !is_in(&learner);
                self.count.add("outsiders asked", u64::from(is_outsider));
            }
            // Lists lack the learners that were erased at the follower.
            if learners.is_none() && !erased.is_empty() {
                continue;
            }
            for target in OF_PEOPLE {
                self.ask(*school, &written(target, *school, 0), instant);
            }
            for (target, now) in gets.iter().filter(|_| dice.chance(40)) {
                let decoded = percent_decoded(target);
                let mut values = decoded.split(|c: char| !c.is_alphanumeric());
                let names_erased = values.any(|value| {
                    let number = value.parse();
                    number.is_ok_and(|number: u64| erased.contains(&number))
                });
                if !names_erased {
                    self.ask(*school, target, *now);
                    self.ask(*school, target, now + MUCH_LATER);
                }
            }
        }
    }

    /// Returns the learners of the source.
    fn learners(&self) -> Learners {
        let mut learners = Learners::new();
        for line in records(self.source) {
            let Some(rest) = line.strip_prefix(r#"{"type":"learner","school_id":"#) else {
                continue;
            };
            let mut numbers = rest.split(|c: char| !c.is_ascii_digit());
            let mut number = || numbers.find(|text| !text.is_empty())?.parse::<u64>().ok();
            let (school, learner) = (number().unwrap(), number().unwrap());
            learners.entry(school).or_default().insert(learner);
        }
        learners
    }
}
