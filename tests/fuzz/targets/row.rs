//! Decodes bytes as a row of a store.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    rollbook::fuzzing::row(bytes);
});
