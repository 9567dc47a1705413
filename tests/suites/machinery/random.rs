//! Tests of the random number generator.

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
