//! Damages a row of a store as bytes describe, and asks questions.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    rollbook_tests::fuzz::rows(bytes);
});
