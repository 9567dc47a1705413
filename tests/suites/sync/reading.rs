//! The instructions that decoding answers needs.

use super::{NOW, SCHOOL};
use rollbook::{Engine, Options, Reply, ReplyOutcome, Step, Sync, SyncOptions};
use rollbook_tests::storage::child;
use std::fmt::Write as _;

/// The maximum number of instructions per byte of an answer of marks. It corresponds to 150 MB/s at
/// 6,000 million instructions per second.
const MOST: u64 = 40;

/// Returns the marks of so many learners in 28 assessments.
fn marks(learners: u64) -> String {
    let mut body = r#"{"9":{"grade":"7","years":{"2026":{"year":"2026","year_name":"2026","terms":{"1":{"term":"1","learners":{"#.to_owned();
    for learner in 1..=learners {
        let comma = if learner > 1 { "," } else { "" };
        write!(
            body,
            r#"{comma}"{learner}":{{"learner_id":"{learner}","subjects":{{"#
        )
        .unwrap();
        for subject in 101..105 {
            let comma = if subject > 101 { "," } else { "" };
            write!(body, r#"{comma}"{subject}":{{"subject_id":"{subject}","subject_name":"Subject {subject}","learning_outcomes":{{"3":{{"learning_outcome_id":"3","learning_outcome_name":"Outcome","assessments":{{"#).unwrap();
            for number in 0..7 {
                let comma = if number > 0 { "," } else { "" };
                let (id, mark) = (subject * 10 + number, learner * 7 % 20);
                let percentage = mark * 5;
                write!(body, r#"{comma}"{id}":{{"assessment_id":"{id}","assessment_name":"Assessment {id}","assessment_date":"2026-02-03","weight":"10.00","dtime":"2026-02-04 10:30:00","percentage":"{percentage}.00","mark":"{mark}.00","mark_out_of":"20.00","captured":"1"}}"#).unwrap();
            }
            body.push_str("}}}}");
        }
        body.push_str("}}");
    }
    body.push_str("}}}}}}}");
    body
}

/// Drives a sync of a school with one grade and no learners until a matching target is requested.
/// Returns the id of the call.
pub(super) fn until(sync: &Sync, is_it: impl Fn(&str) -> bool) -> u64 {
    loop {
        let Step::Send(call) = sync.next(NOW).unwrap() else {
            panic!("the target is not requested");
        };
        if is_it(&call.target) {
            return call.id;
        }
        let target = call.target.as_str();
        let body = match target {
            _ if target.contains("debtmanagement/schools/") => {
                r#"[{"school_id":"1000","school_name":"a"}]"#
            }
            _ if target.contains("lookup/grade/") => r#"[{"id":"9","name":"7"}]"#,
            _ if target.contains("adminplus/school/") => r#"{"school_name":"a"}"#,
            _ if target.contains("assessmentmarks") => "{}",
            _ => "[]",
        };
        let reply = Reply {
            status: 200,
            body: body.as_bytes(),
            ..Reply::default()
        };
        sync.handle_reply(call.id, NOW, &reply).unwrap();
    }
}

#[test]
#[ignore = "tests/run instructions"]
fn reading_marks_takes_few_instructions_a_byte() {
    const LEARNERS: u64 = 200;
    if let Some(task) = child::task() {
        let engine = Engine::memory(Options::default()).unwrap();
        let sync = engine.sync(SCHOOL, SyncOptions::default()).unwrap();
        let call = until(&sync, |target| {
            target.contains("grade_id=9") && !target.contains("structure")
        });
        let body = marks(LEARNERS);
        if task == "taken" {
            let reply = Reply {
                status: 200,
                body: body.as_bytes(),
                ..Reply::default()
            };
            assert_eq!(
                sync.handle_reply(call, NOW, &reply).unwrap(),
                ReplyOutcome::Stored
            );
        }
        return;
    }
    let test = "sync::reading::reading_marks_takes_few_instructions_a_byte";
    let [made, taken] = ["made", "taken"].map(|task| child::instructions(test, task));
    let bytes = marks(LEARNERS).len() as u64;
    let each = (taken - made) / bytes;
    println!(
        "{bytes} bytes of marks: {} instructions, {each} a byte",
        taken - made
    );
    assert!(each <= MOST, "{each}");
}
