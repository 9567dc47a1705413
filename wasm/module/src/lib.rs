//! The WebAssembly module, which links `rollbook-wasm` and contains nothing else.
//!
//! The linked code is optimised once more as a whole, at the optimisation level of this crate. Hot
//! paths become fast only at the highest level. Functions that were compiled for size, such as
//! those of `rollbook-wasm`, remain small at any level.

use rollbook_wasm as _;
