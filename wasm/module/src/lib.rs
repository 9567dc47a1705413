//! The module: `rollbook-wasm`, linked, and nothing beside it.
//!
//! What is linked is optimised once more as a whole, at the level of the crate that it
//! is linked for. Only at the highest does what is marked as hot become fast; what is
//! compiled for size stays small at any, and what `rollbook-wasm` has is such.

use rollbook_wasm as _;
