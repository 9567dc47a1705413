//! Bytes that say how a row of a store is damaged.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    rollbook_tests::fuzz::rows(bytes);
});
