//! A store of two schools with records of every kind, small enough to be damaged thousands of
//! times.

use super::disk::Disk;
use super::requests;
use super::scenario::options;
use crate::login;
use crate::world::{ENDPOINTS, Endpoint};
use rollbook::{Answer, Engine, Request, Result, SetState};
use std::sync::OnceLock;

/// The id of the first school of the store.
pub const SCHOOL: u64 = 1000;
const OTHER: u64 = 1001;

/// Returns the schools, with a login that takes almost no time.
fn schools() -> &'static str {
    static SCHOOLS: OnceLock<String> = OnceLock::new();
    let plain = include_str!("../../../core/examples/sample-school.ndjson");
    SCHOOLS.get_or_init(|| login::quick(plain))
}

/// Returns the bytes of the closed store. It contains a mark whose assessment is missing, and the
/// idempotency record of a change.
pub fn store() -> Vec<u8> {
    let disk = Disk::default();
    let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
    engine.apply(schools().as_bytes()).unwrap();
    let waiting = r#"{"type":"mark","school_id":1000,"assessment_id":7,"learner_id":1,"mark":5}"#;
    engine.apply(waiting.as_bytes()).unwrap();
    for state in [false, true] {
        let set = SetState {
            username: "demo",
            school: SCHOOL,
            api_type_id: 8,
            state,
        };
        engine.once(&format!("to {state}")).set_state(&set).unwrap();
    }
    engine.close().unwrap();
    disk.bytes()
}

/// Returns targets of every kind of question, of both versions.
pub fn targets() -> Vec<String> {
    let v1 = requests::targets_of(SCHOOL, 1).into_iter();
    let v2 = ENDPOINTS.iter().flat_map(Endpoint::v2_examples);
    let others = [
        format!("/api/v1/adminplus/learners/{OTHER}"),
        format!("/api/v1/currplus/learnerassessmentmarks/{OTHER}?learner_id=201"),
    ];
    v1.chain(others).chain(v2).collect()
}

/// Sends a GET request as the integrator.
pub fn ask(engine: &Engine, target: &str) -> Answer {
    engine.request(&Request {
        target,
        headers: &[
            ("HTTP-X-USERNAME", "demo"),
            ("HTTP-X-PASSWORD", "demo"),
            ("HTTP-X-SCHOOLID", "1000"),
        ],
        ..Request::default()
    })
}

/// Returns the answers to every kind of question.
pub fn answers(engine: &Engine) -> Vec<Answer> {
    let targets = targets();
    targets.iter().map(|target| ask(engine, target)).collect()
}

/// A change of the store.
pub type Change = fn(&Engine) -> Result<()>;

/// Changes of every kind, which are made in this order: a mark for each assessment; everything
/// again, with some changes; and removals.
pub const CHANGES: [Change; 5] = [
    |engine| engine.apply(marks().as_bytes()).map(drop),
    |engine| engine.apply(changed().as_bytes()).map(drop),
    |engine| engine.erase_learner(SCHOOL, 3).map(drop),
    |engine| engine.replace_school(SCHOOL, whole().as_bytes()).map(drop),
    |engine| engine.remove_school(OTHER).map(drop),
];

fn lines(is_included: impl Fn(&str) -> bool) -> String {
    let lines = schools().lines().filter(|line| is_included(line));
    lines.map(|line| line.to_owned() + "\n").collect()
}

fn marks() -> String {
    let assessments = lines(|line| line.contains(r#""type":"assessment","school_id":1000"#));
    let ids = assessments.lines().filter_map(|line| {
        let (_, id) = line.split_once("\"assessment_id\":")?;
        id.split_once(',').map(|(id, _)| id.to_owned())
    });
    let mark = |id| {
        format!(
            "{{\"type\":\"mark\",\"school_id\":1000,\"assessment_id\":{id},\"learner_id\":2,\"mark\":9}}\n"
        )
    };
    ids.map(mark).collect()
}

fn changed() -> String {
    let moved = schools().lines().map(|line| {
        let is_moved = line.contains("\"type\":\"assessment\"");
        let line = if is_moved {
            line.replace("\"term\":2,", "\"term\":1,")
        } else {
            line.replace("\"last_name\":\"", "\"last_name\":\"New ")
        };
        line + "\n"
    });
    moved.collect()
}

/// Returns the first school alone.
fn whole() -> String {
    lines(|line| !line.contains("\"school_id\":1001"))
}
