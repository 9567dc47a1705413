//! How often requests reach their query, and find something.

use std::collections::BTreeMap;

use super::{Action, Outcome, description, run};

#[derive(Debug, Default)]
struct Share {
    asked: usize,
    reached: usize,
    found: usize,
}

impl Share {
    fn holds(&self, reached: usize, found: usize) -> bool {
        self.reached * 100 >= self.asked * reached && self.found * 100 >= self.reached * found
    }
}

/// The endpoint of a target, as the router would not see it.
fn endpoint(method: &str, target: &str) -> &'static str {
    let endpoints = [
        "learnerassessmentmarks",
        "learnersubjectsperterm",
        "learnersubjectmarks",
        "learnersubjects",
        "learnerabsentees",
        "learners",
        "schools",
        "clients",
    ];
    let found = endpoints
        .into_iter()
        .find(|name| target.contains(name))
        .unwrap_or("other");
    if method == "PATCH" && found == "clients" {
        "PATCH clients"
    } else {
        found
    }
}

#[test]
fn interesting_answers_are_frequent() {
    let mut total = Share::default();
    let mut shares: BTreeMap<&str, Share> = BTreeMap::new();
    let (mut batches, mut kept) = (0, 0);
    for seed in 0..200 {
        run(seed, 40, |action, outcome| match (action, outcome) {
            (Action::Request { method, target, .. }, Outcome::Answered(answer)) => {
                let found = matches!(answer.status, 200 | 204);
                let empty = description(answer).is_some_and(|text| {
                    text.starts_with("No learner") || text.starts_with("No subject mark")
                });
                for share in [
                    &mut total,
                    shares.entry(endpoint(method, target)).or_default(),
                ] {
                    share.asked += 1;
                    share.reached += usize::from(found || empty);
                    share.found += usize::from(found);
                }
            }
            (Action::Apply(_), outcome) => {
                batches += 1;
                kept += usize::from(matches!(outcome, Outcome::Kept(_)));
            }
            _ => {}
        });
    }
    assert!(total.holds(60, 60), "{total:?}");
    for (endpoint, share) in &shares {
        assert!(
            *endpoint == "other" || share.holds(50, 50),
            "{endpoint}: {share:?}"
        );
    }
    assert!(
        kept * 100 >= batches * 75 && kept * 100 <= batches * 97,
        "{kept} of {batches} datasets kept"
    );
}
