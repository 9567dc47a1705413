//! A line of a dataset.

use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A record by its fields.
pub(super) struct Line(pub(super) Map<String, Value>);

impl Line {
    pub(super) fn parse(line: &str) -> Result<Line> {
        let fields = serde_json::from_str(line);
        Ok(Line(fields.with_context(|| line.to_owned())?))
    }

    /// A field as it is spelt; empty if there is none.
    pub(super) fn text(&self, field: &str) -> Cow<'_, str> {
        match self.0.get(field) {
            Some(Value::String(text)) => text.into(),
            Some(Value::Number(number)) => number.to_string().into(),
            _ => "".into(),
        }
    }

    /// A field that is a number, if it is one.
    pub(super) fn number(&self, field: &str) -> Option<u64> {
        self.text(field).parse().ok()
    }

    /// First name, blank, last name.
    pub(super) fn name(&self) -> String {
        [self.text("first_name"), self.text("last_name")].join(" ")
    }
}
