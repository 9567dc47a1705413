//! The corpus as seeds of the fuzzers.

use crate::corpus::{Case, Cursors, Request, Step, cases};
use crate::storage::small;
use crate::storage::tables::{self, BLOCK_INDEXES, BLOCKS, META};
use rollbook::{Engine, Options};

/// Returns the datasets that contain no passwords in clear, because hashing them takes too long.
pub fn datasets() -> Vec<String> {
    let steps = cases().into_iter().flat_map(|case| case.steps);
    let datasets = steps.filter_map(|step| match step {
        Step::Apply(dataset, _) if !dataset.contains("\"password\"") => Some(dataset),
        _ => None,
    });
    datasets.collect()
}

/// Returns the requests in the form that [`request()`](super::request()) splits, with cursors that
/// the engine returned.
pub fn requests() -> Vec<String> {
    let cases = cases();
    let requests = cases.iter().flat_map(|case| {
        let plain = case.steps.iter().filter_map(|step| match step {
            Step::Request(_, request) => Some(seed(request, &request.target)),
            _ => None,
        });
        if names_a_cursor(case) {
            walked(case)
        } else {
            plain.collect()
        }
    });
    requests.collect()
}

/// Returns the targets of the requests.
pub fn targets() -> Vec<String> {
    let requests = requests();
    let targets = requests.iter().filter_map(|seed| seed.split('\n').nth(1));
    targets.map(str::to_owned).collect()
}

fn names_a_cursor(case: &Case) -> bool {
    let mut steps = case.steps.iter();
    steps.any(|step| matches!(step, Step::Request(_, request) if request.target.contains('<')))
}

/// Returns the requests of a case up to the first answer that is not the expected one.
fn walked(case: &Case) -> Vec<String> {
    let engine = Engine::memory(Options::default()).unwrap();
    let mut cursors = Cursors::default();
    let mut seeds = Vec::new();
    for step in &case.steps {
        match step {
            // Other tests check the outcome of the changes.
            Step::Apply(dataset, _) => drop(engine.apply(dataset.as_bytes())),
            Step::ReplaceSchool(school, dataset, _) => {
                drop(engine.replace_school(*school, dataset.as_bytes()));
            }
            Step::RemoveSchool(school, _) => drop(engine.remove_school(*school)),
            Step::EraseLearner(school, learner, _) => {
                drop(engine.erase_learner(*school, *learner));
            }
            Step::Check(..) | Step::Export(_) => {}
            Step::Request(now, request) => {
                let target = cursors.target(request);
                let headers = request.headers.iter();
                let headers: Vec<_> = headers
                    .map(|(name, value)| (name.as_str(), value.as_str()))
                    .collect();
                let answer = engine.request(&rollbook::Request {
                    method: &request.method,
                    target: &target,
                    headers: &headers,
                    body: request.body.as_bytes(),
                    now: Some(*now),
                });
                seeds.push(seed(request, &target));
                if !cursors.fits(answer.text(), &request.answer) {
                    break;
                }
            }
        }
    }
    seeds
}

fn seed(request: &Request, target: &str) -> String {
    let school = request
        .headers
        .iter()
        .find(|(name, _)| name == "HTTP-X-SCHOOLID");
    let school = school.map_or("", |(_, value)| value);
    let (method, body) = (&request.method, &request.body);
    format!("{method}\n{target}\ndemo\ndemo\n{school}\n{body}")
}

/// Returns the rows of a store, each after a byte with the index of its collection.
pub fn rows() -> Vec<Vec<u8>> {
    let store = small::store();
    let of = |table| tables::rows(store.clone(), table).into_iter();
    // The key of a partition consists of its school, the number of its collection, and two more
    // numbers.
    let runs = of(BLOCKS).map(|(key, row)| [&[key[8] - 1], row.as_slice()].concat());
    let others = of(BLOCK_INDEXES).chain(of(META));
    let others = others.map(|(_, row)| [&[0xff], row.as_slice()].concat());
    runs.chain(others).collect()
}
