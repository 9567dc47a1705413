//! What changes and care come to.

use rollbook::{Counts, Fault, Verification};
use std::collections::HashMap;

/// How many records a dataset added, changed, removed and left as they were.
#[uniffi::remote(Record)]
pub struct Counts {
    /// Records that were not there before.
    pub added: u64,
    /// Records that are other than before.
    pub changed: u64,
    /// Records that are gone.
    pub removed: u64,
    /// Records that the dataset gave as they were.
    pub unchanged: u64,
}

/// What a change came to.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Summary {
    /// How many lines were read, blank ones included.
    pub lines: u64,
    /// How many bytes were read.
    pub bytes: u64,
    /// All kinds together.
    pub total: Counts,
    /// Each kind that the change had records of, by the name that their `type`
    /// bears.
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

/// What is wrong with a line of a dataset.
#[uniffi::remote(Record)]
pub struct Fault {
    /// The line, counted from 1.
    pub line: u64,
    /// Type, field and what was wrong with it.
    pub what: String,
}

/// What a look through the whole store found.
#[uniffi::remote(Record)]
pub struct Verification {
    /// How many records were looked at.
    pub records: u64,
    /// What does not agree, the first hundred findings; none if all is well.
    pub problems: Vec<String>,
}

/// How much the store holds.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Stats {
    /// How many bytes the store takes on disk, or in memory.
    pub bytes: u64,
    /// How many records of each kind there are, by the name that their `type`
    /// bears.
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
