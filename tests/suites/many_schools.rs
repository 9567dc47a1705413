//! Counts instructions: the cost of one change, one request or one live query does not grow with
//! the number of other schools and client integrations.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Engine, Learners, LiveQuery, Request};
use rollbook_tests::login;
use rollbook_tests::storage::child;
use rollbook_tests::storage::scenario::options;
use std::path::{Path, PathBuf};

/// The numbers of schools, each with a client integration of the same integrator.
const SCHOOLS: [u64; 3] = [1_000, 10_000, 80_000];

/// The number of repetitions. The lowest count is used, because the allocator sometimes does
/// additional work.
const TIMES: u64 = 3;

/// The maximum count with the most schools, in tenths of the count with the fewest: the trees of
/// the tables are a few levels deeper.
const MOST: u64 = 16;

/// An open store.
struct OpenStore {
    path: PathBuf,
    engine: Engine,
    schools: u64,
    observations: Vec<LiveQuery>,
}

type Step = fn(&mut OpenStore, u64);

/// Names, preparations and counted steps. Preparation and step run once before they are counted,
/// with the number 0.
const WORK: [(&str, Step, Step); 17] = [
    ("opening", nothing, |store, _| {
        store.engine.close().unwrap();
        store.engine = Engine::open(&store.path, options()).unwrap();
    }),
    ("PATCH of a client integration", warm, |store, number| {
        patch(store, number, 8);
    }),
    ("POST of a client integration", nothing, |store, number| {
        let body = format!(
            r#"{{"school_id":7,"state":{},"api_type_id":8}}"#,
            number % 2
        );
        let target = "/api/v2/settings/clientintegrations";
        assert_eq!(ask(store, "POST", target, "7", &body), 200);
    }),
    (
        "a request after a PATCH of its school",
        |store, number| patch(store, number, 9),
        |store, _| {
            let target = "/api/v1/adminplus/learners/7";
            assert_eq!(ask(store, "GET", target, "", ""), 200);
        },
    ),
    (
        "a wrong password after a PATCH",
        |store, number| patch(store, number, 8),
        |store, number| {
            let answer = store.engine.request(&Request {
                target: "/api/v1/settings/clients/7",
                headers: &[
                    ("HTTP-X-USERNAME", "demo"),
                    ("HTTP-X-PASSWORD", &format!("wrong {number}")),
                ],
                ..Request::default()
            });
            assert_eq!(answer.status.code, 401);
        },
    ),
    (
        "GET of a school's client integrations",
        nothing,
        |store, _| {
            let target = "/api/v1/settings/clients/7";
            assert_eq!(ask(store, "GET", target, "", ""), 200);
        },
    ),
    ("the same in v2", nothing, |store, _| {
        let target = "/api/v2/settings/clientintegrations?school_id=7";
        assert_eq!(ask(store, "GET", target, "7", ""), 200);
    }),
    (
        "pages of client integrations after a PATCH",
        |store, number| patch(store, number, 8),
        |store, _| pages(store, "/api/v2/settings/clientintegrations?limit=10"),
    ),
    ("pages of schools", nothing, |store, _| {
        pages(store, "/api/v2/finplus/debtmanagement/schools?limit=10");
    }),
    ("a change of a learner", nothing, change_learner),
    ("a change of a school", nothing, change_school),
    (
        "a question after a change of another school",
        change_school,
        |store, _| {
            let learners = Learners {
                school: 8,
                ..Learners::default()
            };
            assert_eq!(store.engine.ask(&learners).unwrap().status.code, 200);
        },
    ),
    (
        "a client integration that is added",
        nothing,
        |store, number| apply(store, &client(7, 10 + number)),
    ),
    ("a school that is replaced", nothing, |store, number| {
        let lines = school(9, "Again") + &learner(9, &format!("New {number}"));
        store.engine.replace_school(9, lines.as_bytes()).unwrap();
    }),
    ("a school that is removed", nothing, |store, number| {
        store.engine.remove_school(10 + number).unwrap();
    }),
    (
        "a change of an observed learner",
        observe_all,
        change_learner,
    ),
    ("an observation that ends", nothing, |store, _| {
        drop(store.observations.swap_remove(3));
    }),
];

fn nothing(_: &mut OpenStore, _: u64) {}

fn patch(store: &mut OpenStore, number: u64, api_type: u64) {
    let body = format!(r#"{{"state":{},"api_type_id":{api_type}}}"#, number % 2);
    let target = "/api/v1/settings/clients/7";
    assert_eq!(ask(store, "PATCH", target, "", &body), 200);
}

fn change_learner(store: &mut OpenStore, number: u64) {
    apply(store, &learner(7, &format!("New {number}")));
}

fn change_school(store: &mut OpenStore, number: u64) {
    apply(store, &school(7, &format!("New {number}")));
}

fn observe_all(store: &mut OpenStore, _: u64) {
    if !store.observations.is_empty() {
        return;
    }
    for school in 1..=store.schools {
        let learners = Learners {
            school,
            ..Learners::default()
        };
        store.observations.push(store.engine.observe(learners));
    }
}

fn school(id: u64, name: &str) -> String {
    format!(
        "{{\"type\":\"school\",\"school_id\":{id},\"school_name\":\"{name}\",\"current_year\":2026}}\n"
    )
}

fn client(school: u64, api_type: u64) -> String {
    format!(
        "{{\"type\":\"client_integration\",\"username\":\"demo\",\"school_id\":{school},\"api_type_id\":{api_type},\"state\":1}}\n"
    )
}

fn learner(school: u64, name: &str) -> String {
    format!(
        "{{\"type\":\"learner\",\"school_id\":{school},\"id\":1,\"last_name\":\"{name}\",\"status\":\"current\"}}\n"
    )
}

fn apply(store: &OpenStore, lines: &str) {
    store.engine.apply(lines.as_bytes()).unwrap();
}

fn ask(store: &OpenStore, method: &str, target: &str, school: &str, body: &str) -> u16 {
    let answer = store.engine.request(&Request {
        method,
        target,
        headers: &[
            ("HTTP-X-USERNAME", "demo"),
            ("HTTP-X-PASSWORD", "demo"),
            ("HTTP-X-SCHOOLID", school),
        ],
        body: body.as_bytes(),
        ..Request::default()
    });
    answer.status.code
}

/// Requests the first page, the next one and the last one.
fn pages(store: &OpenStore, target: &str) {
    let headers = [
        ("HTTP-X-USERNAME", "demo"),
        ("HTTP-X-PASSWORD", "demo"),
        ("HTTP-X-SCHOOLID", "7"),
    ];
    let page = |target: &str| {
        let headers = &headers;
        let request = Request {
            target,
            headers,
            ..Request::default()
        };
        let answer = store.engine.request(&request);
        assert_eq!(answer.status.code, 200, "{}", answer.text());
        answer.text().to_owned()
    };
    let first = page(target);
    let (_, cursor) = first.split_once("\"next_cursor\":\"").unwrap();
    let (cursor, _) = cursor.split_once('"').unwrap();
    page(&format!("{target}&cursor={cursor}"));
    page(&format!("{target}&reverse_order=true"));
}

/// Makes the store in a file.
fn fill(path: &Path, schools: u64) {
    let mut dataset = login::quick(
        r#"{"type":"integrator","username":"demo","password":"demo"}
{"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":["administration","finance"]}
"#,
    );
    for id in 1..=schools {
        dataset += &school(id, "School");
        dataset += &client(id, 8);
        dataset += &learner(id, "Learner");
    }
    dataset += &client(7, 9);
    let engine = Engine::open(path, options()).unwrap();
    engine.apply(dataset.as_bytes()).unwrap();
    engine.close().unwrap();
}

/// Asks about many schools, so that the caches are filled.
fn warm(store: &mut OpenStore, number: u64) {
    if number > 0 {
        return;
    }
    for school in (1..=store.schools).step_by(4) {
        let learners = Learners {
            school,
            ..Learners::default()
        };
        store.engine.ask(&learners).unwrap();
    }
}

#[test]
#[ignore = "tests/run instructions"]
fn costs_do_not_depend_on_other_schools() {
    if let Some(task) = child::task() {
        let (schools, path) = task.split_once(' ').unwrap();
        let mut store = OpenStore {
            path: path.into(),
            engine: Engine::open(path, options()).unwrap(),
            schools: schools.parse().unwrap(),
            observations: Vec::new(),
        };
        for (_, prepare, work) in WORK {
            prepare(&mut store, 0);
            work(&mut store, 0);
            for number in 1..=TIMES {
                prepare(&mut store, number);
                child::counted(&mut || work(&mut store, number));
            }
        }
        return;
    }
    let test = "many_schools::costs_do_not_depend_on_other_schools";
    let counts = SCHOOLS.map(|schools| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        fill(&path, schools);
        let task = format!("{schools} {}", path.display());
        let counts = child::counts(test, &task, folder.path());
        let times = usize::try_from(TIMES).unwrap();
        assert_eq!(counts.len(), times * WORK.len());
        let least = |counts: &[u64]| counts.iter().copied().min();
        let counts: Vec<_> = counts.chunks(times).filter_map(least).collect();
        counts
    });
    let mut failed = Vec::new();
    for (number, (name, ..)) in WORK.iter().enumerate() {
        let counts = counts.each_ref().map(|counts| counts[number]);
        println!("{name}: {counts:?} instructions with {SCHOOLS:?} schools");
        if counts[2] > counts[0] * MOST / 10 {
            failed.push(*name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
