//! Tests that a mark whose assessment does not exist at the service is removed with the next
//! complete publication.

#![allow(clippy::panic)]

use crate::dataset::{Stage, commit_unchecked, parse_line};
use crate::{Credentials, Engine, Options, Reply, Request, Step, SyncOptions};

const SCHOOL: u64 = 1000;
const NOW: i64 = 1_778_745_600;

const WORLD: &str = r#"
{"type":"school","school_id":1000,"school_name":"Little","current_year":2026}
{"type":"api_type","api_type_id":1,"family":["administration","curriculum","finance","parents"]}
{"type":"integrator","username":"sync","password":"sync"}
{"type":"client_integration","username":"sync","school_id":1000,"api_type_id":1,"state":1}
{"type":"learner","school_id":1000,"id":1,"first_name":"Anna"}
"#;

/// A mark whose assessment is in no answer, because the service does not have it.
const ORPHAN: &[u8] =
    br#"{"type":"mark","school_id":1000,"assessment_id":77,"learner_id":1,"mark":"13.5"}"#;

fn pass(mirror: &Engine, service: &Engine) -> Result<(), crate::Error> {
    let sync = mirror.sync(SCHOOL, SyncOptions::default())?;
    loop {
        match sync.next(NOW)? {
            Step::Send(call) => {
                let answer = service.request(&Request {
                    target: &call.target,
                    headers: &[("HTTP-X-USERNAME", "sync"), ("HTTP-X-PASSWORD", "sync")],
                    now: Some(NOW),
                    ..Request::default()
                });
                let reply = Reply {
                    status: answer.status.code,
                    retry_after: None,
                    body: &answer.body,
                };
                sync.handle_reply(call.id, NOW, &reply)?;
            }
            Step::Done(_) => return Ok(()),
            other => panic!("{other:?}"),
        }
    }
}

fn marks(engine: &Engine) -> Result<usize, crate::Error> {
    let lines = engine.export(Credentials::LeaveOut)?;
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    let is_mark = |line: &&String| line.starts_with(r#"{"type":"mark""#);
    Ok(lines.iter().filter(is_mark).count())
}

#[test]
fn a_mark_without_an_assessment_is_removed() -> Result<(), crate::Error> {
    let [service, mirror] = [(); 2].map(|()| Engine::memory(Options::default()));
    let (service, mirror) = (service?, mirror?);
    service.apply(WORLD.as_bytes())?;
    pass(&mirror, &service)?;
    mirror.store.write(|write| {
        let mut stage = Stage::default();
        let line = parse_line(ORPHAN);
        let line = line.unwrap_or_else(|what| panic!("{what}"));
        let line = line.unwrap_or_else(|| panic!("it is no line"));
        stage.push(1, &line, None)?;
        commit_unchecked(write, stage.sorter)
    })?;
    assert_eq!(marks(&mirror)?, 1);
    // A new record, so that the pass publishes.
    service.apply(&br#"{"type":"learner","school_id":1000,"id":2,"first_name":"Ben"}"#[..])?;
    pass(&mirror, &service)?;
    assert_eq!(marks(&mirror)?, 0);
    Ok(())
}
