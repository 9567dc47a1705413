//! What changes and care come to, as JSON.

use rollbook::{Counts, Fault, Stats, Summary, Upgrade, Verification};
use serde_json::{Map, Value, json};

fn counts(counts: Counts) -> Value {
    let Counts {
        added,
        changed,
        removed,
        unchanged,
    } = counts;
    json!({"added": added, "changed": changed, "removed": removed, "unchanged": unchanged})
}

pub(crate) fn summary(summary: &Summary) -> String {
    let kinds = summary.kinds();
    let kinds: Map<_, _> = kinds
        .map(|(kind, of)| (kind.to_owned(), counts(of)))
        .collect();
    json!({
        "lines": summary.lines,
        "bytes": summary.bytes,
        "total": counts(summary.total()),
        "kinds": kinds,
    })
    .to_string()
}

pub(crate) fn faults(faults: Vec<Fault>) -> String {
    let faults = faults.into_iter();
    let faults = faults.map(|Fault { line, what }| json!({"line": line, "what": what}));
    faults.collect::<Value>().to_string()
}

pub(crate) fn verification(found: &Verification) -> String {
    json!({"records": found.records, "problems": found.problems}).to_string()
}

pub(crate) fn stats(stats: Stats) -> String {
    let records = stats.records.into_iter();
    let records: Map<_, _> = records
        .map(|(kind, count)| (kind.to_owned(), count.into()))
        .collect();
    json!({"bytes": stats.bytes, "records": records}).to_string()
}

pub(crate) fn upgrade(upgrade: &Upgrade) -> String {
    let headers: Vec<_> = upgrade
        .headers()
        .map(|(name, value)| json!([name, value]))
        .collect();
    json!({"target": upgrade.target, "headers": headers}).to_string()
}
