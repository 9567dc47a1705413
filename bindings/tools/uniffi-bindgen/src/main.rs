//! Generates the Kotlin, Swift and Python sources for a library `rollbook-ffi` that is already built:
//! `uniffi-bindgen generate --language kotlin --out-dir FOLDER LIBRARY`.

fn main() {
    uniffi::uniffi_bindgen_main();
}
