//! Writes the Kotlin, Swift and Python sources for a built `rollbook-ffi`:
//! `uniffi-bindgen generate --language kotlin --out-dir FOLDER LIBRARY`.

fn main() {
    uniffi::uniffi_bindgen_main();
}
