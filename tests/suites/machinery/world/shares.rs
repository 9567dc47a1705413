//! How many requests reach their query, and how many of these find something.

use std::collections::BTreeMap;

use super::{Action, LIVES, Outcome, body, data_len, description};
use rollbook_tests::world::{ENDPOINTS, Endpoint};

#[derive(Debug, Default)]
struct Share {
    asked: usize,
    reached: usize,
    found: usize,
}

impl Share {
    fn is_at_least(&self, reached: usize, found: usize) -> bool {
        self.reached * 100 >= self.asked * reached && self.found * 100 >= self.reached * found
    }
}

/// Returns the endpoint of a target, even if the path differs from a valid one.
fn endpoint(method: &str, target: &str) -> String {
    let is_v2 = target.starts_with("/api/v2");
    let path = |endpoint: &Endpoint| if is_v2 { endpoint.v2 } else { endpoint.v1 };
    let of = ENDPOINTS.iter().map(path);
    // The longest match, because one path can be a prefix of another.
    let found = of.filter(|path| target.contains(path));
    let found = found.max_by_key(|path| path.len()).unwrap_or("other");
    let version = if is_v2 { "v2 " } else { "" };
    let update = if method != "GET" && found.starts_with("settings/client") {
        "update "
    } else {
        ""
    };
    format!("{update}{version}{found}")
}

/// Returns whether this is the text of an answer without records.
fn is_none_found(text: &str) -> bool {
    text.starts_with("No ") && text.ends_with(" found")
}

#[test]
#[ignore = "tests/run searches"]
fn interesting_answers_are_frequent() {
    let mut total = Share::default();
    let mut shares: BTreeMap<String, Share> = BTreeMap::new();
    let (mut batches, mut applied) = (0, 0);
    let (mut requests, mut of_v2) = (0, 0);
    for step in LIVES.iter().flat_map(|life| &life.steps) {
        match step {
            (Action::Request { method, target, .. }, Outcome::Answered(answer)) => {
                requests += 1;
                of_v2 += usize::from(target.starts_with("/api/v2"));
                // Refused cursors are counted by the tests of walks.
                if target.contains("cursor>") {
                    continue;
                }
                let body = body(answer);
                let text = description(&body).unwrap_or_default();
                let reached = matches!(answer.status, 200 | 204)
                    || is_none_found(text)
                    || text.starts_with("Integration already");
                let found = reached && !is_none_found(text) && data_len(&body) != Some(0);
                let name = endpoint(method, target);
                for share in [&mut total, shares.entry(name).or_default()] {
                    share.asked += 1;
                    share.reached += usize::from(reached);
                    share.found += usize::from(found);
                }
            }
            (Action::Apply(_), outcome) => {
                batches += 1;
                applied += usize::from(matches!(outcome, Outcome::Committed(_)));
            }
            _ => {}
        }
    }
    assert!(total.is_at_least(60, 60), "{total:?}");
    for (endpoint, share) in &shares {
        let (reached, found) = if endpoint.contains("v2") {
            (45, 40)
        } else {
            (50, 50)
        };
        // Few requests have a path outside the API.
        assert!(
            endpoint.ends_with("other") || share.asked < 20 || share.is_at_least(reached, found),
            "{endpoint}: {share:?}"
        );
    }
    assert!(shares.len() >= 21, "{shares:#?}");
    assert!(
        (40..=55).contains(&(of_v2 * 100 / requests)),
        "{of_v2} of {requests} requests are of v2"
    );
    assert!(
        applied * 100 >= batches * 75 && applied * 100 <= batches * 97,
        "{applied} of {batches} datasets applied"
    );
}
