//! An id belongs to one change: of one user, one kind of call, one target and one body. Any other
//! change with the same id is refused, after the checks of access.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use rollbook::{Answer, Credentials, Engine, Error, Options, Request, SetState, Summary};
use rollbook_tests::login;
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::tables::{META, rows};

const REUSED_V1: &str = r#"{"error":"Conflict","error_description":"The id belongs to another change: give each change an id of its own"}"#;
const REUSED_V2: &str = r#"{"success":false,"message":"The id belongs to another change: give each change an id of its own"}"#;
const CLIENT_REFUSED: &str = r#"{"success":false,"message":"Client has not authorised access"}"#;

const LONG_V1: &str = r#"{"error":"Bad Request","error_description":"The id of a change has at most 128 bytes: shorten it"}"#;
const LONG_V2: &str = r#"{"success":false,"message":"Validation Failed","validation_errors":{"id":"The id of a change has at most 128 bytes: shorten it"}}"#;

const TWO: &str = r#"{"type":"school","school_id":1,"school_name":"Hillside","admin_email_address":"office@hillside.example","current_year":2026}
{"type":"school","school_id":2,"school_name":"Valley","current_year":2026}
{"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}
{"type":"api_type","api_type_id":9,"api_type":"Curriculum+ API","family":"curriculum"}
{"type":"integrator","username":"demo","password":"demo"}
{"type":"integrator","username":"other","password":"demo"}
{"type":"client_integration","username":"demo","school_id":1,"api_type_id":8,"state":0}
{"type":"client_integration","username":"demo","school_id":1,"api_type_id":9,"state":0}
{"type":"client_integration","username":"demo","school_id":2,"api_type_id":8,"state":0}
{"type":"client_integration","username":"other","school_id":2,"api_type_id":8,"state":0}
{"type":"learner","school_id":1,"id":7}
{"type":"learner","school_id":1,"id":8}
{"type":"learner","school_id":2,"id":7}
"#;

fn engine() -> Engine {
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(login::quick(TWO).as_bytes()).unwrap();
    engine
}

fn send(engine: &Engine, id: &str, user: &str, asked: (&str, &str, &str)) -> Answer {
    let (method, target, body) = asked;
    engine.once(id).request(&Request {
        method,
        target,
        headers: &[("HTTP-X-USERNAME", user), ("HTTP-X-PASSWORD", "demo")],
        body: body.as_bytes(),
        now: None,
    })
}

/// Sends a POST of v2 that sets a state of Admin+.
fn post(engine: &Engine, id: &str, user: &str, school: u64, state: bool) -> Answer {
    let body = format!("{{\"school_id\":{school},\"api_type_id\":8,\"state\":{state}}}");
    let target = "/api/v2/settings/clientintegrations";
    send(engine, id, user, ("POST", target, &body))
}

/// Sends a PATCH of v1 that does the same.
fn patch(engine: &Engine, id: &str, user: &str, school: u64, state: u64) -> Answer {
    let target = format!("/api/v1/settings/clients/{school}");
    let body = format!("{{\"state\":{state},\"api_type_id\":8}}");
    send(engine, id, user, ("PATCH", &target, &body))
}

fn load(engine: &Engine, id: &str, dataset: &str) -> Result<Summary, &'static str> {
    pushed(engine.once(id).load(), dataset.as_bytes())
}

fn pushed(mut load: rollbook::Load, dataset: &[u8]) -> Result<Summary, &'static str> {
    let mut push = || dataset.chunks(7).try_for_each(|piece| load.push(piece));
    push().and_then(|()| load.finish()).map_err(code)
}

#[expect(clippy::needless_pass_by_value, reason = "what map_err takes")]
fn code(error: Error) -> &'static str {
    error.code()
}

fn set(username: &str, school: u64, api_type_id: u64, state: bool) -> SetState<'_> {
    SetState {
        username,
        school,
        api_type_id,
        state,
    }
}

fn state(engine: &Engine, id: &str, set: &SetState<'_>) -> Result<u16, &'static str> {
    let answer = engine.once(id).set_state(set);
    answer.map(|answer| answer.status.code).map_err(code)
}

/// Checks the refusal, and that nothing was changed.
#[track_caller]
fn refused(engine: &Engine, answer: &Answer, before: &str, status: u16, body: &str) {
    assert_eq!((answer.status.code, answer.text()), (status, body));
    assert_eq!(export(engine).unwrap(), before);
}

#[test]
fn a_user_without_access_learns_nothing_about_a_change() {
    let engine = engine();
    assert!(
        post(&engine, "k", "demo", 1, true)
            .text()
            .contains("office@hillside")
    );
    assert_eq!(patch(&engine, "l", "demo", 1, 0).status.code, 200);
    let before = export(&engine).unwrap();
    for id in ["k", "l", "new"] {
        let answer = post(&engine, id, "other", 1, true);
        refused(&engine, &answer, &before, 401, CLIENT_REFUSED);
        let answer = patch(&engine, id, "other", 1, 0);
        let none = r#"{"error":"Not found","error_description":"No client-authorised integrations found"}"#;
        refused(&engine, &answer, &before, 404, none);
        assert_eq!(state(&engine, id, &set("other", 1, 8, true)), Ok(404));
        // An API type for which the school has not authorised the integrator.
        assert_eq!(state(&engine, id, &set("other", 2, 9, true)), Ok(401));
    }
    assert_eq!(export(&engine).unwrap(), before);
}

#[test]
fn an_own_change_under_anothers_id_is_refused_and_not_made() {
    let engine = engine();
    let first = post(&engine, "k", "demo", 1, true);
    assert_eq!(patch(&engine, "l", "demo", 1, 0).status.code, 200);
    let before = export(&engine).unwrap();
    for id in ["k", "l"] {
        let answer = post(&engine, id, "other", 2, true);
        refused(&engine, &answer, &before, 409, REUSED_V2);
        let answer = patch(&engine, id, "other", 2, 1);
        refused(&engine, &answer, &before, 409, REUSED_V1);
        // Also a change with no effect.
        let answer = post(&engine, id, "other", 2, false);
        refused(&engine, &answer, &before, 409, REUSED_V2);
        assert_eq!(
            state(&engine, id, &set("other", 2, 8, true)),
            Err("id_reused")
        );
    }
    assert_eq!(post(&engine, "k", "demo", 1, true), first);
    assert_eq!(post(&engine, "new", "other", 2, true).status.code, 200);
}

/// The same request by another user, for a school that has authorised both.
#[test]
fn the_same_request_of_another_user_is_another_change() {
    let engine = engine();
    assert_eq!(post(&engine, "k", "demo", 2, true).status.code, 200);
    assert_eq!(state(&engine, "s", &set("demo", 2, 8, false)), Ok(200));
    let before = export(&engine).unwrap();
    refused(
        &engine,
        &post(&engine, "k", "other", 2, true),
        &before,
        409,
        REUSED_V2,
    );
    assert_eq!(
        state(&engine, "s", &set("other", 2, 8, false)),
        Err("id_reused")
    );
    assert_eq!(export(&engine).unwrap(), before);
}

#[test]
fn an_id_above_its_bound_is_a_bad_request() {
    let engine = engine();
    let long = format!("{}x", "é".repeat(64));
    let before = export(&engine).unwrap();
    let answer = patch(&engine, &long, "demo", 1, 1);
    refused(&engine, &answer, &before, 400, LONG_V1);
    let answer = post(&engine, &long, "demo", 1, true);
    refused(&engine, &answer, &before, 400, LONG_V2);
    let set = set("demo", 1, 8, true);
    assert_eq!(state(&engine, &long, &set), Err("unsupported"));
    assert_eq!(load(&engine, &long, ""), Err("unsupported"));
    // Access is checked before the id, and a question ignores the id.
    let target = "/api/v1/settings/clients/1";
    let unknown = send(&engine, &long, "unknown", ("PATCH", target, ""));
    assert_eq!(unknown.status.code, 401);
    let read = send(&engine, &long, "demo", ("GET", target, ""));
    assert_eq!(read.status.code, 200);
    assert_eq!(export(&engine).unwrap(), before);

    let longest = &long[..128];
    assert_eq!(patch(&engine, longest, "demo", 1, 1).status.code, 200);
    assert_eq!(patch(&engine, longest, "demo", 1, 1).status.code, 200);
}

#[test]
fn another_body_method_or_target_is_another_change() {
    let engine = engine();
    assert_eq!(post(&engine, "k", "demo", 1, true).status.code, 200);
    let before = export(&engine).unwrap();
    refused(
        &engine,
        &post(&engine, "k", "demo", 1, false),
        &before,
        409,
        REUSED_V2,
    );
    refused(
        &engine,
        &post(&engine, "k", "demo", 2, true),
        &before,
        409,
        REUSED_V2,
    );
    let target = "/api/v2/settings/clientintegrations";
    let body = r#"{"school_id":1,"api_type_id":8,"state":true}"#;
    for asked in [
        ("PATCH", target, body),
        ("POST", "/api/v2/settings/clientintegrations/", body),
        (
            "POST",
            target,
            r#"{"school_id":1,"api_type_id":9,"state":true}"#,
        ),
    ] {
        refused(
            &engine,
            &send(&engine, "k", "demo", asked),
            &before,
            409,
            REUSED_V2,
        );
    }
    refused(
        &engine,
        &patch(&engine, "k", "demo", 1, 0),
        &before,
        409,
        REUSED_V1,
    );
    // A faulty body is refused before the id is checked.
    let faulty = send(&engine, "k", "demo", ("POST", target, "{}"));
    assert_eq!(faulty.status.code, 400);
    // A typed change with the same id is another change, too.
    assert_eq!(
        state(&engine, "k", &set("demo", 1, 8, true)),
        Err("id_reused")
    );
    assert_eq!(state(&engine, "s", &set("demo", 1, 9, true)), Ok(200));
    for other in [
        set("demo", 1, 9, false),
        set("demo", 1, 8, true),
        set("demo", 2, 8, true),
    ] {
        assert_eq!(state(&engine, "s", &other), Err("id_reused"));
    }
    assert_eq!(state(&engine, "s", &set("demo", 1, 9, true)), Ok(200));
    // A GET changes nothing and has no idempotency record.
    let get = ("GET", "/api/v1/settings/clients/1", "");
    assert_eq!(send(&engine, "k", "demo", get).status.code, 200);
}

#[test]
fn a_user_who_lost_access_is_refused() {
    let engine = engine();
    assert_eq!(post(&engine, "k", "demo", 1, true).status.code, 200);
    assert_eq!(state(&engine, "s", &set("demo", 1, 9, true)), Ok(200));
    let remove = |api_type: u64| {
        let removal = format!(
            "{{\"type\":\"client_integration\",\"username\":\"demo\",\"school_id\":1,\"api_type_id\":{api_type},\"deleted\":true}}"
        );
        engine.apply(removal.as_bytes()).unwrap();
    };
    // First, the school still authorises the integrator for another API type; then for none.
    remove(8);
    let before = export(&engine).unwrap();
    let answer = post(&engine, "k", "demo", 1, true);
    refused(&engine, &answer, &before, 401, CLIENT_REFUSED);
    remove(9);
    assert_eq!(state(&engine, "s", &set("demo", 1, 9, true)), Ok(404));
}

#[test]
fn requests_and_datasets_share_no_id() {
    let engine = engine();
    let line = r#"{"type":"learner","school_id":1,"id":9}"#;
    assert_eq!(load(&engine, "d", line).unwrap().total().added, 1);
    assert_eq!(post(&engine, "k", "demo", 1, true).status.code, 200);
    let before = export(&engine).unwrap();
    refused(
        &engine,
        &post(&engine, "d", "demo", 1, false),
        &before,
        409,
        REUSED_V2,
    );
    refused(
        &engine,
        &patch(&engine, "d", "demo", 1, 0),
        &before,
        409,
        REUSED_V1,
    );
    assert_eq!(
        state(&engine, "d", &set("demo", 1, 8, false)),
        Err("id_reused")
    );
    let other = r#"{"type":"learner","school_id":1,"id":10}"#;
    assert_eq!(load(&engine, "k", other), Err("id_reused"));
    let body = r#"{"school_id":1,"api_type_id":8,"state":true}"#;
    assert_eq!(load(&engine, "k", body), Err("id_reused"));
    assert_eq!(export(&engine).unwrap(), before);
}

#[test]
fn another_dataset_is_another_change() {
    let engine = engine();
    let line = r#"{"type":"learner","school_id":1,"id":9}"#;
    let first = load(&engine, "d", line).unwrap();
    let before = export(&engine).unwrap();
    for other in [
        r#"{"type":"learner","school_id":1,"id":10}"#,
        "{\"type\":\"learner\",\"school_id\":1,\"id\":9}\n",
        // The next datasets have no effect, have a fault, or are empty.
        r#"{"type":"learner","school_id":1,"id":7}"#,
        "no dataset",
        "",
    ] {
        assert_eq!(load(&engine, "d", other), Err("id_reused"), "{other}");
    }
    let once = engine.once("d");
    assert_eq!(
        pushed(once.load_school(1), line.as_bytes()),
        Err("id_reused")
    );
    assert_eq!(load(&engine, "d", line), Ok(first.clone()));
    let mut whole = engine.once("d").load();
    whole.push(line.as_bytes()).unwrap();
    assert_eq!(whole.progress().lines, 0);
    assert_eq!(whole.finish(), Ok(first));
    assert_eq!(export(&engine).unwrap(), before);

    let school = r#"{"type":"school","school_id":1,"current_year":2027}"#;
    let replace = |school_id| {
        let load = engine.once("e").load_school(school_id);
        pushed(load, school.as_bytes())
    };
    let replaced = replace(1).unwrap();
    assert_eq!(replace(2), Err("id_reused"));
    assert_eq!(load(&engine, "e", school), Err("id_reused"));
    assert_eq!(replace(1), Ok(replaced));
}

/// Of two concurrent loads with the same id, only one is made.
#[test]
fn an_idempotency_record_that_is_added_during_a_load_is_respected() {
    let engine = engine();
    let line = |id: u64| format!("{{\"type\":\"learner\",\"school_id\":1,\"id\":{id}}}\n");
    let begun = |id: u64| {
        let mut load = engine.once("d").load();
        load.push(line(id).as_bytes()).unwrap();
        load
    };
    let (first, same, other) = (begun(9), begun(9), begun(10));
    let summary = first.finish().unwrap();
    let before = export(&engine).unwrap();
    assert_eq!(same.finish(), Ok(summary));
    assert_eq!(other.finish().map_err(code), Err("id_reused"));
    assert_eq!(export(&engine).unwrap(), before);
}

#[test]
fn another_removal_is_another_change() {
    let engine = engine();
    let erase = |id, school, learner| {
        let erased = engine.once(id).erase_learner(school, learner);
        erased.map_err(code)
    };
    let remove = |id, school| engine.once(id).remove_school(school).map_err(code);
    let erased = erase("a", 1, 7).unwrap();
    let before = export(&engine).unwrap();
    assert_eq!(erase("a", 1, 8), Err("id_reused"));
    assert_eq!(erase("a", 2, 7), Err("id_reused"));
    assert_eq!(remove("a", 1), Err("id_reused"));
    assert_eq!(load(&engine, "a", ""), Err("id_reused"));
    assert_eq!(erase("a", 1, 7), Ok(erased));
    assert_eq!(export(&engine).unwrap(), before);
    let removed = remove("b", 1).unwrap();
    let before = export(&engine).unwrap();
    assert_eq!(remove("b", 2), Err("id_reused"));
    assert_eq!(erase("b", 2, 7), Err("id_reused"));
    assert_eq!(remove("b", 1), Ok(removed));
    assert_eq!(export(&engine).unwrap(), before);
}

/// A password cannot be found by trying the digests of datasets, which are fast, and a backup
/// without credentials contains no digest that depends on it.
#[test]
fn an_idempotency_record_reveals_no_password() {
    let folder = tempfile::tempdir().unwrap();
    let [path, copied, bare] = ["store", "copied", "bare"].map(|name| folder.path().join(name));
    let open = |path| Engine::open(path, Options::default()).unwrap();
    let engine = open(&path);
    let secret = r#"{"type":"integrator","username":"demo","password":"hunter2"}"#;
    let first = load(&engine, "d", secret).unwrap();
    assert_eq!(load(&engine, "d", secret), Ok(first.clone()));
    let guess = secret.replace("hunter2", "hunter3");
    assert_eq!(load(&engine, "d", &guess), Err("id_reused"));
    engine.backup(&copied, Credentials::Keep).unwrap();
    engine.backup(&bare, Credentials::LeaveOut).unwrap();
    engine.close().unwrap();
    let records = |path| {
        let rows = rows(std::fs::read(path).unwrap(), META);
        let mut rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
        rows.retain(|row| row.starts_with(b"d\xfe"));
        rows
    };
    for path in [&path, &copied] {
        let [row] = records(path).try_into().unwrap();
        assert!(row.starts_with(b"d\xfe$argon2id$v=19$m=8192,t=3,p=1$"));
    }
    assert!(records(&bare).is_empty());
    assert_eq!(load(&open(&copied), "d", secret), Ok(first));
    // This backup lacks the integrator and its idempotency record.
    assert_eq!(load(&open(&bare), "d", secret).unwrap().total().added, 1);
}
