//! A byte order mark at the start of a dataset or of the body of a request is skipped. Some editors
//! and PHP files add it.
#![allow(clippy::unwrap_used, missing_docs)]

use rollbook::{Engine, Options, Request};
use rollbook_tests::login::quick;

const DATASET: &str = r#"{"type":"school","school_id":1000,"current_year":2026}
{"type":"api_type","api_type_id":8,"family":"administration"}
{"type":"integrator","username":"demo","password":"demo"}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8}"#;

fn patch(engine: &Engine, body: &str) -> u16 {
    let answer = engine.request(&Request {
        method: "PATCH",
        target: "/api/v1/settings/clients/1000",
        headers: &[("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")],
        body: body.as_bytes(),
        ..Request::default()
    });
    answer.status.code
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_start_only() {
    let dataset = quick(DATASET);
    let engine = Engine::memory(Options::default()).unwrap();
    engine
        .apply(format!("\u{feff}{dataset}").as_bytes())
        .unwrap();
    let body = r#"{"state":1,"api_type_id":8}"#;
    assert_eq!(patch(&engine, &format!("\u{feff}{body}")), 200);
    assert_eq!(patch(&engine, body), 204);
    assert_eq!(patch(&engine, &format!("\u{feff}\u{feff}{body}")), 400);
    assert_eq!(patch(&engine, &format!(" \u{feff}{body}")), 400);
    for other in [
        format!("\u{feff}\u{feff}{dataset}"),
        format!("\n\u{feff}{dataset}"),
    ] {
        let engine = Engine::memory(Options::default()).unwrap();
        let fault = engine.apply(other.as_bytes()).unwrap_err();
        assert!(
            fault.to_string().contains("is not a JSON object"),
            "{fault}"
        );
    }
}
