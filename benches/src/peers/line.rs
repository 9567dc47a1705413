//! A line of a dataset.

use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A record with its fields.
pub(super) struct Line(pub(super) Map<String, Value>);

impl Line {
    pub(super) fn parse(line: &str) -> Result<Line> {
        let fields = serde_json::from_str(line);
        Ok(Line(fields.with_context(|| line.to_owned())?))
    }

    /// Returns a field as it is written in the dataset, or an empty text if there is none.
    pub(super) fn text(&self, field: &str) -> Cow<'_, str> {
        match self.0.get(field) {
            Some(Value::String(text)) => text.into(),
            Some(Value::Number(number)) => number.to_string().into(),
            _ => "".into(),
        }
    }

    /// Returns a field as a number, if it is one.
    pub(super) fn number(&self, field: &str) -> Option<u64> {
        self.text(field).parse().ok()
    }

    /// Returns the first name, a space, and the last name.
    pub(super) fn name(&self) -> String {
        [self.text("first_name"), self.text("last_name")].join(" ")
    }
}
