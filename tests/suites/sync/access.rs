//! Replies with 401 and 403: what they are about, and what they cost.

use super::steps::{drive, drive_to_end, little_school, sent};
use super::{ACCESS, NOW, SCHOOL, get, reply, stop_reason};
use rollbook::{
    CallFailure, Engine, Options, Reply, ReplyOutcome, Request, SchoolInfo, Step, StopReason,
    SyncOptions,
};

fn mirror() -> Engine {
    Engine::memory(Options::default()).unwrap()
}

/// The service rejects the credentials during a pass. The next sync continues the pass.
#[test]
fn credentials_that_are_rejected_stop_it() {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let rejected = |target: &str| {
        let is_rejected = target.contains("status=current") || target.contains("settings/clients");
        is_rejected.then_some((401, "{}"))
    };
    let first = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    for _ in 0..2 {
        let stopped = drive(&first, &source, &rejected).unwrap();
        assert_eq!(stop_reason(stopped), StopReason::WrongCredentials);
    }
    let failed = first.report().unwrap().failed;
    assert!(
        failed.len() == 1 && failed[0].status == Some(401),
        "{failed:?}"
    );
    let asked = mirror.ask(&SchoolInfo { school: SCHOOL }).unwrap();
    assert_eq!(asked.status.code, 404, "nothing was published");
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    assert_eq!(drive_to_end(&sync, &source), [""; 0]);
    assert_eq!(sync.report().unwrap().failed, []);
}

/// One endpoint answers 401 although Get Clients accepts the credentials: only its data is missing.
#[test]
fn a_single_401_costs_only_its_resource() {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let rejected = |target: &str| target.contains("staffmembers").then_some((401, "{}"));
    let Ok(Step::Done(report)) = drive(&sync, &source, &rejected) else {
        panic!("not done");
    };
    let [failed] = &report.failed[..] else {
        panic!("{:?}", report.failed);
    };
    assert_eq!(failed.status, Some(401));
    assert_eq!(failed.reason, "the service answered 401");
    mirror.apply(ACCESS.as_bytes()).unwrap();
    assert_eq!(get(&mirror, &failed.target, NOW).status.code, 503);
    let learners = "/api/v1/adminplus/learners/1000";
    assert_eq!(get(&mirror, learners, NOW), get(&source, learners, NOW));
}

/// The check of the access gets no usable reply, so that nothing shows what the 401 means.
#[test]
fn a_401_that_cannot_be_checked_stops_it() {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let unwell = |target: &str| match target {
        _ if target.contains("settings/clients") => Some((500, "")),
        _ => Some((401, "{}")),
    };
    let stopped = drive(&sync, &source, &unwell).unwrap();
    assert_eq!(stop_reason(stopped), StopReason::Unauthorised);
    // If other requests were answered before, only one endpoint refuses access.
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let unwell = |target: &str| match target {
        _ if target.contains("status=current") => Some((401, "{}")),
        _ if target.contains("settings/clients") => Some((500, "")),
        _ => None,
    };
    let Ok(Step::Done(report)) = drive(&sync, &source, &unwell) else {
        panic!("not done");
    };
    assert!(
        report
            .failed
            .iter()
            .all(|one| one.target.contains("/adminplus/learners/"))
    );
}

/// If nothing at all can be fetched, the sync stops and says why.
#[test]
fn a_service_that_refuses_everything_stops_it() {
    let source = little_school();
    let mirror = Engine::memory(Options::default()).unwrap();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let step = drive(&sync, &source, &|_| Some((403, "{}")));
    let Step::Stop { reason, report } = step.unwrap() else {
        panic!("not stopped");
    };
    assert_eq!(reason, StopReason::Incomplete);
    let first = &report.failed[0];
    assert_eq!(first.target, "/api/v1/finplus/debtmanagement/schools/1000");
    assert_eq!(first.status, Some(403));
    assert_eq!(first.reason, "the service answered 403");
    assert_eq!(sync.report().unwrap(), report);
    assert_eq!(mirror.synced(SCHOOL).unwrap(), None);
    // The next pass requests everything from the start.
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    assert_eq!(drive_to_end(&sync, &source), [""; 0]);
    assert_eq!(sync.report().unwrap().failed, []);
}

/// After a 401, Get Clients shows what is wrong.
#[test]
fn wrong_credentials_and_a_wrong_school_are_distinguished() {
    let source = little_school();
    let other = r#"{"type":"school","school_id":2000,"school_name":"T","current_year":2026}"#;
    source.apply(other.as_bytes()).unwrap();
    for (school, password, why) in [
        (SCHOOL, "wrong", StopReason::WrongCredentials),
        (2000, "sync", StopReason::SchoolNotAuthorised),
        (3000, "sync", StopReason::SchoolNotAuthorised),
        (3000, "wrong", StopReason::WrongCredentials),
    ] {
        let mirror = Engine::memory(Options::default()).unwrap();
        let sync = mirror.sync(school, SyncOptions::default()).unwrap();
        for target in ["/finplus/debtmanagement/schools/", "/settings/clients/"] {
            let call = sent(sync.next(NOW).unwrap());
            assert_eq!(call.target, format!("/api/v1{target}{school}"));
            let headers = [("HTTP-X-USERNAME", "sync"), ("HTTP-X-PASSWORD", password)];
            let answer = source.request(&Request {
                target: &call.target,
                headers: &headers,
                ..Request::default()
            });
            sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
        }
        assert_eq!(stop_reason(sync.next(NOW).unwrap()), why);
    }
}

/// Two requests are answered with 401 at once. The check has no network, then no reply, then is told
/// to wait, and the clock is set back; meanwhile nothing else is sent.
#[test]
fn the_access_is_checked_once_whatever_happens_to_the_check() {
    let source = little_school();
    let mirror = mirror();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let sent = |now| match sync.next(now).unwrap() {
        Step::Send(call) => call,
        other => panic!("{other:?}"),
    };
    let first = sent(NOW);
    let answer = get(&source, &first.target, NOW);
    sync.handle_reply(first.id, NOW, &reply(&answer)).unwrap();
    let refused = Reply {
        status: 401,
        body: b"{}",
        ..Reply::default()
    };
    let two = [sent(NOW), sent(NOW)];
    for call in &two {
        let outcome = sync.handle_reply(call.id, NOW, &refused).unwrap();
        assert_eq!(outcome, ReplyOutcome::Failed);
    }
    let check = sent(NOW);
    assert_eq!(check.target, "/api/v1/settings/clients/1000");
    let mut now = NOW;
    for failure in 0..4 {
        assert!(matches!(sync.next(now).unwrap(), Step::Wait { .. }));
        let busy = Reply {
            status: 429,
            retry_after: Some("30"),
            body: b"",
        };
        let outcome = match failure {
            0 => sync.handle_failure(check.id, now, CallFailure::Offline),
            1 => sync.handle_failure(check.id, now, CallFailure::Cut),
            2 => sync.handle_reply(check.id, now, &busy),
            _ => {
                now -= 365 * 86_400;
                sync.next(now).unwrap();
                sync.handle_reply(
                    check.id,
                    now,
                    &Reply {
                        status: 200,
                        body: b"<html>",
                        ..Reply::default()
                    },
                )
            }
        };
        let ReplyOutcome::Retry { at } = outcome.unwrap() else {
            panic!("not repeated");
        };
        assert!(at - now <= 300, "{}", at - now);
        now = at;
        assert_eq!(sent(now), check);
    }
    let clients = get(&source, &check.target, NOW);
    sync.handle_reply(check.id, now, &reply(&clients)).unwrap();
    // Only the two requests are lost.
    let report = loop {
        match sync.next(now).unwrap() {
            Step::Send(call) => {
                let answer = get(&source, &call.target, NOW);
                sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
            }
            Step::Wait { until } => now = until,
            Step::Done(report) => break report,
            other => panic!("{other:?}"),
        }
    };
    let mut failed: Vec<_> = report.failed.iter().map(|one| &one.target).collect();
    failed.sort();
    let mut expected: Vec<_> = two.iter().map(|call| &call.target).collect();
    expected.sort();
    assert_eq!(failed, expected);
}

/// The step that stops a sync names what was refused.
#[test]
fn a_stop_names_the_request_that_was_refused() {
    let source = little_school();
    let mirror = mirror();
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let step = drive(&sync, &source, &|_| Some((401, "{}"))).unwrap();
    let failed = sync.report().unwrap().failed;
    assert_eq!(
        failed[0].target,
        "/api/v1/finplus/debtmanagement/schools/1000"
    );
    assert_eq!(failed[0].status, Some(401));
    assert_eq!(stop_reason(step), StopReason::WrongCredentials);
}
