//! Failures shrink to what they need.

use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

use super::{Action, Cursors, Outcome, Twin, World};
use rollbook_tests::world::actions;

/// A sequence fails if some learner is found by its name.
fn finds_by_name(sequence: &[Action]) -> bool {
    let mut twin = Twin::default();
    let mut cursors = Cursors::default();
    sequence.iter().any(
        |action| match (action.perform(&mut twin, &mut cursors), action) {
            (Outcome::Answered(answer), Action::Request { target, .. }) => {
                answer.status == 200
                    && target.contains("/adminplus/learners/")
                    && target.contains("name=")
            }
            _ => false,
        },
    )
}

#[test]
fn a_failure_shrinks_to_few_lines() {
    let mut runner = TestRunner::new_with_rng(
        Config {
            failure_persistence: None,
            max_shrink_iters: 100_000,
            ..Config::default()
        },
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let outcome = runner.run(&actions(30..=40), |sequence| {
        if finds_by_name(&sequence) {
            Err(TestCaseError::fail("found"))
        } else {
            Ok(())
        }
    });
    let Err(TestError::Fail(_, sequence)) = outcome else {
        panic!("no sequence finds a learner by name")
    };
    // A request, and a dataset with school, API type, integrator, authorisation and learner.
    let lines: usize = sequence
        .iter()
        .filter_map(Action::lines)
        .map(<[String]>::len)
        .sum();
    assert!(sequence.len() <= 3 && lines <= 6, "{sequence:#?}");
    assert!(
        sequence
            .iter()
            .map(|action| action.parameters().len())
            .sum::<usize>()
            <= 2,
        "{sequence:#?}"
    );
}

#[test]
fn lengths_are_as_asked_and_seeds_decide() {
    let mut runner = TestRunner::deterministic();
    for _ in 0..20 {
        let sequence = actions(3..6)
            .new_tree(&mut runner)
            .expect("a sequence")
            .current();
        assert!((3..6).contains(&sequence.len()));
        assert!(matches!(sequence[0], Action::Apply(_)));
    }
    assert_eq!(World::new(7).actions(50), World::new(7).actions(50));
    assert_ne!(World::new(7).actions(50), World::new(8).actions(50));
}
