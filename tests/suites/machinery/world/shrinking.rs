//! Failures are shrunk to the necessary changes.

use std::time::Duration;

use super::{Action, Cursors, Outcome, Twin, World};
use rollbook_tests::shrink::shrunk;

/// The simulated failure: some learner is found by name.
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
    let sequence = (0..100)
        .map(|seed| World::new(seed).actions(40))
        .find(|sequence| finds_by_name(sequence))
        .unwrap();
    let least = shrunk(sequence, Duration::from_secs(60), finds_by_name);
    // A request, and a dataset with school, API type, integrator, authorisation and learner.
    let lines = least.iter().filter_map(Action::lines);
    let lines: usize = lines.map(<[String]>::len).sum();
    let parameters: usize = least.iter().map(|action| action.parameters().len()).sum();
    assert!(
        finds_by_name(&least) && least.len() <= 3 && lines <= 6 && parameters <= 2,
        "{least:#?}"
    );
}

#[test]
fn lengths_are_as_asked_and_seeds_decide() {
    let sequence = World::new(7).actions(50);
    assert_eq!(sequence.len(), 50);
    assert!(matches!(sequence[0], Action::Apply(_)));
    assert_eq!(sequence, World::new(7).actions(50));
    assert_ne!(sequence, World::new(8).actions(50));
}
