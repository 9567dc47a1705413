//! Bytes that claim to be the target of a request.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    rollbook_tests::fuzz::target(bytes);
});
