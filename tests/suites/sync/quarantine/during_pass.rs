//! Answers that are requested with priority and quarantined while a pass is in progress: the end of
//! the pass publishes none of them without an approval.

use super::{
    ACCESS, Engine, NOW, PER_TERM, SUBJECT_MARKS, Step, Sync, change, drive, get, is_same,
    mirror_of, reply, school, start, targets,
};

/// Drives a pass until this condition is true.
fn drive_until(
    sync: &Sync,
    source: &Engine,
    replaced: impl Fn(&str) -> Option<(u16, &'static str)>,
    is_reached: impl Fn() -> bool,
) {
    while !is_reached() {
        let Step::Send(call) = sync.next(NOW).unwrap() else {
            panic!("the pass ends before the condition is true");
        };
        let answer = get(source, &call.target, NOW);
        let mut reply = reply(&answer);
        if let Some((status, body)) = replaced(&call.target) {
            (reply.status, reply.body) = (status, body.as_bytes());
        }
        sync.handle_reply(call.id, NOW, &reply).unwrap();
    }
}

/// Returns the targets of both answers about the subjects of each of these learners.
fn subjects_of(learners: std::ops::Range<u64>) -> Vec<String> {
    let of = |id| [PER_TERM, SUBJECT_MARKS].map(|list| format!("{list}learner_id={id}"));
    learners.flat_map(of).collect()
}

/// Requests the subject marks of the first ten learners with priority, and drives the pass until all
/// answers about them are quarantined.
fn quarantine_ten(
    sync: &Sync,
    source: &Engine,
    replaced: impl Fn(&str) -> Option<(u16, &'static str)>,
) {
    for learner in 1..11 {
        let target = format!("{SUBJECT_MARKS}learner_id={learner}");
        sync.prioritise(&target).unwrap();
    }
    drive_until(sync, source, replaced, || {
        let list = targets(&sync.report().unwrap());
        subjects_of(1..11)
            .iter()
            .all(|target| list.contains(target))
    });
}

/// During a pass, ten learners have no subject marks, and one of them has a subject without terms. The
/// answer with that subject removes little, but it is quarantined too, because both answers about a
/// learner are published together.
#[test]
fn an_approval_during_a_pass_does_not_approve_what_is_published_with_it() {
    let source = school(&[(9, 1..31)], 1);
    let mirror = mirror_of(&source);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    change(
        &source,
        r#"{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":103,"grade_id":9,"terms":[]}"#,
    );
    let has_no_marks = |target: &str| target.starts_with(SUBJECT_MARKS).then_some((200, "[]"));
    let sync = start(&mirror);
    quarantine_ten(&sync, &source, has_no_marks);
    let [per_term, marks] = [PER_TERM, SUBJECT_MARKS].map(|list| format!("{list}learner_id=1"));
    sync.approve(&marks).unwrap();
    let list = targets(&drive(&sync, &source, has_no_marks));
    assert!(list.contains(&per_term), "{list:?}");
    assert!(!is_same(&mirror, &source, &per_term));
    sync.approve(&per_term).unwrap();
    let list = targets(&drive(&sync, &source, has_no_marks));
    assert!(!list.contains(&per_term), "{list:?}");
    assert!(is_same(&mirror, &source, &per_term));
}

/// During a pass, ten learners have no subjects. The answers about eight of them are approved, and
/// published because they are requested again. Those that are left remove little, but they were not
/// approved.
#[test]
fn only_what_is_approved_during_a_pass_is_published() {
    let source = school(&[(9, 1..31)], 1);
    let mirror = mirror_of(&source);
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let emptied = subjects_of(1..11);
    let has_none = |target: &str| {
        let is_emptied = emptied.iter().any(|of| of == target);
        is_emptied.then_some((200, "[]"))
    };
    let sync = start(&mirror);
    quarantine_ten(&sync, &source, has_none);
    for target in subjects_of(1..9) {
        sync.approve(&target).unwrap();
        sync.prioritise(&target).unwrap();
    }
    let is_left = |target: &String| is_same(&mirror, &source, target);
    drive_until(&sync, &source, has_none, || {
        !subjects_of(1..9).iter().any(is_left)
    });
    let mut list = targets(&drive(&sync, &source, has_none));
    list.sort_unstable();
    let mut left = subjects_of(9..11);
    left.sort_unstable();
    assert_eq!(list, left);
    assert!(left.iter().all(is_left));
}
