//! An app cannot change what a feed owns: the lists that belong to no school, and the followed
//! schools. The app owns everything else.

use super::records;
use super::transfer::bring;
use rollbook::{Credentials, Engine, Options, Scope};
use rollbook_tests::login::quick;
use rollbook_tests::random::Random;

const SOURCE: &str = r#"
{"type":"school","school_id":1,"current_year":2026}
{"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}
{"type":"ethnic_group","id":1,"name":"A"}
{"type":"marital_status","id":1,"name":"B"}
{"type":"gender","id":1,"name":"C"}
{"type":"language","id":1,"name":"D"}
{"type":"learner","school_id":1,"id":7,"first_name":"Anna"}
"#;

/// Lines that change, add, repeat or remove records that a feed owns.
const OWNED: [&str; 14] = [
    r#"{"type":"api_type","api_type_id":8,"api_type":"Other","family":"administration"}"#,
    r#"{"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}"#,
    r#"{"type":"api_type","api_type_id":9,"api_type":"New","family":"finance"}"#,
    r#"{"type":"api_type","api_type_id":8,"deleted":true}"#,
    r#"{"type":"ethnic_group","id":1,"name":"Other"}"#,
    r#"{"type":"ethnic_group","id":2,"name":"New"}"#,
    r#"{"type":"marital_status","id":1,"deleted":true}"#,
    r#"{"type":"marital_status","id":2,"name":"New"}"#,
    r#"{"type":"gender","id":1,"name":"Other"}"#,
    r#"{"type":"gender","id":5,"deleted":true}"#,
    r#"{"type":"language","id":1,"name":"Other"}"#,
    r#"{"type":"school","school_id":1,"current_year":2027}"#,
    r#"{"type":"school","school_id":1,"deleted":true}"#,
    r#"{"type":"learner","school_id":1,"id":7,"deleted":true}"#,
];

const OWN: &str = r#"
{"type":"integrator","username":"demo","password":"demo"}
{"type":"client_integration","username":"demo","school_id":1,"api_type_id":8,"state":1}
{"type":"school","school_id":2,"current_year":2026}
{"type":"learner","school_id":2,"id":7,"first_name":"Own"}
{"type":"client_integration","username":"demo","school_id":2,"api_type_id":8,"state":1}
"#;

fn follow(source: &Engine, follower: &Engine, scope: &Scope) {
    bring(&mut Random::new(1), source, follower, scope).unwrap();
}

fn follower(scope: &Scope) -> (Engine, Engine) {
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    let follower = Engine::memory(Options::default()).unwrap();
    follow(&source, &follower, scope);
    (source, follower)
}

#[test]
fn what_a_feed_owns_is_refused_and_what_is_the_apps_is_applied() {
    for scope in [
        Scope::default().school(1),
        Scope::default().learners(1, [7]),
    ] {
        let (source, follower) = follower(&scope);
        let before = records(&follower);
        for line in OWNED {
            let refused = follower.apply(line.as_bytes()).unwrap_err();
            assert_eq!(refused.code(), "synced", "{line}");
            let text = refused.to_string();
            assert!(text.contains("change it there"), "{text}");
            // Such a line is also refused as part of a dataset of the app.
            let both = format!("{}{line}", quick(OWN));
            let refused = follower.apply(both.as_bytes()).unwrap_err();
            assert_eq!(refused.code(), "synced", "{line}");
            // It is also refused in a dataset that replaces a school of the app.
            if !line.contains("school_id") && line.contains("api_type") {
                let refused = follower.replace_school(2, line.as_bytes()).unwrap_err();
                assert_eq!(refused.code(), "synced", "{line}");
            }
            assert_eq!(records(&follower), before, "{line}");
        }
        follower.apply(quick(OWN).as_bytes()).unwrap();
        follower.apply(quick(OWN).as_bytes()).unwrap();
        let lines = follower.export(Credentials::Keep).unwrap();
        let lines: String = lines.map(Result::unwrap).collect();
        let own = ["Own", r#""integrator""#, r#""client_integration""#];
        assert!(own.iter().all(|own| lines.contains(own)), "{lines}");
        let replaced = r#"{"type":"learner","school_id":2,"id":8,"first_name":"Newer"}"#;
        follower.replace_school(2, replaced.as_bytes()).unwrap();
        // Later feeds do not change the records of the app.
        let line = r#"{"type":"gender","id":1,"name":"Changed"}"#;
        source.apply(line.as_bytes()).unwrap();
        follow(&source, &follower, &scope);
        let lines = records(&follower).concat();
        assert!(
            lines.contains("Changed") && lines.contains("Newer"),
            "{lines}"
        );
    }
}

/// Without a followed school, no source owns the lists. The next feed with a school replaces them.
#[test]
fn without_a_school_the_lists_are_the_apps() {
    let scope = Scope::default().school(1);
    let (source, follower) = follower(&scope);
    let line = r#"{"type":"gender","id":1,"name":"Own"}"#;
    let apply = || {
        let applied = follower.apply(line.as_bytes());
        applied.map_or_else(|error| error.code(), |_| "ok")
    };
    assert_eq!(apply(), "synced");
    follow(&source, &follower, &Scope::default());
    assert_eq!(apply(), "ok");
    // Differences between the two stores are no fault then.
    for round in 0..4 {
        let line = format!(r#"{{"type":"language","id":1,"name":"{round}"}}"#);
        source.apply(line.as_bytes()).unwrap();
        follow(&source, &follower, &Scope::default());
    }
    assert!(records(&follower).concat().contains("Own"));
    follow(&source, &follower, &scope);
    assert_eq!(apply(), "synced");
    assert_eq!(records(&follower), records(&source));
    follower.forget_sync(1).unwrap();
    assert_eq!(apply(), "ok");
    follow(&source, &follower, &scope);
    assert_eq!(records(&follower), records(&source));
    follower.remove_school(1).unwrap();
    assert_eq!(apply(), "ok");
    follow(&source, &follower, &scope);
    assert_eq!(records(&follower), records(&source));
}
