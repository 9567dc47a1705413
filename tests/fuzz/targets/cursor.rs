//! Bytes that claim to be the place where a walk goes on.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rollbook_tests::fuzz::cursor(bytes));
