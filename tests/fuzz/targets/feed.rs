//! Bytes that claim to be a feed, or the position of one.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    rollbook_tests::fuzz::feed(bytes);
});
