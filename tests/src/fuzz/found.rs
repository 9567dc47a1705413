//! Inputs that the fuzzers have found: the smallest ones that reach each part of the code, and each
//! one that found a fault.
//!
//! `tests/fuzz/corpus` has one file for each fuzzer. Each line is an input, as a JSON string with
//! one character for each byte. This prints the line of an input:
//! `python3 -c 'import json, sys; print(json.dumps(open(sys.argv[1], "rb").read().decode("latin-1")))' FILE`

use std::fs;
use std::path::Path;

/// Returns the inputs of a fuzzer.
pub fn inputs(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let lines = fs::read_to_string(folder.join(format!("{target}.ndjson"))).unwrap();
    let inputs = lines.lines().map(|line| {
        let input: String = serde_json::from_str(line).unwrap();
        input
            .chars()
            .map(|byte| u8::try_from(byte).unwrap())
            .collect()
    });
    inputs.collect()
}
