//! What the platform offers.

/// Whether callers can wait for other threads. WebAssembly has only one thread.
pub(crate) const HAS_THREADS: bool = cfg!(not(target_family = "wasm"));

/// Whether the system has files and a clock. A WebAssembly module without WASI has neither: its
/// host provides what it needs.
pub(crate) const HAS_SYSTEM: bool = cfg!(not(all(target_family = "wasm", target_os = "unknown")));
