//! The lookups that are the same for all schools of a store, if it also has other schools.

use super::steps::{drive, lines, little_school};
use super::{SCHOOL, stop_reason};
use rollbook::{Engine, Options, Step, StopReason, SyncOptions};

const GENDERS: &[u8] = br#"{"type":"gender","id":1,"name":"F"}
{"type":"gender","id":2,"name":"M"}"#;

/// Returns the service.
fn source() -> Engine {
    let source = little_school();
    source.apply(GENDERS).unwrap();
    source
}

fn pass(mirror: &Engine, source: &Engine) {
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let done = drive(&sync, source, &|_| None);
    assert!(matches!(done, Ok(Step::Done(_))), "{done:?}");
}

/// Removes a gender at the service.
fn remove_gender(source: &Engine) {
    let removal = br#"{"type":"gender","id":2,"deleted":true}"#;
    source.apply(&removal[..]).unwrap();
}

fn genders(engine: &Engine) -> usize {
    let lines = lines(engine).into_iter();
    lines
        .filter(|line| line.contains(r#""gender","id""#))
        .count()
}

/// The id of another school is wrong, so that its sync stops. The store has no data of it.
#[test]
fn a_school_that_was_never_synced_keeps_no_lookup() {
    let (source, mirror) = (source(), Engine::memory(Options::default()).unwrap());
    let mistyped = mirror.sync(4242, SyncOptions::default()).unwrap();
    let stopped = drive(&mistyped, &source, &|_| Some((401, "{}"))).unwrap();
    assert_eq!(stop_reason(stopped), StopReason::WrongCredentials);
    pass(&mirror, &source);
    assert_eq!(genders(&mirror), 2);
    remove_gender(&source);
    pass(&mirror, &source);
    assert_eq!(genders(&mirror), 1);
}

/// A school that the app owns may refer to a lookup that the service no longer has. Once the school
/// is removed, the lookup is removed as well, although the answer is unchanged.
#[test]
fn a_lookup_goes_after_the_last_school_of_the_app() {
    let (source, mirror) = (source(), Engine::memory(Options::default()).unwrap());
    let own = br#"{"type":"school","school_id":2000,"school_name":"Own","current_year":2026}"#;
    mirror.apply(&own[..]).unwrap();
    pass(&mirror, &source);
    remove_gender(&source);
    pass(&mirror, &source);
    assert_eq!(genders(&mirror), 2);
    mirror.remove_school(2000).unwrap();
    pass(&mirror, &source);
    assert_eq!(genders(&mirror), 1);
    // Afterwards the answer counts as unchanged again.
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let asked = drive(&sync, &source, &|_| None);
    assert!(matches!(asked, Ok(Step::Done(report)) if report.replies == report.unchanged));
    assert!(mirror.verify().unwrap().is_sound());
}
