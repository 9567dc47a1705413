//! An answer that was approved after its pass, on a disk that fails while it is published: the next
//! pass is made nevertheless.

use super::steps::little_school;
use super::{NOW, SCHOOL, get, reply};
use rollbook::{Engine, Step, Sync, SyncOptions};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::faulty::{DiskOperation, Fault, Faulty};
use rollbook_tests::storage::scenario::options;

const STAFF: &str = "/api/v1/adminplus/staffmembers/1000";

fn start(mirror: &Engine) -> Sync {
    mirror.sync(SCHOOL, SyncOptions::default()).unwrap()
}

/// Drives to the end, and returns how many calls were sent. `replaced` replaces the list of staff.
fn drive(sync: &Sync, source: &Engine, replaced: Option<&[u8]>) -> usize {
    let mut sent = 0;
    loop {
        match sync.next(NOW).unwrap() {
            Step::Send(call) => {
                let answer = get(source, &call.target, NOW);
                let mut reply = reply(&answer);
                if call.target == STAFF {
                    reply.body = replaced.unwrap_or(reply.body);
                }
                sync.handle_reply(call.id, NOW, &reply).unwrap();
                sent += 1;
            }
            Step::Done(_) => return sent,
            other => panic!("{other:?}"),
        }
    }
}

/// Returns a service with many members of staff, and a store with an approved answer that lacks all
/// of them.
fn approved() -> (Engine, Vec<u8>) {
    let source = little_school();
    let staff = (1..60).map(|id| {
        format!(r#"{{"type":"staff_member","school_id":1000,"id":{id},"first_name":"S"}}"#)
    });
    let staff: Vec<String> = staff.collect();
    source.apply(staff.join("\n").as_bytes()).unwrap();
    let disk = Disk::default();
    let mirror = Engine::open_with_backend(disk.clone(), options()).unwrap();
    drive(&start(&mirror), &source, None);
    let sync = start(&mirror);
    drive(&sync, &source, Some(b"[]"));
    assert_eq!(sync.quarantined().unwrap()[0].target, STAFF);
    sync.approve(STAFF).unwrap();
    drop(sync);
    mirror.close().unwrap();
    (source, disk.bytes())
}

#[test]
fn a_pass_is_made_after_an_approved_answer_could_not_be_published() {
    let (source, before) = approved();
    let open = |disk: &Faulty| Engine::open_with_backend(disk.clone(), options()).unwrap();
    let disk = Faulty::on(before.clone());
    let mirror = open(&disk);
    disk.plan(None);
    start(&mirror).next(NOW).unwrap();
    let (writes, mut failed) = (disk.done(DiskOperation::Write), 0);
    for from in 0..writes {
        let disk = Faulty::on(before.clone());
        let mirror = open(&disk);
        let sync = start(&mirror);
        let operation = DiskOperation::Write;
        disk.plan(Some(Fault {
            operation,
            from,
            once: false,
        }));
        failed += usize::from(sync.next(NOW).is_err());
        disk.plan(None);
        assert!(drive(&sync, &source, None) > 10, "write {from} of {writes}");
        assert!(mirror.verify().unwrap().is_sound());
    }
    assert!(failed > 3, "{failed} of {writes}");
}
