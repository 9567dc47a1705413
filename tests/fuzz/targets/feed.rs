//! Applies bytes as a feed, or requests a feed with bytes as its position.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    rollbook_tests::fuzz::feed(bytes);
});
