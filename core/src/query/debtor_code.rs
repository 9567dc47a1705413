//! Debtor codes: compared as numbers where both are, else as texts.

use super::walk::Identity;
use crate::json;
use crate::record::value::integer;

/// A debtor code that is asked for.
pub(super) enum DebtorCode {
    Number(u64),
    /// Escaped.
    Text(Vec<u8>),
}

impl DebtorCode {
    pub(super) fn of(text: &str) -> DebtorCode {
        if let Some(number) = integer(text) {
            return DebtorCode::Number(number);
        }
        let mut escaped = Vec::new();
        json::push_escaped(&mut escaped, text);
        DebtorCode::Text(escaped)
    }

    /// Whether a record has this code, given escaped.
    pub(super) fn is(&self, code: &[u8]) -> bool {
        match self {
            DebtorCode::Number(wanted) => {
                let code = std::str::from_utf8(code).ok();
                code.and_then(integer) == Some(*wanted)
            }
            DebtorCode::Text(wanted) => code == wanted,
        }
    }

    pub(super) fn identify(&self, identity: &mut Identity) {
        match self {
            DebtorCode::Number(number) => identity.number("debtor_number", Some(*number)),
            DebtorCode::Text(text) => identity.bytes_of("debtor_code", text),
        }
    }
}
