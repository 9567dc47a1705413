//! Nothing of a learner who was erased from a synced school remains in the file, neither in the
//! fetch log nor in the data that prevents the learner from being added again.

use super::odd::pass;
use super::{ACCESS, SCHOOL, get, reply, synced};
use rollbook::{Answer, Credentials, Engine, Finding, Options, Reply, Step, SyncOptions};
use rollbook_tests::storage::requests::NOW;
use std::fs;

/// An id that cannot be confused with other bytes.
const LEARNER: u64 = 0x5eed_c0de_9b3d_01e7;

const SOURCE: &str = r#"
{"type":"school","school_id":1000,"current_year":2026}
{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}
{"type":"learner","school_id":1000,"id":7,"first_name":"Ann","grade_id":9}
{"type":"learner","school_id":1000,"id":6840335471365390823,"first_name":"Xanthippe","grade_id":9}
{"type":"learner_subject","school_id":1000,"learner_id":6840335471365390823,"year":2026,"subject_id":101,"grade_id":9,"terms":[{"term":1,"mark":50}]}
"#;

/// Returns how many encodings of the id and of the name are found in bytes.
fn found(bytes: &[u8]) -> usize {
    let mut varint = Vec::new();
    let mut rest = LEARNER;
    while rest > 0x7f {
        varint.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    varint.push(rest.to_le_bytes()[0]);
    let needles = [
        LEARNER.to_le_bytes().to_vec(),
        LEARNER.to_be_bytes().to_vec(),
        LEARNER.to_string().into_bytes(),
        varint,
        b"Xanthippe".to_vec(),
        b"xanthippe".to_vec(),
    ];
    let is_in = |needle: &&Vec<u8>| bytes.windows(needle.len()).any(|window| window == **needle);
    needles.iter().filter(is_in).count()
}

#[test]
fn nothing_of_an_erased_learner_remains_in_the_file() {
    assert!(SOURCE.contains(&LEARNER.to_string()));
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    source.apply(ACCESS.as_bytes()).unwrap();
    let (mirror, ..) = synced(&source, NOW, SyncOptions::default());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    mirror.backup(&path, Credentials::Keep).unwrap();
    assert!(found(&fs::read(&path).unwrap()) > 2);
    let engine = Engine::open(&path, Options::default()).unwrap();
    let target = format!("/api/v1/currplus/learnersubjectmarks/{SCHOOL}?learner_id={LEARNER}");
    assert_eq!(get(&engine, &target, NOW).status.code, 200);
    engine.erase_learner(SCHOOL, LEARNER).unwrap();
    assert_eq!(get(&engine, &target, NOW).status.code, 404);
    assert_eq!(engine.synced(SCHOOL).unwrap().unwrap().erased, 1);
    engine.close().unwrap();
    assert_eq!(found(&fs::read(&path).unwrap()), 0);
}

/// Syncs a change of the source. Erases the learner in the mirror before the step with this number.
/// Returns the step after which the mirror had the change, or `None` if it has not.
fn change_and_erase(erase_before: Option<usize>) -> Option<usize> {
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    source.apply(ACCESS.as_bytes()).unwrap();
    let (mirror, ..) = synced(&source, NOW, SyncOptions::default());
    mirror.apply(ACCESS.as_bytes()).unwrap();
    let renamed = SOURCE.lines().nth(3).unwrap().replace("Ann", "Anna");
    source.apply(renamed.as_bytes()).unwrap();
    let has_change = || {
        let target = format!("/api/v1/adminplus/learners/{SCHOOL}?learner_id=7");
        get(&mirror, &target, NOW).text().contains("Anna")
    };
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let (mut now, mut changed_after) = (NOW, None);
    for number in 0.. {
        if erase_before == Some(number) {
            mirror.erase_learner(SCHOOL, LEARNER).unwrap();
        }
        let step = sync.next(now).unwrap();
        if has_change() {
            changed_after = changed_after.or(Some(number));
        }
        match step {
            Step::Send(call) => {
                let answer = get(&source, &call.target, now);
                sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
            }
            Step::Wait { until } => now = until,
            Step::Done(_) => break,
            other => panic!("{other:?}"),
        }
    }
    changed_after
}

#[test]
fn answers_that_an_erasure_discards_are_requested_again_in_the_same_pass() {
    let publication = change_and_erase(None).unwrap();
    for before in [publication - 1, publication] {
        let changed = change_and_erase(Some(before));
        assert!(changed.is_some(), "erased before step {before}");
    }
}

/// The service has a value of the learner that cannot be used, before and after the erasure.
#[test]
fn no_report_names_an_erased_learner() {
    let source = Engine::memory(Options::default()).unwrap();
    source.apply(SOURCE.as_bytes()).unwrap();
    source.apply(ACCESS.as_bytes()).unwrap();
    let odd = |_: &str, answer: Answer| {
        let text = answer.text();
        let damaged = text.replace(r#""mark":"50.00""#, r#""mark":"x""#);
        let name = r#""first_name":"Xanthippe""#;
        damaged.replace(name, r#""first_name":[]"#).into_bytes()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let engine = Engine::open(&path, Options::default()).unwrap();
    let report = pass(&engine, &source, &mut |target, answer| odd(target, answer));
    let id = LEARNER.to_string();
    let named = |findings: &[Finding]| {
        let keys = findings.iter().flat_map(|finding| &finding.keys);
        keys.filter(|key| key.contains(&id)).count()
    };
    assert_eq!(named(&report.findings), 2);
    engine.erase_learner(SCHOOL, LEARNER).unwrap();
    let sync = engine.sync(SCHOOL, SyncOptions::default()).unwrap();
    let report = pass(&engine, &source, &mut |target, answer| odd(target, answer));
    assert_eq!(named(&report.findings), 0);
    assert!(report.findings.iter().any(|finding| finding.count > 0));
    drop(sync);
    engine.close().unwrap();
    assert_eq!(found(&fs::read(&path).unwrap()), 0);
}

/// The service refuses the requests about a learner who is erased before the pass ends.
#[test]
fn no_failed_request_names_an_erased_learner() {
    let id = LEARNER.to_string();
    let failed = |is_erased: bool| {
        let source = Engine::memory(Options::default()).unwrap();
        source.apply(SOURCE.as_bytes()).unwrap();
        source.apply(ACCESS.as_bytes()).unwrap();
        let (mirror, ..) = synced(&source, NOW, SyncOptions::default());
        let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
        let (mut now, mut refused) = (NOW, 0);
        let report = loop {
            match sync.next(now).unwrap() {
                Step::Send(call) if call.target.contains(&id) => {
                    let reply = Reply {
                        status: 410,
                        ..Reply::default()
                    };
                    sync.handle_reply(call.id, now, &reply).unwrap();
                    refused += 1;
                }
                Step::Send(call) => {
                    let answer = get(&source, &call.target, now);
                    sync.handle_reply(call.id, now, &reply(&answer)).unwrap();
                }
                Step::Wait { until } => now = until,
                Step::Done(report) => break report,
                other => panic!("{other:?}"),
            }
            if is_erased && refused > 0 && mirror.synced(SCHOOL).unwrap().unwrap().erased == 0 {
                mirror.erase_learner(SCHOOL, LEARNER).unwrap();
            }
        };
        assert!(refused > 0);
        let targets = report.failed.iter().map(|failed| &failed.target);
        targets.filter(|target| target.contains(&id)).count()
    };
    assert_ne!(failed(false), 0);
    assert_eq!(failed(true), 0);
}
