//! Walks through every collection of v2, page by page in both orders: the pages of the engine equal
//! those of the twin, and each record is returned once, even if records are added and removed
//! between pages.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use rollbook::{Engine, Options, Request};
use rollbook_tests::search::first_seed;
use rollbook_tests::twin::{Twin, line_key};
use rollbook_tests::world::{Action, Cursors, ENDPOINTS, Endpoint, World, blanked};
use serde_json::Value;
use std::collections::BTreeSet;

/// 2026-05-14T10:00:00Z
const NOW: i64 = 1_778_752_800;

const LIMITS: [usize; 4] = [1, 2, 3, 50];

/// A collection: its path, its parameters, and the fields that determine the order of its records.
type Collection = (&'static str, &'static str, &'static [&'static str]);

fn collections() -> impl Iterator<Item = Collection> {
    let collections = |endpoint: &'static Endpoint| {
        let walks = endpoint.walks.iter();
        walks.map(|query| (endpoint.v2, *query, endpoint.place))
    };
    ENDPOINTS.iter().flat_map(collections)
}

/// The values of the fields that determine the place of a record: ids, or texts of dates.
type Place = Vec<(u64, String)>;

fn place(record: &Value, fields: &[&str]) -> Place {
    let part = |field: &&str| {
        let value = &record[*field];
        let text = value.as_str().unwrap_or_default().to_owned();
        assert!(value.is_u64() || !text.is_empty(), "{field} of {record}");
        (value.as_u64().unwrap_or_default(), text)
    };
    fields.iter().map(part).collect()
}

const CREDENTIALS: [(&str, &str); 3] = [
    ("HTTP-X-USERNAME", "demo"),
    ("HTTP-X-PASSWORD", "demo"),
    ("HTTP-X-SCHOOLID", "1000"),
];

/// Both implementations with the same records.
struct Both {
    engine: Engine,
    twin: Twin,
}

impl Both {
    fn new(lines: &[String]) -> Self {
        let mut both = Self {
            engine: Engine::memory(Options::default()).unwrap(),
            twin: Twin::default(),
        };
        both.apply(lines);
        both
    }

    /// Applies a dataset, which both implementations may refuse.
    fn apply(&mut self, lines: &[String]) {
        let is_applied = self.engine.apply(lines.join("\n").as_bytes()).is_ok();
        assert_eq!(self.twin.apply(lines).is_ok(), is_applied);
    }

    fn engine(&mut self, target: &str) -> (u16, String) {
        let answer = self.engine.request(&Request {
            method: "GET",
            target,
            headers: &CREDENTIALS,
            body: b"",
            now: Some(NOW),
        });
        (answer.status.code, answer.text().to_owned())
    }

    fn twin(&mut self, target: &str) -> (u16, String) {
        let headers = CREDENTIALS.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
        let answer = self.twin.request(NOW, "GET", target, &headers, b"");
        (answer.status, String::from_utf8(answer.body).unwrap())
    }

    /// Returns the places of all records of a collection, or `None` if access to it is refused.
    fn places(&mut self, collection: &Collection) -> Option<BTreeSet<Place>> {
        let mut cursors = Cursors::default();
        let mut places = BTreeSet::new();
        let mut cursor = "";
        loop {
            let target = target(collection, false, 50, cursor);
            let (status, body) = self.twin(&cursors.fill(&target));
            if status != 200 {
                return None;
            }
            let page = page(&body);
            places.extend(page.iter().map(|record| place(record, collection.2)));
            cursors.note(&body);
            if !body.contains("\"next_cursor\":\"") {
                return Some(places);
            }
            cursor = "&cursor=<cursor>";
        }
    }
}

fn target(collection: &Collection, reverse: bool, limit: usize, cursor: &str) -> String {
    let (path, query, _) = collection;
    format!("/api/v2/{path}?{query}&limit={limit}&reverse_order={reverse}{cursor}")
}

fn page(body: &str) -> Vec<Value> {
    let body: Value = serde_json::from_str(body).unwrap();
    let records = body["data"].as_array().unwrap().clone();
    let limit = body["meta"]["limit"].as_u64().unwrap();
    assert_eq!(u64::try_from(records.len()).unwrap(), limit);
    records
}

/// Walks to the end in both implementations, and calls `between` before every page except the
/// first. Returns the places on the pages in order, and the places that existed before every page,
/// or `None` if access ended meanwhile.
fn walk(
    both: &mut Both,
    collection: &Collection,
    reverse: bool,
    limit: usize,
    mut between: impl FnMut(&mut Both),
) -> Option<(Vec<Place>, BTreeSet<Place>)> {
    let (mut given, mut twin_given) = (Cursors::default(), Cursors::default());
    let mut seen = Vec::new();
    let mut stays = both.places(collection)?;
    let mut cursor = "";
    loop {
        let target = target(collection, reverse, limit, cursor);
        let (status, body) = both.engine(&given.fill(&target));
        let (expected_status, expected) = both.twin(&twin_given.fill(&target));
        assert_eq!(
            (status, blanked(&body)),
            (expected_status, blanked(&expected)),
            "{target}"
        );
        let page = page(&body);
        seen.extend(page.iter().map(|record| place(record, collection.2)));
        given.note(&body);
        twin_given.note(&expected);
        if !body.contains("\"next_cursor\":\"") {
            return Some((seen, stays));
        }
        assert_eq!(page.len(), limit, "{target}");
        cursor = "&cursor=<cursor>";
        between(both);
        let now = both.places(collection)?;
        stays.retain(|place| now.contains(place));
    }
}

/// Returns whether the places are in order, so that none occurs twice.
fn in_order(seen: &[Place], reverse: bool) -> bool {
    seen.is_sorted_by(|one, next| if reverse { one > next } else { one < next })
}

#[test]
fn a_walk_lists_the_whole_collection_once() {
    let (mut walks, mut records) = (0, 0);
    let first = first_seed();
    for seed in first..first + 25 {
        let mut both = Both::new(&World::new(seed).dataset());
        for collection in &collections().collect::<Vec<_>>() {
            for (limit, reverse) in LIMITS
                .iter()
                .flat_map(|limit| [(*limit, false), (*limit, true)])
            {
                let Some((seen, all)) = walk(&mut both, collection, reverse, limit, |_| {}) else {
                    continue;
                };
                assert!(in_order(&seen, reverse), "{collection:?}: {seen:?}");
                let mut expected: Vec<Place> = all.into_iter().collect();
                if reverse {
                    expected.reverse();
                }
                assert_eq!(seen, expected, "{collection:?}");
                walks += 1;
                records += seen.len();
            }
        }
    }
    println!("{walks} walks, {records} records");
    assert!(walks > 1500 && records > 5000, "{walks} {records}");
}

/// Makes changes of a world, except to the record of the school, so that its year and its time zone
/// do not change.
fn change(world: &mut World, both: &mut Both) {
    loop {
        match world.action() {
            Action::Apply(mut lines) => {
                lines.retain(|line| line_key(line).is_none_or(|key| !key.contains("kind: School")));
                both.apply(&lines);
                return;
            }
            Action::EraseLearner(school, learner) => {
                both.engine.erase_learner(school, learner).unwrap();
                both.twin.erase_learner(school, learner);
                return;
            }
            _ => {}
        }
    }
}

#[test]
fn remaining_records_are_returned_once() {
    let (mut walks, mut changed, mut remaining) = (0, 0, 0);
    let first = first_seed();
    for seed in first..first + 60 {
        let mut world = World::new(seed);
        let mut both = Both::new(&world.dataset());
        for collection in &collections().collect::<Vec<_>>() {
            let reverse = seed % 2 == 1;
            let before = both.places(collection);
            let found = walk(&mut both, collection, reverse, 1, |both| {
                change(&mut world, both);
            });
            let Some((seen, stays)) = found else {
                continue;
            };
            assert!(
                in_order(&seen, reverse),
                "seed {seed}, {collection:?}: {seen:?}"
            );
            for place in &stays {
                assert!(
                    seen.contains(place),
                    "seed {seed}, {collection:?}: {place:?}"
                );
            }
            walks += 1;
            remaining += stays.len();
            changed += usize::from(
                before.is_some_and(|before| before != both.places(collection).unwrap_or_default()),
            );
        }
    }
    println!("{walks} walks, {changed} of a collection that changed, {remaining} records remained");
    assert!(
        walks > 300 && changed > 50 && remaining > 500,
        "{walks} {changed} {remaining}"
    );
}
