//! The word lists from which records are made, read from `tables.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

type Tables = HashMap<&'static str, Vec<&'static str>>;

static TABLES: LazyLock<Tables> = LazyLock::new(|| parse(include_str!("tables.txt")));

/// Returns the entries of a table, in the order of the file.
pub(crate) fn table(name: &str) -> &'static [&'static str] {
    match TABLES.get(name) {
        Some(entries) => entries,
        None => panic!("tables.txt has no table [{name}]"),
    }
}

/// Returns the parts of an entry that consists of several, such as `Nurse | Health`.
pub(crate) fn parts<const N: usize>(entry: &'static str) -> [&'static str; N] {
    let parts: Vec<_> = entry.split('|').map(str::trim).collect();
    parts
        .try_into()
        .unwrap_or_else(|_| panic!("tables.txt: {entry:?} has not {N} parts"))
}

/// Parses the tables. A `[name]` line begins a table; commas and line ends separate its entries.
fn parse(text: &'static str) -> Tables {
    let mut tables = Tables::new();
    let mut name = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix('[') {
            name = header.trim_end_matches(']');
            let known = tables.insert(name, Vec::new());
            assert!(known.is_none(), "tables.txt has [{name}] twice");
        } else {
            let entries = line.split(',').map(str::trim).filter(|e| !e.is_empty());
            tables.entry(name).or_default().extend(entries);
        }
    }
    tables
}
