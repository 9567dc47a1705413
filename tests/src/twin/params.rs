//! Query parameters (`decisions.md`, "Requests").

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::answer::{TwinAnswer, bad_request};
use super::dates::parse_date;
use super::integers::digits;
use super::target::query_pairs;

/// The parameters of a request: of a repeated one the last.
#[derive(Debug)]
pub(crate) struct Params(BTreeMap<String, String>);

impl Params {
    /// The parameters of a query string.
    pub(crate) fn of(query: &str) -> Self {
        Self(query_pairs(query).into_iter().collect())
    }

    /// A value; an empty one counts as absent.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// An unsigned integer.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<u64>, TwinAnswer> {
        let fault = || bad_request(&format!("{name} must be an unsigned integer"));
        self.text(name)
            .map(|value| digits(value).ok_or_else(fault))
            .transpose()
    }

    /// A date.
    pub(crate) fn date(&self, name: &str) -> Result<Option<Date>, TwinAnswer> {
        let fault = || bad_request(&format!("{name} must be a date (YYYY-MM-DD)"));
        self.text(name)
            .map(|value| parse_date(value).ok_or_else(fault))
            .transpose()
    }

    /// `1`/`true` or `0`/`false` in any case; absent is false.
    pub(crate) fn structure(&self) -> Result<bool, TwinAnswer> {
        match self
            .text("structure")
            .map(str::to_ascii_lowercase)
            .as_deref()
        {
            Some("1" | "true") => Ok(true),
            None | Some("0" | "false") => Ok(false),
            Some(_) => Err(bad_request("structure must be 1, true, 0 or false")),
        }
    }

    /// `include_parents` is supplied with any value or none, but for `0`, `false` and `no` in any case.
    pub(crate) fn include_parents(&self) -> bool {
        let value = self
            .0
            .get("include_parents")
            .map(|value| value.to_ascii_lowercase());
        value.is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no"))
    }

    /// A single grade id or a comma-separated list; spaces at either end of an item are allowed.
    pub(crate) fn grades(&self) -> Result<Option<Vec<u64>>, TwinAnswer> {
        let Some(list) = self.text("grade_id") else {
            return Ok(None);
        };
        let items: Option<Vec<u64>> = list
            .split(',')
            .map(|item| digits(item.trim_matches(' ')))
            .collect();
        let fault = || {
            bad_request("grade_id must be an unsigned integer or a comma-separated list of them")
        };
        items.ok_or_else(fault).map(Some)
    }
}
