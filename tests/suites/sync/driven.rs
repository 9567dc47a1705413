//! What crosses: steps, replies and failures, and how a sync takes them.

use super::{ACCESS, NOW, SCHOOL, get, reply};
use rollbook::{
    AccountablePersons, Call, Credentials, Engine, NoReply, Options, Reply, SchoolInfo, Step, Sync,
    SyncOptions, Taken, Why,
};

/// A school with a little of everything.
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

fn sent(step: Step) -> Call {
    match step {
        Step::Send(call) => call,
        other => panic!("{other:?}"),
    }
}

/// Drives until a step is neither sent nor waited for; `change` makes other replies.
pub(super) fn drive(
    sync: &Sync,
    source: &Engine,
    change: &dyn Fn(&str) -> Option<(u16, &'static str)>,
) -> Result<Step, rollbook::Error> {
    let mut now = NOW;
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
                sync.take(call.id, now, &reply).unwrap();
            }
            Step::Wait { until } => now = until,
            other => return Ok(other),
        }
    }
}

#[test]
fn what_could_not_be_published_is_not_lost() {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let grade = br#"{"type":"grade","school_id":1000,"grade_id":1}"#;
    mirror.apply(&grade[..]).unwrap();
    for _ in 0..2 {
        let refused = drive(&sync, &source, &|_| None).unwrap_err();
        assert_eq!(refused.code(), "unsupported");
    }
    let gone = br#"{"type":"grade","school_id":1000,"grade_id":1,"deleted":true}"#;
    mirror.apply(&gone[..]).unwrap();
    let done = drive(&sync, &source, &|_| None);
    assert!(matches!(done, Ok(Step::Done(_))), "{done:?}");
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let target = "/api/v1/adminplus/learners/1000?include_parents=1";
    assert_eq!(get(&mirror, target, NOW), get(&source, target, NOW));
}

/// Takes so many replies, or all; gives the calls.
fn calls(sync: &Sync, source: &Engine, most: usize) -> Vec<Call> {
    let mut calls = Vec::new();
    while calls.len() < most {
        let Step::Send(call) = sync.next(NOW).unwrap() else {
            break;
        };
        let answer = get(source, &call.target, NOW);
        let taken = sync.take(call.id, NOW, &reply(&answer)).unwrap();
        assert!(matches!(taken, Taken::Kept | Taken::Same), "{taken:?}");
        let again = sync.take(call.id, NOW, &reply(&answer)).unwrap();
        assert_eq!(again, Taken::Stale);
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

/// Wherever it is left, with a call out: no answer that was taken is asked for again, and
/// the calls have the ids that they would have had.
#[test]
fn a_pass_goes_on_where_it_was_left() {
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
    // Other options ask other things.
    let mirror = new();
    calls(&sync(&mirror), &source, 5);
    let mut options = SyncOptions::default();
    options.days_from = "2026-05-01".parse().ok();
    let other = mirror.sync(SCHOOL, options).unwrap();
    assert_eq!(sent(other.next(NOW).unwrap()).target, all[0].target);
}

/// Before and after anything of the learner was told.
#[test]
fn who_is_erased_meanwhile_does_not_come_back() {
    let source = little_school();
    for told in [0, 5, 12, 30] {
        let mirror = Engine::memory(Options::default()).unwrap();
        drop(calls(&sync(&mirror), &source, usize::MAX));
        mirror.apply(ACCESS.as_bytes()).unwrap();
        let next = sync(&mirror);
        calls(&next, &source, told);
        mirror.erase_learner(SCHOOL, 1).unwrap();
        assert_eq!(drive_to_end(&next, &source), [""; 0]);
        let target = "/api/v1/adminplus/learners/1000";
        assert_eq!(get(&mirror, target, NOW).status.code, 404, "{told}");
        assert!(lines(&mirror).iter().all(|line| !line.contains("Anna")));
        // Nor in the pass after that.
        assert_eq!(drive_to_end(&sync(&mirror), &source), [""; 0]);
        assert!(lines(&mirror).iter().all(|line| !line.contains("Anna")));
        assert!(mirror.verify().unwrap().is_sound());
    }
}

/// And who was never there does not come.
#[test]
fn who_is_erased_in_the_first_pass_does_not_come() {
    let source = little_school();
    for told in [1, 12, 30] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let first = sync(&mirror);
        calls(&first, &source, told);
        mirror.erase_learner(SCHOOL, 1).unwrap();
        assert_eq!(drive_to_end(&first, &source), [""; 0]);
        assert!(lines(&mirror).iter().all(|line| !line.contains("Anna")));
        assert!(lines(&mirror).iter().any(|line| line.contains("Little")));
        assert_eq!(mirror.synced(SCHOOL).unwrap().unwrap().erased, 1);
        assert!(mirror.verify().unwrap().is_sound());
    }
}

/// What was held back.
fn drive_to_end(sync: &Sync, source: &Engine) -> Vec<String> {
    match drive(sync, source, &|_| None).unwrap() {
        Step::Done(report) => report.held,
        other => panic!("{other:?}"),
    }
}

#[test]
fn credentials_that_are_wrong_stop_it() {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let unauthorised = |target: &str| target.contains("status=current").then_some((401, "{}"));
    for _ in 0..2 {
        let stopped = drive(&sync, &source, &unauthorised).unwrap();
        assert_eq!(stopped, Step::Stop(Why::Unauthorised));
    }
    let asked = mirror.ask(&SchoolInfo { school: SCHOOL }).unwrap();
    assert_eq!(asked.status.code, 404, "nothing was published");
}

#[test]
fn without_the_learners_nothing_is_published_at_first() {
    let source = little_school();
    for lost in ["status=current", "debtmanagement/schools/"] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let step = drive(&sync, &source, &|target| {
            target.contains(lost).then_some((403, "{}"))
        });
        assert_eq!(step.unwrap(), Step::Stop(Why::Incomplete), "{lost}");
        // The next one asks for all of it anew.
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let Ok(Step::Done(report)) = drive(&sync, &source, &|_| None) else {
            panic!("not done");
        };
        assert_eq!(report.given_up, []);
    }
}

#[test]
fn who_may_not_see_parents_syncs_the_rest() {
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
fn a_call_is_said_once_while_it_is_out() {
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let call = sent(sync.next(NOW).unwrap());
    let until = NOW + 120;
    assert_eq!(sync.next(NOW).unwrap(), Step::Wait { until });
    assert_eq!(sync.next(until - 1).unwrap(), Step::Wait { until });
    // Nobody told what became of it: it is sent again, after a pause.
    let Step::Wait { until } = sync.next(until).unwrap() else {
        panic!("not given up");
    };
    assert_eq!(sent(sync.next(until).unwrap()), call);
    let taken = sync.fail(call.id, until, NoReply::Cut).unwrap();
    assert!(matches!(taken, Taken::Retry { at } if at > until));
    assert_eq!(
        sync.fail(call.id + 1, until, NoReply::Cut).unwrap(),
        Taken::Stale
    );
    // No network is no attempt.
    for _ in 0..50 {
        let Step::Wait { until } = sync.next(NOW).unwrap() else {
            panic!("no pause");
        };
        let call = sent(sync.next(until).unwrap());
        let offline = sync.fail(call.id, NOW, NoReply::Offline).unwrap();
        assert!(matches!(offline, Taken::Retry { .. }));
    }
}

/// JSON has more than one spelling.
#[test]
fn nothing_is_nothing_however_it_is_spelled() {
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
        assert_eq!(report.given_up, []);
        let persons = AccountablePersons {
            school: SCHOOL,
            all_accounts: true,
            ..Default::default()
        };
        assert_eq!(mirror.ask(&persons).unwrap().status.code, 200);
    }
}
