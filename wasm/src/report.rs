//! The results of changes, of checks and of the inspection of a store, as JSON.

use rollbook::{Counts, Fault, Stats, Summary, Upgrade, Verification};

pub(crate) fn text(text: &str) -> String {
    // Writing a text as JSON never fails.
    serde_json::to_string(text).unwrap_or_default()
}

pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn by_kind(kinds: impl Iterator<Item = (&'static str, String)>) -> String {
    let kinds = kinds.map(|(kind, of)| format!("\"{kind}\":{of}"));
    format!("{{{}}}", kinds.collect::<Vec<_>>().join(","))
}

fn counts(counts: Counts) -> String {
    let Counts {
        added,
        changed,
        removed,
        unchanged,
    } = counts;
    format!(
        r#"{{"added":{added},"changed":{changed},"removed":{removed},"unchanged":{unchanged}}}"#
    )
}

pub(crate) fn summary(summary: &Summary) -> String {
    let kinds = by_kind(summary.kinds().map(|(kind, of)| (kind, counts(of))));
    format!(
        r#"{{"lines":{},"bytes":{},"total":{},"kinds":{kinds}}}"#,
        summary.lines,
        summary.bytes,
        counts(summary.total())
    )
}

pub(crate) fn faults(faults: Vec<Fault>) -> String {
    let faults = faults.into_iter();
    list(faults.map(|Fault { line, what }| format!(r#"{{"line":{line},"what":{}}}"#, text(&what))))
}

pub(crate) fn verification(found: &Verification) -> String {
    let problems = list(found.problems.iter().map(|problem| text(problem)));
    format!(r#"{{"records":{},"problems":{problems}}}"#, found.records)
}

pub(crate) fn stats(stats: Stats) -> String {
    let records = stats.records.into_iter();
    let records = by_kind(records.map(|(kind, count)| (kind, count.to_string())));
    format!(r#"{{"bytes":{},"records":{records}}}"#, stats.bytes)
}

pub(crate) fn upgrade(upgrade: &Upgrade) -> String {
    let headers = upgrade.headers();
    let headers = list(headers.map(|(name, value)| format!("[{},{}]", text(name), text(&value))));
    format!(
        r#"{{"target":{},"headers":{headers}}}"#,
        text(&upgrade.target)
    )
}
