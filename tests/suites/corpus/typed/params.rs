//! The parameters of a query string without escapes.

use std::collections::HashMap;

/// The last value of each name.
pub(crate) struct Params<'a>(HashMap<&'a str, &'a str>);

impl<'a> Params<'a> {
    pub(crate) fn parse(query: &'a str) -> Params<'a> {
        let pairs = query.split('&');
        Params(
            pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .collect(),
        )
    }

    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied().filter(|value| !value.is_empty())
    }

    /// Returns `None` if the value cannot be passed to a typed question.
    #[expect(clippy::option_option, reason = "absent, or of no use")]
    pub(crate) fn parsed<T: std::str::FromStr>(&self, name: &str) -> Option<Option<T>> {
        match self.text(name) {
            None => Some(None),
            Some(value) if value.starts_with('+') => None,
            Some(value) => value.parse().ok().map(Some),
        }
    }

    /// Returns a switch that is on unless it has one of a few values. An empty value turns it on.
    pub(crate) fn includes(&self, name: &str) -> bool {
        let off = ["0", "false", "no"];
        let given = self.0.get(name);
        given.is_some_and(|value| !off.contains(&value.to_lowercase().as_str()))
    }

    /// Returns a switch with four possible values, or `None` for any other value.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        let value = self.text(name).unwrap_or("0").to_lowercase();
        match value.as_str() {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn grades(&self) -> Option<Vec<u64>> {
        let list = self.text("grade_id").unwrap_or_default();
        list.split(',')
            .filter(|_| !list.is_empty())
            .map(number)
            .collect()
    }
}

/// Parses an unsigned integer without a sign.
pub(crate) fn number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}
