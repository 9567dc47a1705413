//! Every peer answers every ask as the engine does, byte for byte.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing)]

use rollbook_benches::ours::{Requests, Typed};
use rollbook_benches::peer::{Peer, compare};
use rollbook_benches::schools::Schools;

#[test]
fn peers_answer_as_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let schools = Schools::load(2, folder.path()).unwrap();
    let asks = schools.every_ask().unwrap();
    let engine = &schools.engine;
    let peers: Vec<Box<dyn Peer + '_>> = vec![Box::new(Typed(engine)), Box::new(Requests(engine))];
    for mut peer in peers {
        let found = compare(peer.as_mut(), engine, &asks).unwrap();
        println!(
            "{}: {found} of {} asks found something",
            peer.name(),
            asks.len()
        );
        assert!(found > asks.len() / 2);
        peer.forget().unwrap();
        compare(peer.as_mut(), engine, &asks[..10.min(asks.len())]).unwrap();
    }
}
