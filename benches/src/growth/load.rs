//! A dataset loaded into an empty store, and into the store that it made.

use super::Task;
use crate::process;
use crate::spread::timed;
use anyhow::Result;
use serde::{Deserialize, Serialize};

/// A load into an empty store.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Loaded {
    /// How long it took, in seconds, the compaction included that a load may
    /// end with.
    pub seconds: f64,
    /// How many records there were.
    pub records: u64,
    /// The most memory beyond what the process had before it opened the store,
    /// if it could be measured.
    pub peak: Option<u64>,
    /// The bytes of the store after the load.
    pub store: u64,
    /// How long it took to compact it, in seconds.
    pub compact_seconds: f64,
    /// The most memory during that, measured alike.
    pub compact_peak: Option<u64>,
    /// The bytes of the store after that.
    pub compacted: u64,
}

/// A load that changes nothing.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Again {
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How many records were found as they are.
    pub unchanged: u64,
    /// How many others there were.
    pub others: u64,
    /// The bytes that were handed to the system to be written, if they could be
    /// counted: what does not fit into memory waits in the store's file, and is
    /// never committed.
    pub written: Option<u64>,
    /// The bytes of the store before and after.
    pub store: [u64; 2],
    /// The most memory beyond what the process had before it opened the store,
    /// if it could be measured.
    pub peak: Option<u64>,
}

pub(super) fn load(task: &Task) -> Result<Loaded> {
    let source = task.source()?;
    let start = Start::now();
    let engine = task.engine()?;
    let (summary, took) = timed(|| engine.apply(source));
    let summary = summary?;
    let peak = start.peak();
    let store = task.store_bytes()?;
    process::restart_peak();
    let (compacted, compaction) = timed(|| engine.compact());
    compacted?;
    let compact_peak = start.peak();
    engine.close()?;
    Ok(Loaded {
        seconds: took.as_secs_f64(),
        records: summary.total().added,
        peak,
        store,
        compact_seconds: compaction.as_secs_f64(),
        compact_peak,
        compacted: task.store_bytes()?,
    })
}

pub(super) fn again(task: &Task) -> Result<Again> {
    let source = task.source()?;
    let before = task.store_bytes()?;
    let start = Start::now();
    let engine = task.engine()?;
    let written = process::written();
    let (summary, took) = timed(|| engine.apply(source));
    let total = summary?.total();
    let written = process::written()
        .zip(written)
        .map(|(after, before)| after - before);
    let peak = start.peak();
    engine.close()?;
    Ok(Again {
        seconds: took.as_secs_f64(),
        unchanged: total.unchanged,
        others: total.added + total.changed + total.removed,
        written,
        store: [before, task.store_bytes()?],
        peak,
    })
}

/// The memory before the engine.
struct Start(Option<u64>);

impl Start {
    fn now() -> Start {
        process::restart_peak();
        Start(process::memory().map(|memory| memory.resident))
    }

    fn peak(&self) -> Option<u64> {
        let peak = process::peak()?;
        Some(peak.saturating_sub(self.0?))
    }
}
