//! Checks that every peer answers every ask with the same bytes as the engine.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing)]

use rollbook_benches::administration;
use rollbook_benches::ask::Ask;
use rollbook_benches::ours::{Requests, Typed};
use rollbook_benches::pages::{self, WALKED};
use rollbook_benches::peer::{Peer, compare};
use rollbook_benches::schools::Schools;
use rollbook_benches::timing::Effort;
use rollbook_benches::{observing, report};
use std::time::Duration;

#[test]
fn peers_answer_as_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let schools = Schools::load(2, folder.path()).unwrap();
    let asks = schools.every_ask().unwrap();
    let engine = &schools.engine;
    agrees(&mut Typed(engine), &schools, &asks);
    agrees(&mut Requests(engine), &schools, &asks);
    #[cfg(feature = "peers")]
    {
        use rollbook_benches::ask::{MIDYEAR, NOW};
        use rollbook_benches::peers;
        for mut peer in peers::all(folder.path(), &schools, &[NOW, MIDYEAR]).unwrap() {
            agrees(peer.as_mut(), &schools, &asks);
        }
    }
}

/// A page has the same bytes through both interfaces, and every collection has one.
#[test]
fn pages_are_the_same_through_each_door() {
    let folder = tempfile::tempdir().unwrap();
    let schools = Schools::load(1, folder.path()).unwrap();
    let effort = Effort {
        rounds: 1,
        time: Duration::ZERO,
    };
    let measured = pages::measure(&schools.engine, &schools.all[0], effort).unwrap();
    assert_eq!(measured.len(), WALKED.len());
    for page in measured {
        println!("{}: {} bytes", page.name, page.bytes);
        assert!(page.bytes > 1000);
    }
}

/// Answers of Administration+ have the same bytes through both interfaces, and a school has all of
/// them.
#[test]
fn administration_is_the_same_through_each_door() {
    let folder = tempfile::tempdir().unwrap();
    let schools = Schools::load(1, folder.path()).unwrap();
    let effort = Effort {
        rounds: 1,
        time: Duration::ZERO,
    };
    let school = schools.all[0].school_id;
    for question in administration::measure(&schools.engine, school, effort).unwrap() {
        println!("{}: {} bytes", question.name, question.bytes);
        assert!(question.bytes > 100);
    }
}

/// Of a hundred observers, a mark affects two, which get another answer each time.
#[test]
fn a_change_concerns_few_of_many_observers() {
    let measured = observing::measure(30, 300).unwrap();
    println!("{}", report::observing(&measured));
    assert_eq!((measured.observers, measured.concerned), (100, 2));
}

fn agrees(peer: &mut dyn Peer, schools: &Schools, asks: &[Ask]) {
    let found = compare(peer, &schools.engine, asks).unwrap();
    let all = asks.len();
    println!("{}: {found} of {all} asks found something", peer.name());
    assert!(found > all / 2);
}
