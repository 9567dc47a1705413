//! The JSON text of answers and exports (`decisions.md`, "Requests"): compact, with the members
//! in the given order.

use std::fmt::{Display, Formatter, Result, Write as _};

/// A JSON value.
#[derive(Clone, Debug)]
pub(crate) enum Json {
    Text(String),
    Number(u64),
    /// A number in the given spelling.
    Digits(String),
    Bool(bool),
    Null,
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Returns a JSON string.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Display for Json {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Self::Text(text) => out.write_str(&quoted(text)),
            Self::Number(number) => write!(out, "{number}"),
            Self::Digits(digits) => out.write_str(digits),
            Self::Bool(flag) => write!(out, "{flag}"),
            Self::Null => out.write_str("null"),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(ToString::to_string).collect();
                write!(out, "[{}]", items.join(","))
            }
            Self::Object(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("{}:{value}", quoted(name)))
                    .collect();
                write!(out, "{{{}}}", members.join(","))
            }
        }
    }
}

/// Returns a JSON string: `"` and `\` escaped, `\b \f \n \r \t` by name, other control characters
/// as `\u00xx`.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..='\u{1f}' => {
                write!(out, "\\u{:04x}", u32::from(letter)).expect("a string takes any text");
            }
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}
