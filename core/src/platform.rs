//! What the platform offers.

/// Whether the system has threads that can wait, files and a clock. A WebAssembly module without
/// WASI has none of them: its host provides what it needs.
pub(crate) const HAS_SYSTEM: bool = cfg!(not(all(target_family = "wasm", target_os = "unknown")));
