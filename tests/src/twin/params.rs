//! Query parameters (`decisions.md`, "Requests"): their values and their faults.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::dates::parse_date;
use super::integers::digits;
use super::target::query_pairs;

/// A fault of one parameter, or of several in combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) names: Vec<&'static str>,
    pub(crate) message: String,
}

/// Returns a fault of these parameters.
pub(crate) fn fault(names: &[&'static str], message: &str) -> Fault {
    Fault {
        names: names.to_vec(),
        message: message.to_owned(),
    }
}

/// The parameters of a request, with the last value of a repeated one, and the faults of those that
/// were read, in the order of reading. The value of a faulty parameter does not matter.
#[derive(Debug)]
pub(crate) struct Params {
    values: BTreeMap<String, String>,
    pub(crate) faults: Vec<Fault>,
}

impl Params {
    /// Parses a query string.
    pub(crate) fn parse(query: &str) -> Self {
        Self {
            values: query_pairs(query).into_iter().collect(),
            faults: Vec::new(),
        }
    }

    /// Returns a value. An empty one counts as absent.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let value = self.values.get(name)?;
        (!value.is_empty()).then(|| value.clone())
    }

    /// Adds the fault of a rule, unless one of its parameters already has a fault.
    pub(crate) fn note_rule(&mut self, rule: Fault) {
        let known: Vec<_> = self.faults.iter().flat_map(|fault| &fault.names).collect();
        if !rule.names.iter().any(|name| known.contains(&name)) {
            self.faults.push(rule);
        }
    }

    /// Adds a fault of one parameter.
    pub(crate) fn refuse(&mut self, name: &'static str, message: &str) {
        self.faults.push(fault(&[name], message));
    }

    /// Returns a value that `read` parses. `what` describes a valid value.
    fn read<T>(
        &mut self,
        name: &'static str,
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.text(name)?;
        let found = read(&value);
        if found.is_none() {
            self.refuse(name, &format!("{name} must be {what}"));
        }
        found
    }

    /// Returns an unsigned integer.
    pub(crate) fn integer(&mut self, name: &'static str) -> Option<u64> {
        self.read(name, "an unsigned integer", digits)
    }

    /// Returns a date.
    pub(crate) fn date(&mut self, name: &'static str) -> Option<Date> {
        self.read(name, "a date (YYYY-MM-DD)", parse_date)
    }

    /// Returns an unsigned integer above 0.
    pub(crate) fn positive(&mut self, name: &'static str) -> Option<u64> {
        self.read(name, "an unsigned integer above 0", |value| {
            digits(value).filter(|number| *number > 0)
        })
    }

    /// Returns a switch: `1`/`true` or `0`/`false` in any case. The default is false.
    pub(crate) fn switch(&mut self, name: &'static str) -> bool {
        let switch = |value: &str| match value.to_ascii_lowercase().as_str() {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        };
        self.read(name, "1, true, 0 or false", switch)
            .unwrap_or(false)
    }

    /// Returns whether a parameter is present, with any value except `0`, `false` and `no` in any
    /// case.
    pub(crate) fn included(&self, name: &str) -> bool {
        let value = self
            .values
            .get(name)
            .map(|value| value.to_ascii_lowercase());
        value.is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no"))
    }

    /// Returns a single grade id or a comma-separated list. Spaces at either end of an item are
    /// allowed.
    pub(crate) fn grades(&mut self) -> Option<Vec<u64>> {
        let what = "an unsigned integer or a comma-separated list of them";
        self.read("grade_id", what, |list| {
            list.split(',')
                .map(|item| digits(item.trim_matches(' ')))
                .collect()
        })
    }
}
