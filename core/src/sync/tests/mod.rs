//! Tests with random splits of answers, and the fuzz target.

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz_target;
#[cfg(test)]
pub(crate) mod splits;
