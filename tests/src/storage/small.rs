//! A store of two schools with something of everything in it, small enough to be
//! damaged thousands of times.

use super::disk::Disk;
use super::scenario::options;
use crate::login;
use rollbook::{Answer, Engine, Request, Result, SetState};
use std::sync::OnceLock;

/// A school of the store.
pub const SCHOOL: u64 = 1000;
const OTHER: u64 = 1001;

/// The schools, with a login that costs next to nothing.
fn schools() -> &'static str {
    static SCHOOLS: OnceLock<String> = OnceLock::new();
    let plain = include_str!("../../../core/examples/sample-school.ndjson");
    SCHOOLS.get_or_init(|| login::quick(plain))
}

/// The bytes of the store, closed: with a mark that waits for its assessment, and with
/// what came of a change.
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

const V1: [&str; 26] = [
    "adminplus/learners/1000",
    "adminplus/learners/1000?include_parents=1&grade_id=7,9",
    "adminplus/learners/1000?name=an",
    "adminplus/learners/1000?status=left&since=2026-01-01",
    "adminplus/learners/1000?learner_id=2",
    "adminplus/learners/1001",
    "currplus/learnerassessmentmarks/1000?grade_id=9",
    "currplus/learnerassessmentmarks/1000?grade_id=7&structure=1",
    "currplus/learnerassessmentmarks/1000?learner_id=1",
    "currplus/learnerassessmentmarks/1001?learner_id=201",
    "currplus/learnersubjectsperterm/1000?learner_id=1",
    "currplus/learnersubjectmarks/1000?learner_id=1",
    "currplus/learnersubjects/1000",
    "currplus/learnersubjects/1000?learner_id=2",
    "adminplus/learnerabsentees/1000?from_date=2026-04-20&to_date=2026-05-20",
    "adminplus/parents/1000",
    "adminplus/staffmembers/1000",
    "adminplus/school/1000",
    "adminplus/learnerdiscipline/1000?from_date=2026-04-20&to_date=2026-05-20",
    "adminplus/lookup/grade/1000",
    "adminplus/lookup/maritalstatus",
    "finplus/debtmanagement/learnerparentinfo/1000?include_parents=1&include_accountable_person=1",
    "finplus/debtmanagement/schooldebtors/1000?include_learners=1&all_accounts=1",
    "finplus/debtmanagement/schools",
    "settings/clients",
    "settings/clients/1000",
];

const V2: [&str; 22] = [
    "adminplus/learners?limit=50",
    "adminplus/learners?limit=3&reverse_order=1&include_parents=1",
    "adminplus/learners?name=an",
    "adminplus/learners/1?include_parents=1",
    "adminplus/learnerabsentees?from_date=2026-04-20&to_date=2026-05-20",
    "adminplus/learnerabsentees/399919",
    "adminplus/parents?limit=50",
    "adminplus/staffmembers/22",
    "adminplus/school",
    "adminplus/learnerdiscipline/5211",
    "adminplus/lookup/grade?reverse_order=1",
    "currplus/learnerassessmentmarks?grade_id=9&limit=50",
    "currplus/learnerassessmentmarks?learner_id=1&reverse_order=1",
    "currplus/learnersubjectsperterm?learner_id=1",
    "currplus/learnersubjectmarks?learner_id=1",
    "currplus/learnersubjects?limit=50",
    "finplus/debtmanagement/schools",
    "finplus/debtmanagement/schools/1000",
    "finplus/debtmanagement/learners?include_parents=1&include_accountable_person=1&limit=50",
    "finplus/debtmanagement/accountablepersons?include_learners=1&all_accounts=1",
    "finplus/debtmanagement/accountablepersons/42?include_learners=1",
    "settings/clientintegrations",
];

/// The answers to every kind of question, of both versions.
pub fn answers(engine: &Engine) -> Vec<Answer> {
    let v1 = V1.iter().map(|path| format!("/api/v1/{path}"));
    let v2 = V2.iter().map(|path| format!("/api/v2/{path}"));
    let ask = |target: String| {
        engine.request(&Request {
            target: &target,
            headers: &[
                ("HTTP-X-USERNAME", "demo"),
                ("HTTP-X-PASSWORD", "demo"),
                ("HTTP-X-SCHOOLID", "1000"),
            ],
            ..Request::default()
        })
    };
    v1.chain(v2).map(ask).collect()
}

/// A change of the store.
pub type Change = fn(&Engine) -> Result<()>;

/// Changes of every kind, each on what the ones before it left: a mark for each
/// assessment; everything once more, some of it changed; and what takes things away.
pub const CHANGES: [Change; 5] = [
    |engine| engine.apply(marks().as_bytes()).map(drop),
    |engine| engine.apply(changed().as_bytes()).map(drop),
    |engine| engine.erase_learner(SCHOOL, 3).map(drop),
    |engine| engine.replace_school(SCHOOL, whole().as_bytes()).map(drop),
    |engine| engine.remove_school(OTHER).map(drop),
];

fn lines(keep: impl Fn(&str) -> bool) -> String {
    let lines = schools().lines().filter(|line| keep(line));
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

/// The first school alone.
fn whole() -> String {
    lines(|line| !line.contains("\"school_id\":1001"))
}
