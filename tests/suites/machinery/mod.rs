//! Tests of the test library itself: random sequences, sample schools, placeholders for cursors and
//! records, searches, and the random numbers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod corpus_cursors;
mod corpus_records;
mod sample;
mod searching;
mod world;

use rollbook_tests::random::Random;

#[test]
fn follows_the_published_splitmix64_sequence() {
    let mut random = Random::new(1_234_567);
    let drawn: Vec<u64> = (0..3).map(|_| random.number()).collect();
    assert_eq!(
        drawn,
        [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423
        ]
    );
}
