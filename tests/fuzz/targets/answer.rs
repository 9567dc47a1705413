//! Decodes bytes as an answer of the service to a call of a sync.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    rollbook::fuzzing::answer(bytes);
});
