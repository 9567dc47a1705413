//! Writes the datasets and requests of the corpus as seeds for the fuzzer:
//! `seeds FOLDER` fills `FOLDER/dataset` and `FOLDER/request`.
#![allow(clippy::unwrap_used)]

use rollbook_tests::corpus::{self, Step};
use std::fs;
use std::path::PathBuf;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap());
    for target in ["dataset", "request"] {
        fs::create_dir_all(folder.join(target)).unwrap();
    }
    let steps = corpus::cases().into_iter().flat_map(|case| case.steps);
    for (number, step) in steps.enumerate() {
        let (target, bytes) = match step {
            // Passwords would be hashed anew each time.
            Step::Apply(dataset, _) if !dataset.contains("password") => ("dataset", dataset),
            Step::Request(_, request) => {
                let request = format!(
                    "{}\n{}\ndemo\ndemo\n{}",
                    request.method, request.target, request.body
                );
                ("request", request)
            }
            _ => continue,
        };
        fs::write(folder.join(target).join(number.to_string()), bytes).unwrap();
    }
}
