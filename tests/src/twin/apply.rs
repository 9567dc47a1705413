//! Applies and checks a dataset (`dataset.md`): one transaction, applied completely or not at all.

use std::collections::BTreeMap;

use super::Twin;
use super::kinds::Kind;
use super::line::{Line, read_line};
use super::needs::missing_schools;
use super::records::{Key, Store};
use super::summary::{Summary, summary};
use crate::login;

/// The lines of a dataset that are neither blank nor faulty, with their numbers, and the faults of
/// the others.
type Lines = (Vec<(usize, Line)>, Vec<String>);

impl Twin {
    /// Applies a dataset. The error is the first fault; nothing is stored then.
    pub fn apply(&mut self, lines: &[String]) -> Result<Summary, String> {
        let (lines, faults) = read_lines(lines, None);
        self.commit(lines, faults, self.store.clone())
    }

    /// Returns the faults of a dataset in the order of its lines, at most `limit`: those of single
    /// lines or, if there are none, those of missing schools. Nothing is stored.
    pub fn check(&self, lines: &[String], limit: usize) -> Vec<String> {
        let (lines, mut faults) = read_lines(lines, None);
        if faults.is_empty() {
            let (store, last) = self.outcome(lines, self.store.clone());
            faults = school_faults(&store, &last);
        }
        faults.truncate(limit);
        faults
    }

    /// Applies the lines to `base`, and stores the result if there is no fault.
    pub(crate) fn commit(
        &mut self,
        lines: Vec<(usize, Line)>,
        faults: Vec<String>,
        base: Store,
    ) -> Result<Summary, String> {
        if let Some(fault) = faults.into_iter().next() {
            return Err(fault);
        }
        let (store, last) = self.outcome(lines, base);
        if let Some(fault) = school_faults(&store, &last).into_iter().next() {
            return Err(fault);
        }
        let named = last.into_keys().collect();
        let summary = summary(&self.store, &store, &named);
        self.store = store;
        Ok(summary)
    }

    /// Returns the store after the lines, applied in order, and the last line of each key. A
    /// `client_integration` without `state` gets the state of the previous line with the same key,
    /// else that of the store, else 0. After a removal the state is 0. A password from which the
    /// stored hash was made leaves the integrator unchanged.
    fn outcome(
        &self,
        lines: Vec<(usize, Line)>,
        mut store: Store,
    ) -> (Store, BTreeMap<Key, usize>) {
        let mut last = BTreeMap::new();
        for (number, Line { key, record }) in lines {
            let before = if last.contains_key(&key) {
                store.records.get(&key)
            } else {
                self.store.records.get(&key)
            };
            let state =
                before.map_or_else(|| "0".to_owned(), |record| record.text("state").to_owned());
            match record {
                Some(mut record) => {
                    if key.kind == Kind::ClientIntegration {
                        record.fields.entry("state").or_insert(state);
                    }
                    let stored = self.store.records.get(&key);
                    let password = record.fields.get("password");
                    let hash = stored.and_then(|stored| stored.fields.get("password_hash"));
                    if let (Some(stored), Some(password), Some(hash)) = (stored, password, hash)
                        && login::matches(password.as_bytes(), hash)
                    {
                        record = stored.clone();
                    }
                    store.records.insert(key.clone(), record);
                }
                None => {
                    store.records.remove(&key);
                }
            }
            last.insert(key, number);
        }
        (store, last)
    }
}

/// Reads every line. If `school` is given, a record of another school is a fault.
pub(crate) fn read_lines(lines: &[String], school: Option<u64>) -> Lines {
    let mut good = Vec::new();
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(lines) {
        // A dataset may begin with a byte order mark.
        let unmarked = line.strip_prefix('\u{feff}').filter(|_| number == 1);
        let read = read_line(unmarked.unwrap_or(line)).and_then(|line| match (line, school) {
            (Some(line), Some(school)) => of_that_school(line, school).map(Some),
            (line, _) => Ok(line),
        });
        match read {
            Ok(Some(line)) => good.push((number, line)),
            Ok(None) => {}
            Err(fault) => faults.push(format!("line {number}: {fault}")),
        }
    }
    (good, faults)
}

fn of_that_school(line: Line, school: u64) -> Result<Line, String> {
    match line.school() {
        Some(id) if id != school => {
            let kind = line.key.kind.name();
            Err(format!(
                "{kind}: school_id: {id} is not the school to replace ({school})"
            ))
        }
        _ => Ok(line),
    }
}

fn school_faults(store: &Store, last: &BTreeMap<Key, usize>) -> Vec<String> {
    missing_schools(store, last)
        .into_iter()
        .map(|(line, fault)| format!("line {line}: {fault}"))
        .collect()
}

/// Returns a fault without the detail whose wording differs between implementations.
pub fn comparable(fault: &str) -> &str {
    ["is not a JSON object", "is not an Argon2id hash"]
        .into_iter()
        .find_map(|words| fault.find(words).map(|start| &fault[..start + words.len()]))
        .unwrap_or(fault)
}

/// Returns a text that identifies the key of a line without faults.
pub fn line_key(line: &str) -> Option<String> {
    let line = read_line(line).ok()??;
    Some(format!("{:?}", line.key))
}
