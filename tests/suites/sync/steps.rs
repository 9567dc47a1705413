//! The interface of a sync: steps, replies and failures.

use super::{ACCESS, NOW, SCHOOL, get, reply};
use rollbook::{
    AccountablePersons, Call, CallFailure, Credentials, Engine, Options, Reply, ReplyOutcome, Step,
    StopReason, Sync, SyncOptions,
};

/// Returns a school with a few records of many kinds.
pub(super) fn little_school() -> Engine {
    let source = Engine::memory(Options::default()).unwrap();
    let lines = r#"
{"type":"school","school_id":1000,"school_name":"Little","current_year":2026}
{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}
{"type":"learner","school_id":1000,"id":1,"first_name":"Anna","grade_id":9,"parent1_id":5}
{"type":"parent","school_id":1000,"id":5,"first_name":"Zoe"}
{"type":"accountable_person","school_id":1000,"accountable_person_id":6}
"#;
    source.apply([lines, ACCESS].concat().as_bytes()).unwrap();
    source
}

pub(super) fn sent(step: Step) -> Call {
    match step {
        Step::Send(call) => call,
        other => panic!("{other:?}"),
    }
}

/// Drives until the pass is done or stopped, or a step fails. `change` replaces replies.
pub(super) fn drive(
    sync: &Sync,
    source: &Engine,
    change: &dyn Fn(&str) -> Option<(u16, &'static str)>,
) -> Result<Step, rollbook::Error> {
    drive_from(sync, source, NOW, change)
}

/// Drives from this instant on.
pub(super) fn drive_from(
    sync: &Sync,
    source: &Engine,
    mut now: i64,
    change: &dyn Fn(&str) -> Option<(u16, &'static str)>,
) -> Result<Step, rollbook::Error> {
    loop {
        match sync.next(now)? {
            Step::Send(call) => {
                let answer = get(source, &call.target, NOW);
                let (status, body) = match change(&call.target) {
                    Some((status, body)) => (status, body.as_bytes()),
                    None => (answer.status.code, answer.body.as_slice()),
                };
                let retry_after = None;
                let reply = Reply {
                    status,
                    retry_after,
                    body,
                };
                sync.handle_reply(call.id, now, &reply).unwrap();
            }
            Step::Wait { until } => now = until,
            other => return Ok(other),
        }
    }
}

#[test]
fn data_that_could_not_be_published_is_not_lost() {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let grade = br#"{"type":"grade","school_id":1000,"grade_id":1}"#;
    mirror.apply(&grade[..]).unwrap();
    for _ in 0..2 {
        let refused = drive(&sync, &source, &|_| None).unwrap_err();
        assert_eq!(refused.code(), "unsupported");
    }
    let removal = br#"{"type":"grade","school_id":1000,"grade_id":1,"deleted":true}"#;
    mirror.apply(&removal[..]).unwrap();
    let done = drive(&sync, &source, &|_| None);
    assert!(matches!(done, Ok(Step::Done(_))), "{done:?}");
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let target = "/api/v1/adminplus/learners/1000?include_parents=1";
    assert_eq!(get(&mirror, target, NOW), get(&source, target, NOW));
}

/// Handles so many replies, or all. Returns the calls.
fn calls(sync: &Sync, source: &Engine, most: usize) -> Vec<Call> {
    let mut calls = Vec::new();
    while calls.len() < most {
        let Step::Send(call) = sync.next(NOW).unwrap() else {
            break;
        };
        let answer = get(source, &call.target, NOW);
        let taken = sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
        assert!(
            matches!(taken, ReplyOutcome::Stored | ReplyOutcome::Unchanged),
            "{taken:?}"
        );
        let again = sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
        assert_eq!(again, ReplyOutcome::Stale);
        calls.push(call);
    }
    calls
}

fn sync(mirror: &Engine) -> Sync {
    mirror.sync(SCHOOL, SyncOptions::default()).unwrap()
}

pub(super) fn lines(engine: &Engine) -> Vec<String> {
    let lines = engine.export(Credentials::LeaveOut).unwrap();
    lines.map(Result::unwrap).collect()
}

/// Abandons a pass at each point, with a call in flight: no stored answer is requested again, and
/// the ids of the calls are unchanged.
#[test]
fn a_pass_continues_where_it_was_left() {
    let source = little_school();
    let new = || Engine::memory(Options::default()).unwrap();
    let at_once = new();
    let all = calls(&sync(&at_once), &source, usize::MAX);
    for left in 0..=all.len() {
        let mirror = new();
        let first = sync(&mirror);
        assert_eq!(calls(&first, &source, left), all[..left]);
        if left < all.len() {
            assert_eq!(sent(first.next(NOW).unwrap()), all[left]);
        }
        drop(first);
        assert!(mirror.verify().unwrap().is_sound());
        let second = sync(&mirror);
        assert_eq!(calls(&second, &source, usize::MAX), all[left..]);
        assert!(matches!(second.next(NOW).unwrap(), Step::Done(_)));
        assert_eq!(lines(&mirror), lines(&at_once), "{left}");
    }
    // A sync with other options starts a new pass.
    let mirror = new();
    calls(&sync(&mirror), &source, 5);
    let mut options = SyncOptions::default();
    options.days_from = "2026-05-01".parse().ok();
    let other = mirror.sync(SCHOOL, options).unwrap();
    assert_eq!(sent(other.next(NOW).unwrap()).target, all[0].target);
}

/// A member that Rollbook does not have is reported, whether this sync handled the answer or the
/// abandoned one. The next pass does not report it if the answer is unchanged.
#[test]
fn unknown_members_are_reported_by_the_sync_that_continues() {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let new = |target: &str| match target {
        "/api/v1/adminplus/lookup/gender" => Some((200, r#"[{"id":"1","hue":"x"}]"#)),
        "/api/v1/adminplus/staffmembers/1000" => Some((200, r#"[{"id":"1","mood":null}]"#)),
        _ => None,
    };
    let first = sync(&mirror);
    for _ in 0..8 {
        let call = sent(first.next(NOW).unwrap());
        let answer = get(&source, &call.target, NOW);
        let (status, body) = new(&call.target).unwrap_or((answer.status.code, ""));
        let body = match body {
            "" => answer.body.as_slice(),
            body => body.as_bytes(),
        };
        let retry_after = None;
        let reply = Reply {
            status,
            retry_after,
            body,
        };
        first.handle_reply(call.id, NOW, &reply).unwrap();
    }
    let named = first.report().unwrap().unknown;
    assert_eq!(named, ["gender: hue"]);
    drop(first);
    let second = sync(&mirror);
    let Ok(Step::Done(report)) = drive(&second, &source, &new) else {
        panic!("not done");
    };
    assert_eq!(report.unknown, ["gender: hue", "staff_member: mood"]);
    let Ok(Step::Done(report)) = drive(&sync(&mirror), &source, &new) else {
        panic!("not done");
    };
    assert_eq!(report.unknown, [""; 0]);
}

/// Before and after data about the learner was fetched.
#[test]
fn a_learner_erased_during_a_pass_is_not_added_again() {
    let source = little_school();
    for replies in [0, 5, 12, 30] {
        let mirror = Engine::memory(Options::default()).unwrap();
        drop(calls(&sync(&mirror), &source, usize::MAX));
        mirror.apply(ACCESS.as_bytes()).unwrap();
        let next = sync(&mirror);
        calls(&next, &source, replies);
        mirror.erase_learner(SCHOOL, 1).unwrap();
        assert_eq!(drive_to_end(&next, &source), [""; 0]);
        let target = "/api/v1/adminplus/learners/1000";
        assert_eq!(get(&mirror, target, NOW).status.code, 404, "{replies}");
        assert!(lines(&mirror).iter().all(|line| !line.contains("Anna")));
        // The same is true in the next pass.
        assert_eq!(drive_to_end(&sync(&mirror), &source), [""; 0]);
        assert!(lines(&mirror).iter().all(|line| !line.contains("Anna")));
        assert!(mirror.verify().unwrap().is_sound());
    }
}

/// A learner who is erased before the first publication is not added.
#[test]
fn a_learner_erased_during_the_first_pass_is_not_added() {
    let source = little_school();
    for replies in [1, 12, 30] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let first = sync(&mirror);
        calls(&first, &source, replies);
        mirror.erase_learner(SCHOOL, 1).unwrap();
        assert_eq!(drive_to_end(&first, &source), [""; 0]);
        assert!(lines(&mirror).iter().all(|line| !line.contains("Anna")));
        assert!(lines(&mirror).iter().any(|line| line.contains("Little")));
        assert_eq!(mirror.synced(SCHOOL).unwrap().unwrap().erased, 1);
        assert!(mirror.verify().unwrap().is_sound());
    }
}

/// Drives to the end. Returns the quarantined targets.
pub(super) fn drive_to_end(sync: &Sync, source: &Engine) -> Vec<String> {
    match drive(sync, source, &|_| None).unwrap() {
        Step::Done(report) => report
            .quarantined
            .into_iter()
            .map(|quarantined| quarantined.target)
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_access_to_parents_the_rest_is_synced() {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let forbidden = |target: &str| target.contains("include_parents").then_some((403, "{}"));
    assert!(matches!(
        drive(&sync, &source, &forbidden),
        Ok(Step::Done(_))
    ));
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let target = "/api/v1/adminplus/learners/1000";
    assert_eq!(get(&mirror, target, NOW), get(&source, target, NOW));
    let target = "/api/v1/adminplus/learners/1000?include_parents=1";
    assert_eq!(get(&mirror, target, NOW).status.code, 503);
}

#[test]
fn a_call_is_returned_once_while_it_is_in_flight() {
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let call = sent(sync.next(NOW).unwrap());
    let until = NOW + 120;
    assert_eq!(sync.next(NOW).unwrap(), Step::Wait { until });
    assert_eq!(sync.next(until - 1).unwrap(), Step::Wait { until });
    // No outcome of the call was reported, so it is sent again after a pause. As the service has not
    // replied yet, another request is tried in the meantime.
    let other = sent(sync.next(until).unwrap());
    assert_ne!(other.target, call.target);
    let Step::Wait { until } = sync.next(until).unwrap() else {
        panic!("the call has not failed");
    };
    assert_eq!(sent(sync.next(until).unwrap()), call);
    let taken = sync
        .handle_failure(call.id, until, CallFailure::Cut)
        .unwrap();
    assert!(matches!(taken, ReplyOutcome::Retry { at } if at > until));
    assert_eq!(
        sync.handle_failure(call.id + 1, until, CallFailure::Cut)
            .unwrap(),
        ReplyOutcome::Stale
    );
}

#[test]
fn a_call_without_a_network_is_not_counted_as_an_attempt() {
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let mut until = NOW;
    for _ in 0..50 {
        let call = sent(sync.next(until).unwrap());
        let offline = sync.handle_failure(call.id, NOW, CallFailure::Offline);
        assert!(matches!(offline, Ok(ReplyOutcome::Retry { .. })));
        let Step::Wait { until: next } = sync.next(NOW).unwrap() else {
            panic!("no pause");
        };
        until = next;
    }
}

/// The same JSON can be written in several forms.
#[test]
fn an_empty_answer_is_recognised_in_any_form() {
    let source = little_school();
    for text in [
        r#"{"error":"Not found","error_description":"No staff member records found"}"#,
        r#"{ "error_description" : "No staff member records \u0066ound" }"#,
    ] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let changed = |target: &str| target.contains("staff").then_some((404, text));
        let Ok(Step::Done(report)) = drive(&sync, &source, &changed) else {
            panic!("not done");
        };
        assert_eq!(report.failed, []);
        let persons = AccountablePersons {
            school: SCHOOL,
            all_accounts: true,
            ..Default::default()
        };
        assert_eq!(mirror.ask(&persons).unwrap().status.code, 200);
    }
}

/// The pause after a failure, a wait that the service requested, and a call without a reply.
#[test]
fn a_clock_that_is_set_back_makes_no_wait_longer() {
    const YEAR: i64 = 365 * 86_400;
    for (status, most) in [(500, 2), (429, 30), (0, 120)] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let Step::Send(call) = sync.next(NOW).unwrap() else {
            panic!("nothing is sent");
        };
        let reply = Reply {
            status,
            retry_after: Some("30").filter(|_| status == 429),
            body: b"",
        };
        if status > 0 {
            let taken = sync.handle_reply(call.id, NOW, &reply).unwrap();
            assert!(matches!(taken, ReplyOutcome::Retry { at } if at > NOW));
        }
        let mut now = NOW - YEAR;
        let mut waited = 0;
        let again = loop {
            match sync.next(now).unwrap() {
                Step::Wait { until } => {
                    waited += until - now;
                    assert!(waited <= most + 2, "{status}: {waited}");
                    now = until;
                }
                // As long as the service has not replied, another request is tried first.
                Step::Send(again) => break again,
                other => panic!("{other:?}"),
            }
        };
        assert!(status == 0 || again == call, "{again:?}");
    }
}

/// No server listens at the address. Being offline is not counted as an attempt.
#[test]
fn a_service_that_never_replied_is_not_waited_for() {
    for (no_reply, is_replied) in [
        (CallFailure::Cut, false),
        (CallFailure::Timeout, false),
        (CallFailure::Offline, false),
        (CallFailure::Cut, true),
    ] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let (mut now, mut attempts) = (NOW, 0);
        let stopped = loop {
            match sync.next(now).unwrap() {
                Step::Send(call) if is_replied && attempts == 0 => {
                    attempts += 1;
                    let status = 503;
                    let reply = Reply {
                        status,
                        ..Reply::default()
                    };
                    sync.handle_reply(call.id, now, &reply).unwrap();
                }
                Step::Send(call) => {
                    attempts += 1;
                    sync.handle_failure(call.id, now, no_reply).unwrap();
                }
                Step::Wait { until } => now = until,
                Step::Stop { reason, .. } => break Some(reason),
                other => panic!("{other:?}"),
            }
            if attempts > 3 {
                break None;
            }
        };
        let is_unreachable = !is_replied && no_reply != CallFailure::Offline;
        assert_eq!(stopped, is_unreachable.then_some(StopReason::Unreachable));
        if is_unreachable {
            assert!(attempts == 3 && now - NOW <= 8, "{attempts} {}", now - NOW);
        }
    }
}
