//! Query parameters (`decisions.md`, "Requests"): their values, and what is wrong with them.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::dates::parse_date;
use super::integers::digits;
use super::target::query_pairs;

/// What is wrong with one parameter, or with several together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) names: Vec<&'static str>,
    pub(crate) message: String,
}

/// A fault of these parameters.
pub(crate) fn fault(names: &[&'static str], message: &str) -> Fault {
    Fault {
        names: names.to_vec(),
        message: message.to_owned(),
    }
}

/// The parameters of a request, of a repeated one the last; the faults of those that were read, in the order
/// of reading. What a faulty parameter is read as does not matter.
#[derive(Debug)]
pub(crate) struct Params {
    values: BTreeMap<String, String>,
    pub(crate) faults: Vec<Fault>,
}

impl Params {
    /// The parameters of a query string.
    pub(crate) fn parse(query: &str) -> Self {
        Self {
            values: query_pairs(query).into_iter().collect(),
            faults: Vec::new(),
        }
    }

    /// A value; an empty one counts as absent.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let value = self.values.get(name)?;
        (!value.is_empty()).then(|| value.clone())
    }

    /// Notes a rule that is broken, unless one of its parameters is at fault already.
    pub(crate) fn note_rule(&mut self, rule: Fault) {
        let known: Vec<_> = self.faults.iter().flat_map(|fault| &fault.names).collect();
        if !rule.names.iter().any(|name| known.contains(&name)) {
            self.faults.push(rule);
        }
    }

    /// Notes a fault of one parameter.
    pub(crate) fn refuse(&mut self, name: &'static str, message: &str) {
        self.faults.push(fault(&[name], message));
    }

    /// A value that is read by `read`.
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

    /// An unsigned integer.
    pub(crate) fn integer(&mut self, name: &'static str) -> Option<u64> {
        self.read(name, "an unsigned integer", digits)
    }

    /// A date.
    pub(crate) fn date(&mut self, name: &'static str) -> Option<Date> {
        self.read(name, "a date (YYYY-MM-DD)", parse_date)
    }

    /// An unsigned integer above 0.
    pub(crate) fn positive(&mut self, name: &'static str) -> Option<u64> {
        self.read(name, "an unsigned integer above 0", |value| {
            digits(value).filter(|number| *number > 0)
        })
    }

    /// `1`/`true` or `0`/`false` in any case; absent is false.
    pub(crate) fn switch(&mut self, name: &'static str) -> bool {
        let switch = |value: &str| match value.to_ascii_lowercase().as_str() {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        };
        self.read(name, "1, true, 0 or false", switch)
            .unwrap_or(false)
    }

    /// Supplied with any value or none, but for `0`, `false` and `no` in any case.
    pub(crate) fn included(&self, name: &str) -> bool {
        let value = self
            .values
            .get(name)
            .map(|value| value.to_ascii_lowercase());
        value.is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no"))
    }

    /// A single grade id or a comma-separated list; spaces at either end of an item are allowed.
    pub(crate) fn grades(&mut self) -> Option<Vec<u64>> {
        let what = "an unsigned integer or a comma-separated list of them";
        self.read("grade_id", what, |list| {
            list.split(',')
                .map(|item| digits(item.trim_matches(' ')))
                .collect()
        })
    }
}
