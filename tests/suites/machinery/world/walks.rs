//! Cursors are used through many pages and after changes, and are refused where they must be.

use std::collections::BTreeMap;

use super::{Action, LIVES, Outcome, body, data_len};

/// What happened between a page and the one before it.
#[derive(Debug, Default)]
struct Walk {
    pages: usize,
    changed: bool,
    removed: bool,
    reopened: bool,
    now: i64,
}

#[test]
#[ignore = "tests/run searches"]
fn walks_continue_whatever_happens_between_pages() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut up = |what| *counts.entry(what).or_default() += 1;
    for life in LIVES.iter() {
        let mut walk = Walk::default();
        let mut has_next = false;
        for step in &life.steps {
            match step {
                (Action::Apply(_), Outcome::Committed(summary)) => {
                    walk.changed = true;
                    walk.removed |= summary.values().any(|counts| counts.removed > 0);
                }
                (Action::EraseLearner(..) | Action::RemoveSchool(_), Outcome::Committed(_)) => {
                    walk.removed = true;
                }
                (Action::Reopen | Action::Compact, _) => walk.reopened = true,
                (Action::Request { target, now, .. }, Outcome::Answered(answer)) => {
                    let whole =
                        target.contains("cursor=<cursor>&") || target.ends_with("=<cursor>");
                    if answer.status == 400 && target.contains("cursor>") {
                        up(if whole { "refused" } else { "damaged" });
                    }
                    let body = body(answer);
                    let Some(records) = data_len(&body) else {
                        continue;
                    };
                    if !target.contains("cursor>") || !has_next {
                        up("begun");
                        walk = Walk::default();
                    } else if whole {
                        up("followed");
                        walk.pages += 1;
                        for (happened, what) in [
                            (records > 0, "found"),
                            (records > 0 && walk.changed, "changed"),
                            (records > 0 && walk.removed, "removed"),
                            (records > 0 && walk.reopened, "reopened"),
                            (walk.pages >= 3, "fourth page"),
                            (*now < walk.now, "clock set back"),
                            (*now > walk.now, "later"),
                            (records == 0, "nothing left"),
                        ] {
                            if happened {
                                up(what);
                            }
                        }
                    }
                    has_next = body["meta"].get("next_cursor").is_some();
                    walk = Walk {
                        pages: walk.pages,
                        now: *now,
                        ..Walk::default()
                    };
                    up(if has_next { "goes on" } else { "ends" });
                }
                _ => {}
            }
        }
    }
    for (what, least) in [
        ("begun", 1000),
        ("followed", 500),
        ("goes on", 1000),
        ("ends", 1000),
        ("found", 500),
        ("changed", 100),
        ("removed", 50),
        ("reopened", 50),
        ("fourth page", 20),
        ("clock set back", 100),
        ("later", 100),
        ("nothing left", 5),
        ("refused", 200),
        ("damaged", 50),
    ] {
        assert!(
            counts.get(what).is_some_and(|count| *count >= least),
            "{what}: {counts:#?}"
        );
    }
}

/// Cursors are refused by requests that differ from theirs in one respect.
#[test]
#[ignore = "tests/run searches"]
fn cursors_of_other_requests_are_refused() {
    let (mut other_path, mut other_question, mut other_school) = (0, 0, 0);
    for life in LIVES.iter() {
        let mut given: Option<(&str, Option<&[u8]>)> = None;
        for step in &life.steps {
            let (
                Action::Request {
                    target, headers, ..
                },
                Outcome::Answered(answer),
            ) = step
            else {
                continue;
            };
            let school = headers
                .iter()
                .rfind(|(name, _)| name.eq_ignore_ascii_case("HTTP-X-SCHOOLID"))
                .map(|(_, value)| value.as_slice());
            let body = body(answer);
            let is_refused = body["validation_errors"].get("cursor").is_some();
            if let (true, true, Some((before, before_school))) =
                (is_refused, target.ends_with("<cursor>"), given)
            {
                let same_path = before.split('?').next() == target.split('?').next();
                let same_school = before_school == school;
                other_path += usize::from(!same_path);
                other_question += usize::from(same_path && same_school);
                other_school += usize::from(same_path && !same_school);
            }
            if body["meta"].get("next_cursor").is_some() {
                given = Some((target, school));
            }
        }
    }
    assert!(
        other_path > 20 && other_question > 10 && other_school > 5,
        "{other_path} {other_question} {other_school}"
    );
}
