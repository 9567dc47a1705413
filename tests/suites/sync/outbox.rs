//! State updates of a school that is synced, for an app that has asked that they be sent.

use super::driven::{drive, little_school};
use super::{ACCESS, NOW, SCHOOL, get};
use rollbook::{
    Answer, Call, Engine, NoReply, Options, Reply, Request, SetState, Step, Sync, SyncOptions,
    Taken,
};

const CLIENTS: &str = "/api/v1/settings/clients/1000";

fn options() -> SyncOptions {
    let mut options = SyncOptions::default();
    options.outbox = Some("sync".to_owned());
    options.rotate = Some(0);
    options
}

/// A school and its mirror, whose pass is over.
fn synced() -> (Engine, Engine, Sync) {
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

fn set(engine: &Engine, api_type_id: u64, state: bool) -> Result<u16, &'static str> {
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

fn sent(sync: &Sync, now: i64) -> Call {
    match sync.next(now).unwrap() {
        Step::Send(call) => call,
        other => panic!("{other:?}"),
    }
}

/// What the service answers to an update.
fn updated(source: &Engine, call: &Call) -> Answer {
    source.request(&Request {
        method: call.method,
        target: &call.target,
        headers: &[("HTTP-X-USERNAME", "sync"), ("HTTP-X-PASSWORD", "sync")],
        body: call.body.as_bytes(),
        now: Some(NOW),
    })
}

fn take(sync: &Sync, call: &Call, answer: &Answer) -> Taken {
    let reply = Reply {
        status: answer.status.code,
        retry_after: None,
        body: &answer.body,
    };
    sync.take(call.id, NOW, &reply).unwrap()
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
    // It is not lost, and is the same call for who goes on.
    let mirror_again = mirror.sync(SCHOOL, options()).unwrap();
    let answer = updated(&source, &call);
    assert_eq!(take(&sync, &call, &answer), Taken::Stale);
    let again = sent(&mirror_again, NOW);
    assert_eq!((&again.method, &again.body), (&call.method, &call.body));
    assert_eq!(take(&mirror_again, &again, &answer), Taken::Kept);
    assert_eq!(take(&mirror_again, &again, &answer), Taken::Stale);
    assert_eq!(get(&mirror, CLIENTS, NOW), get(&source, CLIENTS, NOW));
    assert_ne!(sent(&mirror_again, NOW).method, "PATCH");
    assert!(mirror.verify().unwrap().is_sound());
}

#[test]
fn an_update_that_is_refused_is_taken_back() {
    let (source, mirror, sync) = synced();
    // The school has authorised it here and not there.
    let more =
        r#"{"type":"client_integration","username":"sync","school_id":1000,"api_type_id":5}"#;
    mirror.apply(more.as_bytes()).unwrap();
    let before = get(&mirror, CLIENTS, NOW);
    assert_eq!(set(&mirror, 5, true), Ok(200));
    assert_ne!(get(&mirror, CLIENTS, NOW), before);
    let call = sent(&sync, NOW);
    let answer = updated(&source, &call);
    assert_eq!(answer.status.code, 401);
    assert_eq!(take(&sync, &call, &answer), Taken::GivenUp);
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
fn of_two_updates_the_later_one_holds() {
    let (source, mirror, sync) = synced();
    let before = get(&mirror, CLIENTS, NOW);
    assert_eq!(set(&mirror, 4444, false), Ok(200));
    let first = sent(&sync, NOW);
    assert_eq!(set(&mirror, 4444, true), Ok(200));
    let second = sent(&sync, NOW);
    assert_eq!(second.body, r#"{"state":1,"api_type_id":4444}"#);
    assert_eq!(take(&sync, &first, &updated(&source, &first)), Taken::Kept);
    // The service knows the first by now: it is to hear of the second all the same.
    let answers: Vec<Call> = std::iter::from_fn(|| match sync.next(NOW).unwrap() {
        Step::Send(call) => Some(call),
        _ => None,
    })
    .collect();
    for call in answers.iter().chain([&second]) {
        assert_eq!(call.body, second.body);
        take(&sync, call, &updated(&source, call));
    }
    assert!(matches!(sync.next(NOW).unwrap(), Step::Done(_)));
    assert_eq!(get(&mirror, CLIENTS, NOW), get(&source, CLIENTS, NOW));
    assert_eq!(get(&source, CLIENTS, NOW), before);
}

#[test]
fn what_cannot_be_sent_is_kept_for_the_next_sync() {
    let (source, mirror, sync) = synced();
    assert_eq!(set(&mirror, 4444, false), Ok(200));
    let (mut now, mut tries) = (NOW, 0);
    loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                tries += 1;
                sync.fail(call.id, now, NoReply::Cut).unwrap();
            }
            Step::Wait { until } => now = until,
            Step::Done(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(tries, 10);
    let next = mirror.sync(SCHOOL, options()).unwrap();
    let call = sent(&next, now);
    assert_eq!(call.method, "PATCH");
    assert_eq!(take(&next, &call, &updated(&source, &call)), Taken::Kept);
    assert_eq!(get(&mirror, CLIENTS, NOW), get(&source, CLIENTS, NOW));
}

#[test]
fn without_being_asked_for_nothing_is_taken() {
    let (source, mirror, sync) = synced();
    drop(sync);
    // Of another integrator it is not.
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
