//! Checks and loads bytes as a dataset.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rollbook_tests::fuzz::lines(bytes));
