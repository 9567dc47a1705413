//! Checks that every ask has the same answer when caches are cold, and that the engine reads its
//! file for it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use rollbook::{Engine, Options};
use rollbook_benches::ask::{Ask, NOW, What};
use rollbook_benches::cold::{cold, pair};
use rollbook_benches::comparison::compared;
use rollbook_benches::peer::compare;
use rollbook_benches::schools::Schools;
use rollbook_tests::sample::{SampleSchool, federation};

#[test]
fn all_forget_and_answer_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let small = SampleSchool {
        learners: 30,
        ..SampleSchool::default()
    };
    let all = federation(3, &small);
    let engine = Engine::open(folder.path().join("rollbook.redb"), Options::default()).unwrap();
    for school in &all {
        engine.apply(school.reader()).unwrap();
    }
    let schools = Schools { all, engine };
    let mut asks = schools.every_ask().unwrap();
    asks.retain(|ask| ask.now == NOW);
    #[cfg(feature = "peers")]
    let peers = rollbook_benches::peers::all(folder.path(), &schools, &[NOW]).unwrap();
    #[cfg(not(feature = "peers"))]
    let peers = Vec::new();
    let lists = asks.iter().filter(|ask| ask.what == What::Learners);
    let lists: Vec<Ask> = lists.cloned().collect();
    let mut random = fastrand::Rng::with_seed(1);
    let mut time = cold();
    let mut out = Vec::new();
    for (place, mut peer) in compared(&schools, peers).into_iter().enumerate() {
        for _ in 0..3 {
            let drawn = pair(&lists)(&mut random);
            assert_ne!(drawn[0].school, drawn[1].school);
            let before = read();
            time(peer.as_mut(), &[drawn[0]; 2], &mut out).unwrap();
            let without = read();
            time(peer.as_mut(), &drawn, &mut out).unwrap();
            // The timed ask reads in addition to what another ask has read. The engine's two
            // interfaces map no file, so their reads can be counted.
            if cfg!(target_os = "linux") && place < 2 {
                let more = (read() - without).checked_sub(without - before);
                assert!(more >= Some(4096), "{}: {more:?}", peer.name());
            }
        }
        peer.forget().unwrap();
        compare(peer.as_mut(), &schools.engine, &asks).unwrap();
    }
}

/// Returns the number of bytes that this thread has read from files, or 0 if Linux does not count
/// them.
fn read() -> u64 {
    let counts = std::fs::read_to_string("/proc/thread-self/io").unwrap_or_default();
    let mut lines = counts.lines();
    let read = lines.find_map(|line| line.strip_prefix("rchar: "));
    read.map_or(0, |read| read.parse().unwrap())
}
