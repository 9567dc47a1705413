//! State updates of a synced school, for an app that wants them to be sent to the service.

use super::steps::{drive, little_school};
use super::{ACCESS, NOW, SCHOOL, get};
use rollbook::{
    Answer, Call, CallFailure, Engine, Options, Reply, ReplyOutcome, Request, SetState, Step, Sync,
    SyncOptions,
};

pub(super) const CLIENTS: &str = "/api/v1/settings/clients/1000";

pub(super) fn options() -> SyncOptions {
    let mut options = SyncOptions::default();
    options.outbox = Some("sync".to_owned());
    options.rotate = Some(0);
    options
}

/// Returns a school and its mirror after a complete pass.
pub(super) fn synced() -> (Engine, Engine, Sync) {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, options()).unwrap();
    assert!(matches!(
        drive(&sync, &source, &|_| None),
        Ok(Step::Done(_))
    ));
    mirror.apply(ACCESS.as_bytes()).unwrap();
    (source, mirror, sync)
}

pub(super) fn set(engine: &Engine, api_type_id: u64, state: bool) -> Result<u16, &'static str> {
    let set = SetState {
        username: "sync",
        school: SCHOOL,
        api_type_id,
        state,
    };
    let answer = engine.set_state(&set);
    answer
        .map(|answer| answer.status.code)
        .map_err(|error| error.code())
}

pub(super) fn sent(sync: &Sync, now: i64) -> Call {
    match sync.next(now).unwrap() {
        Step::Send(call) => call,
        other => panic!("{other:?}"),
    }
}

/// Returns the answer of the service to an update.
pub(super) fn updated(source: &Engine, call: &Call) -> Answer {
    source.request(&Request {
        method: call.method,
        target: &call.target,
        headers: &[("HTTP-X-USERNAME", "sync"), ("HTTP-X-PASSWORD", "sync")],
        body: call.body.as_bytes(),
        now: Some(NOW),
    })
}

pub(super) fn take(sync: &Sync, call: &Call, answer: &Answer) -> ReplyOutcome {
    let reply = Reply {
        status: answer.status.code,
        retry_after: None,
        body: &answer.body,
    };
    sync.handle_reply(call.id, NOW, &reply).unwrap()
}

#[test]
fn an_update_shows_at_once_and_is_sent() {
    let (source, mirror, sync) = synced();
    let before = get(&mirror, CLIENTS, NOW);
    assert_eq!(set(&mirror, 4444, false), Ok(200));
    assert_eq!(set(&mirror, 4444, false), Ok(204));
    assert_ne!(get(&mirror, CLIENTS, NOW), before);
    let call = sent(&sync, NOW);
    assert_eq!((call.method, call.target.as_str()), ("PATCH", CLIENTS));
    assert_eq!(call.body, r#"{"state":0,"api_type_id":4444}"#);
    assert!(matches!(sync.next(NOW).unwrap(), Step::Wait { .. }));
    // The update is not lost, and another sync sends the same call.
    let mirror_again = mirror.sync(SCHOOL, options()).unwrap();
    let answer = updated(&source, &call);
    assert_eq!(take(&sync, &call, &answer), ReplyOutcome::Stale);
    let again = sent(&mirror_again, NOW);
    assert_eq!((&again.method, &again.body), (&call.method, &call.body));
    assert_eq!(take(&mirror_again, &again, &answer), ReplyOutcome::Stored);
    assert_eq!(take(&mirror_again, &again, &answer), ReplyOutcome::Stale);
    assert_eq!(get(&mirror, CLIENTS, NOW), get(&source, CLIENTS, NOW));
    assert_ne!(sent(&mirror_again, NOW).method, "PATCH");
    assert!(mirror.verify().unwrap().is_sound());
}

#[test]
fn a_refused_update_is_undone() {
    let (source, mirror, sync) = synced();
    // The school has authorised this API type in the mirror but not at the service.
    let more =
        r#"{"type":"client_integration","username":"sync","school_id":1000,"api_type_id":5}"#;
    mirror.apply(more.as_bytes()).unwrap();
    let before = get(&mirror, CLIENTS, NOW);
    assert_eq!(set(&mirror, 5, true), Ok(200));
    assert_ne!(get(&mirror, CLIENTS, NOW), before);
    let call = sent(&sync, NOW);
    let answer = updated(&source, &call);
    assert_eq!(answer.status.code, 401);
    assert_eq!(take(&sync, &call, &answer), ReplyOutcome::Failed);
    let check = sent(&sync, NOW);
    assert_eq!((check.method, check.target.as_str()), ("GET", CLIENTS));
    let clients = get(&source, CLIENTS, NOW);
    assert_eq!(take(&sync, &check, &clients), ReplyOutcome::Stored);
    assert_eq!(get(&mirror, CLIENTS, NOW), before);
    let Step::Done(report) = sync.next(NOW).unwrap() else {
        panic!("it stopped");
    };
    let [refused] = report.refused[..] else {
        panic!("{:?}", report.refused);
    };
    assert_eq!(
        (refused.api_type_id, refused.state, refused.status),
        (5, true, 401)
    );
}

#[test]
fn the_later_of_two_updates_wins() {
    let (source, mirror, sync) = synced();
    let before = get(&mirror, CLIENTS, NOW);
    assert_eq!(set(&mirror, 4444, false), Ok(200));
    let first = sent(&sync, NOW);
    assert_eq!(set(&mirror, 4444, true), Ok(200));
    // The second update is sent after the first was answered.
    assert!(matches!(sync.next(NOW).unwrap(), Step::Wait { .. }));
    assert_eq!(
        take(&sync, &first, &updated(&source, &first)),
        ReplyOutcome::Stored
    );
    let second = sent(&sync, NOW);
    assert_eq!(second.body, r#"{"state":1,"api_type_id":4444}"#);
    assert_eq!(
        take(&sync, &second, &updated(&source, &second)),
        ReplyOutcome::Stored
    );
    assert!(matches!(sync.next(NOW).unwrap(), Step::Done(_)));
    assert_eq!(get(&mirror, CLIENTS, NOW), get(&source, CLIENTS, NOW));
    assert_eq!(get(&source, CLIENTS, NOW), before);
}

/// The page of a Wi-Fi login is not an answer of the service, whatever its status is.
#[test]
fn an_update_that_a_portal_answers_is_sent_again() {
    let bodies = [&b"<html>Log in</html>"[..], b"", b"{\"state\":"];
    let statuses = [200, 302, 400, 403, 404, 407, 511];
    for (status, body) in statuses
        .iter()
        .flat_map(|status| bodies.map(|body| (*status, body)))
    {
        let (source, mirror, sync) = synced();
        assert_eq!(set(&mirror, 4444, false), Ok(200));
        let call = sent(&sync, NOW);
        let reply = Reply {
            status,
            retry_after: None,
            body,
        };
        let taken = sync.handle_reply(call.id, NOW, &reply).unwrap();
        assert!(
            matches!(taken, ReplyOutcome::Retry { .. }),
            "{status} {taken:?}"
        );
        let report = sync.report().unwrap();
        let unsent = report.unsent.iter();
        let unsent: Vec<_> = unsent.map(|one| (one.api_type_id, one.state)).collect();
        assert_eq!((unsent, report.refused), (vec![(4444, false)], vec![]));
        let Step::Wait { until } = sync.next(NOW).unwrap() else {
            panic!("no pause");
        };
        let again = sent(&sync, until);
        assert_eq!(again, call);
        assert_eq!(
            take(&sync, &again, &updated(&source, &again)),
            ReplyOutcome::Stored
        );
        assert_eq!(get(&mirror, CLIENTS, NOW), get(&source, CLIENTS, NOW));
        assert_eq!(sync.report().unwrap().unsent, []);
    }
}

#[test]
fn an_update_that_cannot_be_sent_remains_for_the_next_sync() {
    let (source, mirror, sync) = synced();
    assert_eq!(set(&mirror, 4444, false), Ok(200));
    let (mut now, mut tries) = (NOW, 0);
    let report = loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                tries += 1;
                sync.handle_failure(call.id, now, CallFailure::Cut).unwrap();
            }
            Step::Wait { until } => now = until,
            Step::Done(report) => break report,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(tries, 10);
    let [unsent] = report.unsent[..] else {
        panic!("{:?}", report.unsent);
    };
    assert_eq!((unsent.api_type_id, unsent.state), (4444, false));
    let next = mirror.sync(SCHOOL, options()).unwrap();
    let call = sent(&next, now);
    assert_eq!(call.method, "PATCH");
    assert_eq!(
        take(&next, &call, &updated(&source, &call)),
        ReplyOutcome::Stored
    );
    assert_eq!(get(&mirror, CLIENTS, NOW), get(&source, CLIENTS, NOW));
}

#[test]
fn without_the_option_no_update_is_accepted() {
    let (source, mirror, sync) = synced();
    drop(sync);
    // Updates of other integrators are not accepted.
    let other = r#"{"type":"integrator","username":"other","password":"other"}
{"type":"client_integration","username":"other","school_id":1000,"api_type_id":4444,"state":1}"#;
    mirror.apply(other.as_bytes()).unwrap();
    let of_other = SetState {
        username: "other",
        school: SCHOOL,
        api_type_id: 4444,
        state: false,
    };
    assert_eq!(mirror.set_state(&of_other).unwrap_err().code(), "synced");
    let mut without = options();
    without.outbox = None;
    let sync = mirror.sync(SCHOOL, without).unwrap();
    assert!(matches!(
        drive(&sync, &source, &|_| None),
        Ok(Step::Done(_))
    ));
    assert_eq!(set(&mirror, 4444, false), Err("synced"));
    mirror.forget_sync(SCHOOL).unwrap();
    assert_eq!(set(&mirror, 4444, false), Ok(200));
}

/// Replies to an update with an error of the service, which is not an answer.
fn failed(sync: &Sync, call: &Call, now: i64) -> ReplyOutcome {
    let reply = Reply {
        status: 500,
        retry_after: None,
        body: b"{}",
    };
    sync.handle_reply(call.id, now, &reply).unwrap()
}

/// The first update fails and waits; the later one is accepted. The first must not be sent after
/// it, so that the service has the same state as the mirror.
#[test]
fn a_superseded_update_is_not_sent_after_the_later_one() {
    for is_answered_late in [false, true] {
        let (source, mirror, sync) = synced();
        assert_eq!(set(&mirror, 4444, false), Ok(200));
        let first = sent(&sync, NOW);
        if !is_answered_late {
            assert!(matches!(
                failed(&sync, &first, NOW),
                ReplyOutcome::Retry { .. }
            ));
        }
        assert_eq!(set(&mirror, 4444, true), Ok(200));
        if is_answered_late {
            // Nothing is sent while the answer to an update is outstanding.
            assert!(matches!(sync.next(NOW).unwrap(), Step::Wait { .. }));
            assert!(matches!(
                failed(&sync, &first, NOW),
                ReplyOutcome::Retry { .. }
            ));
        }
        let mut now = NOW;
        let mut accepted = Vec::new();
        for _ in 0..100 {
            match sync.next(now).unwrap() {
                Step::Send(call) if call.method == "PATCH" => {
                    let answer = updated(&source, &call);
                    accepted.push(call.body.clone());
                    let reply = Reply {
                        status: answer.status.code,
                        retry_after: None,
                        body: &answer.body,
                    };
                    sync.handle_reply(call.id, now, &reply).unwrap();
                }
                Step::Wait { until } => now = until,
                Step::Done(report) => {
                    assert_eq!(report.unsent, []);
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(accepted, [r#"{"state":1,"api_type_id":4444}"#]);
        assert_eq!(get(&mirror, CLIENTS, NOW), get(&source, CLIENTS, NOW));
    }
}

/// A reply that arrives twice must not be used for a later update of the same state.
#[test]
fn each_update_has_a_call_of_its_own() {
    let (source, mirror, sync) = synced();
    let mut ids = Vec::new();
    for state in [false, true, false, true, false] {
        assert_eq!(set(&mirror, 4444, state), Ok(200));
        let call = sent(&sync, NOW);
        let answer = updated(&source, &call);
        assert!(!ids.contains(&call.id), "{ids:?}");
        for id in &ids {
            let reply = Reply {
                status: 204,
                retry_after: None,
                body: b"",
            };
            assert_eq!(
                sync.handle_reply(*id, NOW, &reply).unwrap(),
                ReplyOutcome::Stale
            );
        }
        ids.push(call.id);
        assert_eq!(take(&sync, &call, &answer), ReplyOutcome::Stored);
        assert_eq!(get(&mirror, CLIENTS, NOW), get(&source, CLIENTS, NOW));
    }
}
