//! Debtor codes. A code that is a number is compared as a number, any other as text.

use crate::json;
use crate::query::walk::Identity;
use crate::record::values::value::integer;

/// The debtor code that a question selects.
pub(crate) enum DebtorCode {
    Number(u64),
    /// A text, escaped for JSON.
    Text(Vec<u8>),
}

impl DebtorCode {
    pub(crate) fn parse(text: &str) -> DebtorCode {
        if let Some(number) = integer(text) {
            return DebtorCode::Number(number);
        }
        let mut escaped = Vec::new();
        json::push_escaped(&mut escaped, text);
        DebtorCode::Text(escaped)
    }

    /// Returns true if a record with the given escaped code matches.
    pub(crate) fn is(&self, code: &[u8]) -> bool {
        match self {
            DebtorCode::Number(wanted) => {
                let code = std::str::from_utf8(code).ok();
                code.and_then(integer) == Some(*wanted)
            }
            DebtorCode::Text(wanted) => code == wanted,
        }
    }

    pub(crate) fn identify(&self, identity: &mut Identity) {
        match self {
            DebtorCode::Number(number) => identity.number("debtor_number", Some(*number)),
            DebtorCode::Text(text) => identity.bytes_of("debtor_code", text),
        }
    }
}
