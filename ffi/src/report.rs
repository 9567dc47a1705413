//! The results of changes, of checks and of the inspection of a store.

use rollbook::{Counts, Fault, Verification};
use std::collections::HashMap;

/// The number of records that a change added, changed, removed and left unchanged.
#[uniffi::remote(Record)]
pub struct Counts {
    /// Records that did not exist before.
    pub added: u64,
    /// Records that differ from before.
    pub changed: u64,
    /// Records that were removed.
    pub removed: u64,
    /// Records of the dataset that were already stored with the same values.
    pub unchanged: u64,
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Summary {
    /// The number of lines that were read, including blank ones.
    pub lines: u64,
    /// The number of bytes that were read.
    pub bytes: u64,
    /// The counts of all kinds together.
    pub total: Counts,
    /// The counts of each kind that the change had records of, by the name in their `type`.
    pub kinds: HashMap<String, Counts>,
}

impl From<rollbook::Summary> for Summary {
    fn from(summary: rollbook::Summary) -> Summary {
        let kinds = summary.kinds();
        Summary {
            lines: summary.lines,
            bytes: summary.bytes,
            total: summary.total(),
            kinds: kinds
                .map(|(kind, counts)| (kind.to_owned(), counts))
                .collect(),
        }
    }
}

/// An error in a line of a dataset.
#[uniffi::remote(Record)]
pub struct Fault {
    /// The number of the line, starting with 1.
    pub line: u64,
    /// The type, the field, and the error.
    pub what: String,
}

/// The result of a check of the whole store.
#[uniffi::remote(Record)]
pub struct Verification {
    /// The number of records that were checked.
    pub records: u64,
    /// The first hundred problems that were found. It is empty if the store is sound.
    pub problems: Vec<String>,
}

/// The size of a store, and the number of its records.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Stats {
    /// The size of the store on disk or in memory, in bytes.
    pub bytes: u64,
    /// The number of records of each kind, by the name in their `type`.
    pub records: HashMap<String, u64>,
}

impl From<rollbook::Stats> for Stats {
    fn from(stats: rollbook::Stats) -> Stats {
        let records = stats.records.into_iter();
        Stats {
            bytes: stats.bytes,
            records: records
                .map(|(kind, count)| (kind.to_owned(), count))
                .collect(),
        }
    }
}
