//! Bytes that claim to be the answer to a question of a sync.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    rollbook::fuzzing::answer(bytes);
});
