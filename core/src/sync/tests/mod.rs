//! Tests with random splits of answers, and the fuzz target.

#[cfg(fuzzing)]
pub(crate) mod fuzzed;
#[cfg(test)]
pub(crate) mod splits;
