//! Counts instructions: work that was once quadratic takes about twice as many for twice as much
//! data.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs
)]

use rollbook::{Credentials, Engine, Request, Scope};
use rollbook_tests::login;
use rollbook_tests::storage::child;
use rollbook_tests::storage::scenario::options;
use std::fmt::Write as _;
use std::hint::black_box;

/// Does an amount of work.
type Work = fn(u64);

/// The sorts of work, each with the smallest amount.
const WORK: [(&str, u64, Work); 10] = [
    ("assessments of one term", 4000, |count| {
        load(&(assessments(count, "", 1) + &marks(count, 1)));
    }),
    ("an export of one learner's marks", 3000, |count| {
        let engine = load(&(assessments(count, "", 1) + &marks(count, 1)));
        let lines = engine.export(Credentials::Keep).unwrap();
        assert!(lines.flatten().count() as u64 >= 2 * count);
    }),
    ("schools", 5000, |count| {
        load(&schools(count, ""));
    }),
    ("learners of as many schools, and others", 1500, |count| {
        let learners = |name: &str| {
            lines(1..count + 1, |school| {
                format!(r#"{{"type":"learner","school_id":{school},"id":1,"last_name":"{name}"}}"#)
            })
        };
        let engine = load(&(schools(count, "") + &learners("old")));
        engine.apply(learners("new").as_bytes()).unwrap();
    }),
    ("half the schools", 3000, |count| {
        let engine = load(&schools(count, ""));
        let removals = schools(count / 2, ",\"deleted\":true");
        engine.apply(removals.as_bytes()).unwrap();
    }),
    ("the terms of one subject", 4000, |count| {
        let engine = load(&terms(1..count + 1));
        engine.apply(terms(2..count + 2).as_bytes()).unwrap();
        engine
            .apply(terms(count + 1..2 * count).as_bytes())
            .unwrap();
    }),
    ("the members of a body", 1600, body),
    (
        "learners of more bytes than are staged in memory",
        600,
        |count| {
            let name = "x".repeat(30_000);
            let learners = lines(1..count + 1, |id| {
                format!(r#"{{"type":"learner","school_id":1,"id":{id},"last_name":"{name}"}}"#)
            });
            load(&learners);
        },
    ),
    ("schools that are followed", 1000, follow),
    ("assessments that are replaced", 200, |count| {
        let engine = load(&(assessments(count, "", 1) + &marks(count, 50)));
        for (name, term) in [("new", 1), ("new", 2), ("old", 1)] {
            let again = assessments(count, name, term);
            engine.apply(again.as_bytes()).unwrap();
        }
    }),
];

/// Follows so many schools, of which the first changes, and finally removes all of them from the
/// scope.
fn follow(count: u64) {
    let source = load(&schools(count, ""));
    let follower = Engine::memory(options()).unwrap();
    let all = (1..=count).fold(Scope::default(), Scope::school);
    for scope in [&all, &all, &Scope::default()] {
        let after = follower.followed().unwrap();
        let mut follow = follower.follow();
        for line in source.feed(scope, after.as_deref()).unwrap() {
            follow.push(line.unwrap().as_bytes()).unwrap();
            follow.push(b"\n").unwrap();
        }
        follow.finish().unwrap();
        let change = r#"{"type":"learner","school_id":1,"id":1}"#;
        source.apply(change.as_bytes()).unwrap();
    }
}

/// The limit of the growth: the increase from twice to four times the amount, divided by the
/// increase from once to twice. It is 2 for linear work and 4 for quadratic work.
const MOST: f64 = 2.6;

fn lines(numbers: std::ops::Range<u64>, line: impl Fn(u64) -> String) -> String {
    numbers.fold(String::new(), |mut all, number| {
        writeln!(all, "{}", line(number)).unwrap();
        all
    })
}

fn load(dataset: &str) -> Engine {
    let engine = Engine::memory(options()).unwrap();
    engine.apply(dataset.as_bytes()).unwrap();
    engine
}

fn assessments(count: u64, name: &str, term: u64) -> String {
    lines(1..count + 1, |id| {
        format!(
            r#"{{"type":"assessment","school_id":1,"assessment_id":{id},"grade_id":9,"year":2026,"term":{term},"subject_id":10,"learning_outcome_id":5,"assessment_name":"{name}{id}","assessment_date":"2026-02-03","weight":"10","mark_out_of":"20"}}"#
        )
    })
}

fn marks(assessments: u64, learners: u64) -> String {
    lines(1..assessments * learners + 1, |number| {
        let (id, learner) = (1 + number % assessments, 1 + number / assessments);
        format!(
            r#"{{"type":"mark","school_id":1,"assessment_id":{id},"learner_id":{learner},"mark":"5"}}"#
        )
    })
}

fn schools(count: u64, deleted: &str) -> String {
    let year = match deleted {
        "" => ",\"current_year\":2026",
        _ => "",
    };
    lines(1..count + 1, |school| {
        format!(
            r#"{{"type":"school","school_id":{school}{year}{deleted}}}
{{"type":"client_integration","username":"u","school_id":{school},"api_type_id":8{deleted}}}"#
        )
    })
}

fn terms(terms: std::ops::Range<u64>) -> String {
    let terms: Vec<_> = terms.map(|term| format!("{{\"term\":{term}}}")).collect();
    format!(
        r#"{{"type":"learner_subject","school_id":1,"learner_id":1,"year":2026,"subject_id":10,"grade_id":9,"terms":[{}]}}"#,
        terms.join(",")
    )
}

fn body(members: u64) {
    let engine = load(&login::quick(concat!(
        r#"{"type":"school","school_id":1,"current_year":2026}"#,
        "\n",
        r#"{"type":"integrator","username":"demo","password":"demo"}"#,
        "\n",
        r#"{"type":"client_integration","username":"demo","school_id":1,"api_type_id":8,"state":1}"#,
    )));
    let names: Vec<_> = (0..members).map(|name| format!("\"{name}\":1")).collect();
    let body = format!("{{{}}}", names.join(","));
    let answer = engine.request(&Request {
        method: "PATCH",
        target: "/api/v1/settings/clients/1",
        headers: &[
            ("HTTP-X-USERNAME", "demo"),
            ("HTTP-X-PASSWORD", "demo"),
            ("HTTP-X-SCHOOLID", "1"),
        ],
        body: body.as_bytes(),
        ..Request::default()
    });
    assert_eq!(answer.status.code, 400, "{}", answer.text());
}

/// Returns the growth of the work.
fn growth(test: &str, name: &str, count: u64) -> f64 {
    let [one, two, four] =
        [1, 2, 4].map(|times| child::instructions(test, &format!("{name}:{}", times * count)));
    println!("{name}: {one}, {two} and {four} instructions");
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    let growth = (four - two) as f64 / (two - one) as f64;
    growth
}

#[test]
#[ignore = "tests/run instructions"]
fn work_grows_with_what_it_is_about() {
    if let Some(task) = child::task() {
        let (name, count) = task.split_once(':').unwrap();
        let (.., work) = WORK.iter().find(|(known, ..)| *known == name).unwrap();
        return work(count.parse().unwrap());
    }
    for (name, count, _) in WORK {
        let growth = growth("linear::work_grows_with_what_it_is_about", name, count);
        assert!(growth > 1.0 && growth < MOST, "{name}: {growth}");
    }
}

/// Quadratic work exceeds the limit.
#[test]
#[ignore = "tests/run instructions"]
fn a_loop_in_a_loop_is_noticed() {
    if let Some(task) = child::task() {
        let (_, count) = task.split_once(':').unwrap();
        let count: u64 = count.parse().unwrap();
        let sum = (0..count)
            .flat_map(|one| (0..one).map(black_box))
            .sum::<u64>();
        black_box(sum);
        return;
    }
    let growth = growth("linear::a_loop_in_a_loop_is_noticed", "loops", 1000);
    assert!(growth > MOST, "{growth}");
}
