//! Compares a mirror with its source by requests that the sync did not make.

use super::folder::get;
use crate::http::server::Server;
use crate::sync::coverage_model::{Asked, Seen};
use rollbook_tests::corpus::{self, Step};
use rollbook_tests::search::first_seed;
use rollbook_tests::storage::requests::targets_of;
use rollbook_tests::world::{Action, ENDPOINTS, Endpoint, World, blanked};
use std::collections::BTreeSet;

/// Returns targets of both versions: examples of each endpoint, and the requests of the corpus and
/// of random worlds without cursors, which are valid only in the store that made them.
fn targets(learners: &[u64]) -> BTreeSet<String> {
    let examples = learners
        .iter()
        .flat_map(|learner| targets_of(1000, *learner));
    let mut targets: BTreeSet<String> = examples.collect();
    targets.extend(ENDPOINTS.iter().flat_map(Endpoint::v2_examples));
    let mut ask = |method: &str, target: String| {
        let path = target.split('?').next().unwrap();
        let is_ours = path.starts_with("/api/v2/") || path.ends_with("/1000");
        if method == "GET" && is_ours && !target.contains("cursor") {
            targets.insert(target);
        }
    };
    for case in corpus::cases() {
        for step in &case.steps {
            if let Step::Request(_, request) = step {
                ask(&request.method, request.target.clone());
            }
        }
    }
    let first = first_seed();
    for seed in first..first + 8 {
        for action in World::new(seed).actions(120) {
            if let Action::Request { method, target, .. } = action {
                ask(&method, target);
            }
        }
    }
    targets
}

/// Sends the same requests to a mirror and its source. The mirror must return the same bytes, or
/// refuse requests outside the coverage `seen`.
pub(super) fn compare(mirror: &mut Server, source: &mut Server, seen: &Seen, learners: &[u64]) {
    let (mut found, mut unseen, mut asked) = (0, 0, 0);
    for target in targets(learners) {
        let answer = get(mirror, &target);
        asked += 1;
        if answer.status == 503 {
            assert!(answer.body.contains("not synced yet: "), "{target}");
            let question = Asked::parse(&target, 1000);
            assert!(seen.predicts_refusal(&question), "{target}: {question:?}");
            unseen += 1;
            continue;
        }
        let expected = get(source, &target);
        let [of_mirror, of_source] =
            [&answer, &expected].map(|reply| (reply.status, blanked(&reply.body)));
        assert_eq!(of_mirror, of_source, "{target}");
        found += u32::from(answer.status == 200);
    }
    println!("{asked} requests, {found} found something, {unseen} not synced");
    assert!(
        asked > 1_000 && found > 300 && unseen * 4 < asked,
        "{asked} {found} {unseen}"
    );
}
