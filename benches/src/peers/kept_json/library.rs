//! The libraries that read and write JSON.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use simd_json::{Buffers, Deserializer, INPUT_PADDING, Tape};

/// Reads and writes JSON by serde.
pub trait Library {
    /// What the tables call a client with it.
    const PEER: &'static str;

    /// What it reuses from one reading to the next; what was read may borrow
    /// from it.
    type Scratch: Default;

    /// Reads a value.
    fn read<'a, T: Deserialize<'a>>(json: &'a [u8], scratch: &'a mut Self::Scratch) -> Result<T>;

    /// Writes a value after what the buffer holds.
    fn write<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()>;
}

/// `serde_json`.
pub struct SerdeJson;

impl Library for SerdeJson {
    const PEER: &'static str = "kept JSON, serde_json";

    type Scratch = ();

    fn read<'a, T: Deserialize<'a>>(json: &'a [u8], (): &'a mut ()) -> Result<T> {
        Ok(serde_json::from_slice(json)?)
    }

    fn write<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(serde_json::to_writer(out, value)?)
    }
}

/// `sonic-rs`, with the instructions that every processor of the target has.
pub struct SonicRs;

impl Library for SonicRs {
    const PEER: &'static str = "kept JSON, sonic-rs";

    type Scratch = ();

    fn read<'a, T: Deserialize<'a>>(json: &'a [u8], (): &'a mut ()) -> Result<T> {
        Ok(sonic_rs::from_slice(json)?)
    }

    fn write<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(sonic_rs::to_writer(out, value)?)
    }
}

/// `simd-json`, which reads in place: it gets a copy.
pub struct SimdJson;

/// The copy that `simd-json` changes as it reads, what it notes of it, and its
/// own buffers.
pub struct SimdScratch {
    copy: Vec<u8>,
    tape: Tape<'static>,
    buffers: Buffers,
}

impl Default for SimdScratch {
    fn default() -> SimdScratch {
        SimdScratch {
            copy: Vec::new(),
            tape: Tape(Vec::new()),
            buffers: Buffers::default(),
        }
    }
}

impl Library for SimdJson {
    const PEER: &'static str = "kept JSON, simd-json";

    type Scratch = SimdScratch;

    fn read<'a, T: Deserialize<'a>>(json: &'a [u8], scratch: &'a mut SimdScratch) -> Result<T> {
        let SimdScratch {
            copy,
            tape: kept_tape,
            buffers,
        } = scratch;
        copy.clear();
        copy.extend_from_slice(json);
        copy.resize(json.len() + INPUT_PADDING, 0);
        let mut tape = std::mem::replace(kept_tape, Tape(Vec::new())).reset();
        simd_json::fill_tape_padded(copy, json.len(), buffers, &mut tape)?;
        let mut deserializer = Deserializer::from_tape(tape);
        let value = T::deserialize(&mut deserializer)?;
        *kept_tape = deserializer.into_tape().reset();
        Ok(value)
    }

    fn write<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
        Ok(simd_json::serde::to_writer(out, value)?)
    }
}
