//! Answers a request whose target consists of bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    rollbook_tests::fuzz::target(bytes);
});
