//! The answers to state updates: only those that the service documents accept or refuse an update.

use super::outbox::{CLIENTS, options, sent, set, synced, take, updated};
use super::steps::drive;
use super::{NOW, SCHOOL, get, stop_reason};
use rollbook::{Reply, ReplyOutcome, Step, StopReason, Sync, SyncReport};

const NO_CLIENT: &str =
    r#"{"error":"Not found","error_description":"No client-authorised integrations found"}"#;
const NOT_AUTHORISED: &str = r#"{"error":"Unauthorized",
    "error_description":"Client access not authorised for this API type"}"#;
const INVALID: &str =
    r#"{"error":"Bad Request","error_description":"Invalid integration state provided"}"#;
const FOREIGN: &str = r#"{"error":"Unauthorized","error_description":"Log in to the proxy"}"#;

fn answer(sync: &Sync, call: u64, status: u16, body: &str) -> ReplyOutcome {
    let reply = Reply {
        status,
        retry_after: None,
        body: body.as_bytes(),
    };
    sync.handle_reply(call, NOW, &reply).unwrap()
}

fn unsent(report: &SyncReport) -> Vec<(u64, bool)> {
    let unsent = report.unsent.iter();
    unsent.map(|one| (one.api_type_id, one.state)).collect()
}

/// The first call is the update. The password is wrong, or the school has withdrawn its
/// authorisation: the sync stops, and a later sync with the right password sends the update.
#[test]
fn a_wrong_password_undoes_no_update() {
    for (body, status, checked, why) in [
        (NOT_AUTHORISED, 401, "{}", StopReason::WrongCredentials),
        (FOREIGN, 401, "{}", StopReason::WrongCredentials),
        ("<html>", 401, "{}", StopReason::WrongCredentials),
        (
            NOT_AUTHORISED,
            404,
            NO_CLIENT,
            StopReason::SchoolNotAuthorised,
        ),
    ] {
        let (source, mirror, _) = synced();
        assert_eq!(set(&mirror, 4444, false), Ok(200));
        let shown = get(&mirror, CLIENTS, NOW);
        let sync = mirror.sync(SCHOOL, options()).unwrap();
        let call = sent(&sync, NOW);
        assert_eq!(call.method, "PATCH");
        assert_eq!(answer(&sync, call.id, 401, body), ReplyOutcome::Failed);
        let check = sent(&sync, NOW);
        assert_eq!((check.method, check.target.as_str()), ("GET", CLIENTS));
        assert_eq!(
            answer(&sync, check.id, status, checked),
            ReplyOutcome::Failed
        );
        assert_eq!(stop_reason(sync.next(NOW).unwrap()), why);
        let report = sync.report().unwrap();
        assert_eq!(
            (unsent(&report), report.refused),
            (vec![(4444, false)], vec![])
        );
        assert_eq!(get(&mirror, CLIENTS, NOW), shown);
        let next = mirror.sync(SCHOOL, options()).unwrap();
        let again = sent(&next, NOW);
        assert_eq!((again.method, &again.body), ("PATCH", &call.body));
        let taken = take(&next, &again, &updated(&source, &again));
        assert_eq!(taken, ReplyOutcome::Stored);
        assert_eq!(get(&source, CLIENTS, NOW), shown);
    }
}

/// The access is in order, and the 401 is not the one that the service documents for an update.
#[test]
fn an_undocumented_401_leaves_the_update_to_the_next_sync() {
    let (source, mirror, sync) = synced();
    assert_eq!(set(&mirror, 4444, false), Ok(200));
    let shown = get(&mirror, CLIENTS, NOW);
    let call = sent(&sync, NOW);
    assert_eq!(answer(&sync, call.id, 401, FOREIGN), ReplyOutcome::Failed);
    let check = sent(&sync, NOW);
    let clients = get(&source, CLIENTS, NOW);
    assert_eq!(take(&sync, &check, &clients), ReplyOutcome::Stored);
    let Step::Done(report) = sync.next(NOW).unwrap() else {
        panic!("not done");
    };
    assert_eq!(
        (unsent(&report), report.refused),
        (vec![(4444, false)], vec![])
    );
    assert_eq!(get(&mirror, CLIENTS, NOW), shown);
    let next = mirror.sync(SCHOOL, options()).unwrap();
    assert_eq!(sent(&next, NOW).body, call.body);
}

/// A proxy or another service answers in JSON. The update is neither accepted nor refused.
#[test]
fn only_documented_answers_decide_about_an_update() {
    let route = r#"{"error":"Not found","error_description":"Route not found"}"#;
    for (status, body) in [
        (200, FOREIGN),
        (200, "{}"),
        (200, "null"),
        (200, r#"{"success":false}"#),
        (200, "[[]]"),
        (201, "[]"),
        (400, "{}"),
        (
            400,
            r#"{"error":"invalid_request","error_description":"no token"}"#,
        ),
        (403, INVALID),
        (403, "{}"),
        (404, "[]"),
        (404, route),
        (405, "{}"),
        (407, FOREIGN),
        (409, "{}"),
        (451, "{}"),
    ] {
        let (_, mirror, sync) = synced();
        assert_eq!(set(&mirror, 4444, false), Ok(200));
        let shown = get(&mirror, CLIENTS, NOW);
        let call = sent(&sync, NOW);
        let taken = answer(&sync, call.id, status, body);
        assert!(
            matches!(taken, ReplyOutcome::Retry { .. }),
            "{status} {body} {taken:?}"
        );
        let report = sync.report().unwrap();
        assert_eq!(
            (unsent(&report), report.refused),
            (vec![(4444, false)], vec![])
        );
        assert_eq!(get(&mirror, CLIENTS, NOW), shown);
    }
    for (status, body) in [(400, INVALID), (404, NO_CLIENT)] {
        let (_, mirror, sync) = synced();
        let before = get(&mirror, CLIENTS, NOW);
        assert_eq!(set(&mirror, 4444, false), Ok(200));
        let call = sent(&sync, NOW);
        assert_eq!(answer(&sync, call.id, status, body), ReplyOutcome::Failed);
        let report = sync.report().unwrap();
        let refused: Vec<_> = report.refused.iter().map(|one| one.status).collect();
        assert_eq!((unsent(&report), refused), (vec![], vec![status]));
        assert_eq!(get(&mirror, CLIENTS, NOW), before);
    }
    for (status, body) in [(200, " [ ]\n"), (204, ""), (204, "[]")] {
        let (_, mirror, sync) = synced();
        assert_eq!(set(&mirror, 4444, false), Ok(200));
        let call = sent(&sync, NOW);
        assert_eq!(answer(&sync, call.id, status, body), ReplyOutcome::Stored);
        assert_eq!(unsent(&sync.report().unwrap()), []);
    }
}

/// The app no longer sends the updates, or sends those of another integrator. The store still
/// answers with the state.
#[test]
fn unsent_updates_are_reported_whatever_the_options_are() {
    let (source, mirror, _) = synced();
    assert_eq!(set(&mirror, 4444, false), Ok(200));
    for outbox in [None, Some("other".to_owned())] {
        let mut other = options();
        other.outbox = outbox;
        let sync = mirror.sync(SCHOOL, other).unwrap();
        let Ok(Step::Done(report)) = drive(&sync, &source, &|_| None) else {
            panic!("not done");
        };
        assert_eq!(unsent(&report), [(4444, false)]);
    }
}

/// The process ends after a refusal was stored, in a pass or after its end. The state is reset, and
/// the next report says so.
#[test]
fn a_refusal_is_reported_although_the_process_ends() {
    for is_over in [true, false] {
        let (source, mirror, sync) = synced();
        assert_eq!(set(&mirror, 4444, false), Ok(200));
        let sync = if is_over {
            sync
        } else {
            mirror.sync(SCHOOL, options()).unwrap()
        };
        let call = sent(&sync, NOW);
        answer(&sync, call.id, 400, INVALID);
        drop(sync);
        let reported = || {
            let sync = mirror.sync(SCHOOL, options()).unwrap();
            assert!(matches!(
                drive(&sync, &source, &|_| None),
                Ok(Step::Done(_))
            ));
            let refused = sync.report().unwrap().refused;
            let refused = refused.iter();
            let refused = refused.map(|one| (one.api_type_id, one.state, one.status));
            refused.collect::<Vec<_>>()
        };
        assert_eq!(reported(), [(4444, false, 400)], "{is_over}");
        assert_eq!(reported(), []);
        // A later update does not hide that this one was refused.
        assert_eq!(set(&mirror, 4444, false), Ok(200));
        let sync = mirror.sync(SCHOOL, options()).unwrap();
        let call = sent(&sync, NOW);
        answer(&sync, call.id, 400, INVALID);
        assert_eq!(set(&mirror, 4444, false), Ok(200));
        drop(sync);
        let sync = mirror.sync(SCHOOL, options()).unwrap();
        let call = sent(&sync, NOW);
        assert_eq!(
            take(&sync, &call, &updated(&source, &call)),
            ReplyOutcome::Stored
        );
        let report = sync.report().unwrap();
        assert_eq!((report.refused.len(), unsent(&report)), (1, vec![]));
    }
}
