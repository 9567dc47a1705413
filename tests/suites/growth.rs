//! The cost of a change or a page in bytes read, memory and space depends on what it concerns, and
//! not on the amount of other data.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{
    Absentees, AssessmentMarks, Clients, Engine, Learners, Options, Page, SubjectMarks,
    SubjectsPerTerm,
};
use rollbook_tests::storage::child;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::meter::Meter;
use rollbook_tests::storage::scenario::options;
use std::fmt::Write as _;

/// A school with a current year and one learner who takes one subject.
const SCHOOL: &str = r#"{"type":"school","school_id":1,"current_year":2026}
{"type":"year","school_id":1,"year":2026}
{"type":"learner","school_id":1,"id":1}
{"type":"learner_subject","school_id":1,"learner_id":1,"year":2026,"subject_id":10,"grade_id":9,"terms":[{"term":1}]}
"#;

fn lines(numbers: std::ops::Range<u64>, line: impl Fn(u64) -> String) -> String {
    numbers.fold(String::new(), |mut all, number| {
        writeln!(all, "{}", line(number)).unwrap();
        all
    })
}

/// Returns a store that is opened with a very small cache, and a meter of what is read from it.
fn metered(dataset: &str) -> (Meter, Engine) {
    opened(stored(dataset))
}

fn stored(dataset: &str) -> Vec<u8> {
    let disk = Disk::default();
    let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
    engine.apply(dataset.as_bytes()).unwrap();
    engine.close().unwrap();
    disk.bytes()
}

fn opened(store: Vec<u8>) -> (Meter, Engine) {
    let meter = Meter::on(store);
    let cache = Options {
        cache_bytes: 1 << 16,
        ..options()
    };
    let engine = Engine::open_with_backend(meter.clone(), cache).unwrap();
    (meter, engine)
}

/// Returns the number of bytes that are read during `work`.
fn read(meter: &Meter, work: impl FnOnce()) -> u64 {
    let before = meter.read_bytes();
    work();
    meter.read_bytes() - before
}

/// Asks about other schools, so that large values are evicted from the decoded cache.
fn fill_decoded_cache(engine: &Engine, schools: std::ops::Range<u64>) {
    for school in schools {
        let learners = Learners {
            school,
            ..Learners::default()
        };
        assert_eq!(engine.ask(&learners).unwrap().status.code, 404);
    }
}

/// Removes half of the schools together with the client integrations of an integrator with a long
/// name. Whether a removed school is still used must be determined once for all of them.
#[test]
fn removed_schools() {
    let user = "u".repeat(250);
    let client = |school, rest: &str| {
        format!(
            r#"{{"type":"client_integration","username":"{user}","school_id":{school},"api_type_id":8{rest}}}"#
        )
    };
    let taken = |count: u64| {
        let initial = lines(1..count + 1, |school| {
            format!(
                "{{\"type\":\"school\",\"school_id\":{school},\"current_year\":2026}}\n{}",
                client(school, "")
            )
        });
        let (meter, engine) = metered(&initial);
        let removals = lines(1..count / 2 + 1, |school| {
            format!(
                "{{\"type\":\"school\",\"school_id\":{school},\"deleted\":true}}\n{}",
                client(school, ",\"deleted\":true")
            )
        });
        let read = read(&meter, || {
            let summary = engine.apply(removals.as_bytes()).unwrap();
            assert_eq!(summary.total().removed, count);
        });
        let clients = Clients {
            username: &user,
            ..Clients::default()
        };
        let left = engine.ask(&clients).unwrap();
        assert_eq!(
            left.text().matches("school_login_id").count() as u64,
            count / 2
        );
        read
    };
    let (some, twice) = (taken(600), taken(1200));
    println!("removing schools read {some} and {twice} bytes");
    assert!(twice * 10 < some * 26, "{some} {twice}");
}

fn assessments(count: u64) -> String {
    let name = "long ".repeat(30);
    lines(1..count + 1, |id| {
        format!(
            r#"{{"type":"assessment","school_id":1,"assessment_id":{id},"grade_id":9,"year":2026,"term":1,"subject_id":10,"learning_outcome_id":5,"assessment_name":"{name}{id}","assessment_date":"2026-02-03","weight":"10","mark_out_of":"20"}}"#
        )
    })
}

/// A page of an assessment layout that is too large for the cache reads only the records on it,
/// whether it is early or late. Each record is the same as in a small layout.
#[test]
fn pages_of_a_large_assessment_layout() {
    const ALL: u64 = 40_000;
    let store = stored(&(SCHOOL.to_owned() + &assessments(ALL)));
    let (_, small) = metered(&(SCHOOL.to_owned() + &assessments(100)));
    let question = AssessmentMarks {
        school: 1,
        grade_id: Some(9),
        structure: true,
        ..AssessmentMarks::default()
    };
    // Eviction from the cache is random, and differs between openings.
    for opening in 0..5 {
        let (meter, engine) = opened(store.clone());
        for reverse_order in [false, true] {
            let pages = if opening == 0 { ALL / 50 } else { 30 };
            let mut cursor: Option<String> = None;
            let mut seen = 0;
            for number in 0..pages {
                let page = Page {
                    cursor: cursor.as_deref(),
                    limit: Some(50),
                    reverse_order,
                };
                let mut answer = String::new();
                let bytes = read(&meter, || {
                    answer = engine.page(&question, &page).unwrap().text().to_owned();
                });
                fill_decoded_cache(&engine, 1000 + number..1002 + number);
                // The first page makes the assessment layout. Without a cache, each record of the
                // other pages reads its block.
                let is_first = number == 0 && !reverse_order;
                assert!(is_first || bytes < 100 * (64 << 10), "{bytes}");
                if is_first {
                    let same = small.page(&question, &page).unwrap();
                    assert_eq!(records(same.text()), records(&answer));
                }
                seen += answer.matches("\"assessment_id\"").count() as u64;
                cursor = next(&answer);
            }
            assert_eq!((seen, cursor.is_none()), (pages * 50, opening == 0));
        }
    }
    let (_, engine) = opened(store);
    let one = AssessmentMarks {
        assessment_id: Some(77),
        ..question
    };
    assert_eq!(
        engine.ask(&one).unwrap().text(),
        small.ask(&one).unwrap().text()
    );
}

/// The terms of an assessment layout are made one by one: all of them together would be too large
/// to cache.
#[test]
fn pages_of_an_assessment_layout_of_several_terms() {
    const EACH: u64 = 50_000;
    let assessments = lines(1..5 * EACH + 1, |id| {
        let term = 1 + (id - 1) / EACH;
        format!(
            r#"{{"type":"assessment","school_id":1,"assessment_id":{id},"grade_id":9,"year":2026,"term":{term},"subject_id":10,"learning_outcome_id":5,"assessment_name":"A","assessment_date":"2026-02-03","weight":"1","mark_out_of":"20"}}"#
        )
    });
    let terms = SCHOOL.replace(
        r#"[{"term":1}]"#,
        r#"[{"term":1},{"term":2},{"term":3},{"term":4},{"term":5}]"#,
    );
    let (meter, engine) = metered(&(terms + &assessments));
    let question = AssessmentMarks {
        school: 1,
        grade_id: Some(9),
        structure: true,
        ..AssessmentMarks::default()
    };
    let mut cursor: Option<String> = None;
    for number in 0..20 {
        let page = Page {
            cursor: cursor.as_deref(),
            limit: Some(50),
            reverse_order: true,
        };
        let mut answer = String::new();
        let bytes = read(&meter, || {
            answer = engine.page(&question, &page).unwrap().text().to_owned();
        });
        let last = 5 * EACH - 50 * number;
        let expected = format!("\"assessment_id\":{last},");
        assert!(answer.contains(&expected), "{answer}");
        assert!(number == 0 || bytes < 100 * (64 << 10), "{bytes}");
        cursor = next(&answer);
    }
}

fn records(page: &str) -> &str {
    page.split_once(",\"meta\"").unwrap().0
}

fn next(page: &str) -> Option<String> {
    let (_, rest) = page.split_once("\"next_cursor\":\"")?;
    Some(rest.split_once('"').unwrap().0.to_owned())
}

/// A few names among very many are looked up one by one: a question reads about the same amount if
/// there are twice as many.
#[test]
fn questions_beside_large_tables() {
    let taken = |count: u64| {
        let terms = lines(1..count + 1, |term| {
            format!(
                r#"{{"type":"term","school_id":1,"year":2026,"term":{term},"term_id":{},"start_date":"2026-01-10","end_date":"2026-03-20"}}"#,
                term + 100_000
            )
        });
        let subjects = lines(1..count + 1, |subject| {
            format!(
                r#"{{"type":"subject","school_id":1,"subject_id":{subject},"subject_name":"S{subject}"}}"#
            )
        });
        let late = format!(
            r#"{{"type":"learner_subject","school_id":1,"learner_id":1,"year":2026,"subject_id":{count},"grade_id":9,"terms":[{{"term":{count},"mark":"5"}}]}}"#
        );
        let (meter, engine) = metered(&(SCHOOL.to_owned() + &terms + &subjects + &late));
        let ask = || {
            let absent = Absentees {
                school: 1,
                ..Absentees::default()
            };
            assert_eq!(engine.ask(&absent).unwrap().status.code, 404);
            let of = SubjectsPerTerm {
                school: 1,
                learner_id: 1,
            };
            let answer = engine.ask(&of).unwrap();
            let expected = format!("\"subject_name\":\"S{count}\"");
            assert!(answer.text().contains(&expected), "{}", answer.text());
            let expected = format!("{{\"term_id\":{},\"term\":\"{count}\"", count + 100_000);
            assert!(answer.text().contains(&expected), "{}", answer.text());
            let marks = SubjectMarks {
                school: 1,
                learner_id: 1,
            };
            let answer = engine.ask(&marks).unwrap();
            assert!(
                answer
                    .text()
                    .contains(&format!("\"term\":\"{count}\",\"mark\":\"5.00\""))
            );
        };
        ask();
        fill_decoded_cache(&engine, 1000..1040);
        read(&meter, ask)
    };
    let (some, twice) = (taken(30_000), taken(60_000));
    println!("three questions read {some} and {twice} bytes");
    assert!(twice < 2_000_000 && twice * 2 < some * 3, "{some} {twice}");
}

/// A store with very many schools of few records needs at most twice the space that it needs after
/// compaction.
#[test]
fn tiny_schools_share_space() {
    let schools = lines(1..8001, |school| {
        format!(
            r#"{{"type":"school","school_id":{school},"current_year":2026}}
{{"type":"year","school_id":{school},"year":2026}}
{{"type":"grade","school_id":{school},"grade_id":9,"grade":"7"}}
{{"type":"subject","school_id":{school},"subject_id":10,"subject_name":"English"}}
{{"type":"learner","school_id":{school},"id":1,"first_name":"Ann"}}"#
        )
    });
    let engine = Engine::open_with_backend(Disk::default(), options()).unwrap();
    engine.apply(schools.as_bytes()).unwrap();
    let loaded = engine.stats().unwrap().bytes;
    engine.compact().unwrap();
    let compacted = engine.stats().unwrap().bytes;
    println!("{loaded} bytes after the load, {compacted} after compaction");
    // Small files are not compacted, so this one must be larger.
    assert!(compacted > 8 << 20, "{compacted}");
    assert!(loaded <= 2 * compacted, "{loaded} {compacted}");
}

/// Returns the peak memory of this process in bytes since the last call.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.unwrap().trim().trim_end_matches("kB").trim();
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    kilobytes.parse::<u64>().unwrap() * 1024
}

/// Names of a megabyte each are not cached: questions that read them need no more memory than
/// loading them.
#[cfg(target_os = "linux")]
#[test]
fn long_names() {
    if child::task().is_some() {
        return ask_long_names();
    }
    let mut child = child::start("growth::long_names", "ask");
    let said: Vec<_> = child::lines(child.stdout.take().unwrap()).collect();
    assert!(child.wait().unwrap().success());
    let peak: u64 = said[0].parse().unwrap();
    println!("the peak was {} MB", peak / 1_000_000);
    assert!(peak < 180_000_000, "{peak}");
}

#[cfg(target_os = "linux")]
fn ask_long_names() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path().join("store"), options()).unwrap();
    engine.apply(SCHOOL.as_bytes()).unwrap();
    let name = "n".repeat(1_000_000);
    for (kind, id, text) in [
        ("grade", "grade_id", "grade"),
        ("subject", "subject_id", "subject_name"),
        (
            "learning_outcome",
            "learning_outcome_id",
            "learning_outcome_name",
        ),
    ] {
        for number in 0..100 {
            let line =
                format!(r#"{{"type":"{kind}","school_id":1,"{id}":{number},"{text}":"{name}"}}"#);
            engine.apply(line.as_bytes()).unwrap();
        }
    }
    for number in 0..100 {
        let line = format!(
            r#"{{"type":"api_type","api_type_id":{number},"family":"finance","api_type":"{name}"}}"#
        );
        engine.apply(line.as_bytes()).unwrap();
    }
    engine
        .apply(&br#"{"type":"client_integration","username":"u","school_id":1,"api_type_id":50,"state":1}"#[..])
        .unwrap();
    let of = SubjectsPerTerm {
        school: 1,
        learner_id: 1,
    };
    for _ in 0..3 {
        let answer = engine.ask(&of).unwrap();
        assert_eq!(answer.text().matches(&name).count(), 2);
        let answer = engine.page(&of, &Page::default()).unwrap();
        assert_eq!(answer.text().matches(&name).count(), 2);
        let clients = Clients {
            username: "u",
            ..Clients::default()
        };
        assert!(engine.ask(&clients).unwrap().text().contains(&name));
        let learners = Learners {
            school: 1,
            ..Learners::default()
        };
        assert_eq!(engine.ask(&learners).unwrap().status.code, 200);
    }
    child::say(&peak().to_string());
}
