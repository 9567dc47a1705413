//! Continues a walk from bytes that are used as a cursor.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rollbook_tests::fuzz::cursor(bytes));
