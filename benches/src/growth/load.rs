//! Measures loading a dataset into an empty store, and into the store that results.

use super::Task;
use crate::process;
use crate::spread::timed;
use anyhow::Result;
use serde::{Deserialize, Serialize};

/// A load into an empty store.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Loaded {
    /// The time in seconds, including a compaction at the end of the load, if there is one.
    pub seconds: f64,
    /// The number of records.
    pub records: u64,
    /// The maximum memory in addition to that of the process before it opened the store, if it
    /// could be measured.
    pub peak: Option<u64>,
    /// The size of the store in bytes after the load.
    pub store: u64,
    /// The size of the store in bytes after a compaction.
    pub compacted: u64,
}

/// A load that changes nothing.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Again {
    /// The time in seconds.
    pub seconds: f64,
    /// The number of records that were unchanged.
    pub unchanged: u64,
    /// The number of other records.
    pub others: u64,
}

pub(super) fn load(task: &Task) -> Result<Loaded> {
    let source = task.source()?;
    process::restart_peak();
    let start = process::resident();
    let engine = task.engine()?;
    let (summary, took) = timed(|| engine.apply(source));
    let records = summary?.total().added;
    let peak = process::peak().zip(start);
    let store = task.store_bytes()?;
    engine.compact()?;
    engine.close()?;
    Ok(Loaded {
        seconds: took.as_secs_f64(),
        records,
        peak: peak.map(|(peak, start)| peak.saturating_sub(start)),
        store,
        compacted: task.store_bytes()?,
    })
}

pub(super) fn again(task: &Task) -> Result<Again> {
    let source = task.source()?;
    let engine = task.engine()?;
    let (summary, took) = timed(|| engine.apply(source));
    let total = summary?.total();
    engine.close()?;
    Ok(Again {
        seconds: took.as_secs_f64(),
        unchanged: total.unchanged,
        others: total.added + total.changed + total.removed,
    })
}
