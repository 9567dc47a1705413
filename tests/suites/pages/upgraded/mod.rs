//! Upgrades the requests of v1 in the corpus and in random worlds, and checks that v2 returns the
//! same records.

mod records;

use super::walked::with;
use records::{of_v1, of_v2};
use rollbook::{Answer, Engine, NoUpgrade, Options, Upgrade};
use rollbook_tests::corpus::{self, Request, Step};
use rollbook_tests::search::{extent, first_seed};
use rollbook_tests::world::{Action, World};
use std::collections::HashSet;

/// Sends a request of the corpus to another target.
fn ask(engine: &Engine, request: &Request, upgrade: &Upgrade, target: &str, now: i64) -> Answer {
    let own: Vec<_> = upgrade.headers().collect();
    let headers = request.headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.as_str()));
    let headers = headers.chain(own.iter().map(|(name, value)| (*name, value.as_str())));
    let headers: Vec<_> = headers.collect();
    engine.request(&rollbook::Request {
        target,
        headers: &headers,
        now: Some(now),
        ..rollbook::Request::default()
    })
}

/// The number of requests by outcome in v1, and of the records they found.
#[derive(Debug, Default)]
struct Count {
    records: usize,
    found: u32,
    nothing: u32,
    refused: u32,
}

fn compare(engine: &Engine, request: &Request, now: i64, count: &mut Count) {
    let what = &request.target;
    let upgrade = match engine.upgrade(what) {
        Ok(upgrade) => upgrade,
        Err(why) => {
            let expected = match why {
                NoUpgrade::Refused { .. } => matches!(request.status, 400 | 401 | 403),
                _ => request.status == 404 && request.answer.contains("Route not found"),
            };
            assert!(expected, "{what}: {why}");
            return;
        }
    };
    let what = format!("{what} as {}", upgrade.target);
    let first = ask(engine, request, &upgrade, &upgrade.target, now);
    let is_found = match request.status {
        200 => true,
        404 => false,
        status => {
            // v2 does not reveal schools that a user may not see.
            let is_school = request.answer.contains("Client access not authorised")
                && upgrade.target.contains("/schools/");
            let status = if is_school { 404 } else { status };
            assert_eq!(first.status.code, status, "{what}: {}", first.text());
            count.refused += 1;
            return;
        }
    };
    if is_found {
        assert_eq!(first.status.code, 200, "{what}: {}", first.text());
        count.found += 1;
    } else {
        assert!(
            matches!(first.status.code, 200 | 404),
            "{what}: {}",
            first.text()
        );
        count.nothing += 1;
    }
    let expected = if is_found {
        of_v1(&request.answer)
    } else {
        Vec::new()
    };
    let is_tree = is_found && request.answer.starts_with('{');
    let found = of_v2(is_tree, &first, |cursor| {
        let target = with(&upgrade.target, &format!("cursor={cursor}"));
        ask(engine, request, &upgrade, &target, now)
    });
    assert_eq!(found, expected, "{what}");
    count.records += found.len();
}

#[test]
fn every_request_of_v1() {
    let mut count = Count::default();
    for case in corpus::cases() {
        let is_upgraded = |step: &Step| match step {
            Step::Request(_, request) => {
                request.method == "GET" && request.target.starts_with("/api/v1/")
            }
            _ => false,
        };
        let Some(last) = case.steps.iter().rposition(is_upgraded) else {
            continue;
        };
        let options = Options {
            page_limit: 2,
            ..Options::default()
        };
        let engine = Engine::memory(options).unwrap();
        // The requests since the last change.
        let mut asked = HashSet::new();
        for step in &case.steps[..=last] {
            // The outcome of a change does not matter here.
            match step {
                Step::Apply(dataset, _) => drop(engine.apply(dataset.as_bytes())),
                Step::ReplaceSchool(school, dataset, _) => {
                    drop(engine.replace_school(*school, dataset.as_bytes()));
                }
                Step::RemoveSchool(school, _) => drop(engine.remove_school(*school)),
                Step::EraseLearner(school, learner, _) => {
                    drop(engine.erase_learner(*school, *learner));
                }
                Step::Request(now, request) if is_upgraded(step) => {
                    let headers = request.headers.clone();
                    if asked.insert((*now, request.target.clone(), headers)) {
                        compare(&engine, request, *now, &mut count);
                    }
                    continue;
                }
                Step::Request(now, request) => drop(send(&engine, request, *now)),
                Step::Check(..) | Step::Export(_) => continue,
            }
            asked.clear();
        }
    }
    println!("{count:?}");
    assert!(count.found > 500 && count.nothing > 100 && count.refused > 50 && count.records > 800);
}

/// Sends a request without changes. Placeholders for cursors are not replaced.
fn send(engine: &Engine, request: &Request, now: i64) -> Answer {
    let headers = request.headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.as_str()));
    let headers: Vec<_> = headers.collect();
    engine.request(&rollbook::Request {
        method: &request.method,
        target: &request.target,
        headers: &headers,
        body: request.body.as_bytes(),
        now: Some(now),
    })
}

/// The requests of v1 in random worlds are written in many forms.
#[test]
fn every_request_of_random_worlds() {
    let mut count = Count::default();
    let worlds = extent(25, 100);
    let first = first_seed();
    for seed in first..first + u64::from(worlds) {
        let options = Options {
            page_limit: 2,
            ..Options::default()
        };
        let engine = Engine::memory(options).unwrap();
        for action in World::new(seed).actions(60) {
            match action {
                Action::Apply(lines) => drop(engine.apply(lines.join("\n").as_bytes())),
                Action::ReplaceSchool(school, lines) => {
                    drop(engine.replace_school(school, lines.join("\n").as_bytes()));
                }
                Action::RemoveSchool(school) => drop(engine.remove_school(school)),
                Action::EraseLearner(school, learner) => {
                    drop(engine.erase_learner(school, learner));
                }
                Action::Request {
                    now,
                    method,
                    target,
                    headers,
                    body,
                } => {
                    let headers = headers.into_iter();
                    let headers = headers
                        .map(|(name, value)| Some((name, String::from_utf8(value).ok()?)))
                        .collect::<Option<_>>();
                    let (Some(headers), Ok(body)) = (headers, String::from_utf8(body)) else {
                        continue;
                    };
                    let is_upgraded = method == "GET" && target.starts_with("/api/v1/");
                    let request = Request {
                        method,
                        target,
                        headers,
                        body,
                        status: 0,
                        allow: None,
                        answer: String::new(),
                    };
                    let answer = send(&engine, &request, now);
                    if is_upgraded {
                        let answered = Request {
                            status: answer.status.code,
                            answer: answer.text().to_owned(),
                            ..request
                        };
                        compare(&engine, &answered, now, &mut count);
                    }
                }
                Action::Reopen | Action::Compact => {}
            }
        }
    }
    println!("{count:?}");
    assert!(count.found > 6 * worlds && count.nothing > 3 * worlds && count.refused > 3 * worlds);
}
