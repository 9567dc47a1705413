//! An integrator and the hash of its password (section 5), and the keys of the rows of
//! integrators and authorisations.

use crate::error::{Error, Result};
use crate::record::field::{Field, FieldForm, position};
use crate::record::values::password;
use crate::record::values::value::Value;

pub(crate) const FIELDS: &[Field] = &[
    Field::username(),
    Field::optional("password", FieldForm::Password).residual(1),
    Field::optional("password_hash", FieldForm::PasswordHash).residual(2),
];

pub(crate) const USERNAME: usize = position(FIELDS, "username");
pub(crate) const PASSWORD: usize = position(FIELDS, "password");
pub(crate) const PASSWORD_HASH: usize = position(FIELDS, "password_hash");

/// Exactly one of the password and its hash must be present.
pub(crate) fn rules(values: &[Value<'_>]) -> Result<(), String> {
    let value = |field: usize| values.get(field).unwrap_or(&Value::Empty);
    let hash = value(PASSWORD_HASH);
    match (value(PASSWORD).is_empty(), hash.is_empty()) {
        (true, true) => Err("password: is missing".to_owned()),
        (false, false) => Err("password: does not go with password_hash".to_owned()),
        (false, true) => Ok(()),
        (true, false) => {
            password::check(hash.text()).map_err(|what| format!("password_hash: {what}"))
        }
    }
}

/// The limit for the length of a user name in bytes.
pub(crate) const USERNAME_BYTES: usize = 256;

/// Returns true if the name is a valid user name.
pub(crate) fn is_username(name: &str) -> bool {
    (1..=USERNAME_BYTES).contains(&name.len())
}

const INTEGRATOR: u8 = b'i';
const AUTHORISATION: u8 = b'c';

/// Returns the key of an integrator's row.
pub(crate) fn row_key(username: &str) -> Vec<u8> {
    let mut key = vec![INTEGRATOR];
    push_name(&mut key, username);
    key
}

/// The prefix of the keys of all integrators' rows.
pub(crate) const ROWS: &[u8] = &[INTEGRATOR];

/// The prefix of the keys of all authorisations.
pub(crate) const AUTHORISATION_ROWS: &[u8] = &[AUTHORISATION];

/// A key greater than those of all authorisations.
pub(crate) const AUTHORISATION_END: &[u8] = &[AUTHORISATION + 1];

/// Returns the prefix of the keys of an integrator's authorisations.
pub(crate) fn authorisation_rows(username: &str) -> Vec<u8> {
    let mut key = vec![AUTHORISATION];
    push_name(&mut key, username);
    key
}

/// Returns the key of one authorisation.
pub(crate) fn authorisation_key(username: &str, school: u64, api_type: u64) -> Vec<u8> {
    let mut key = authorisation_rows(username);
    key.extend_from_slice(&school.to_be_bytes());
    key.extend_from_slice(&api_type.to_be_bytes());
    key
}

/// Returns true if the row of an authorisation states that the integrator serves the school.
pub(crate) fn is_active(state: &[u8]) -> Result<bool> {
    match state {
        [0] => Ok(false),
        [1] => Ok(true),
        _ => Err(Error::corrupt("the state of an authorisation is damaged")),
    }
}

/// Returns true if a row belongs to an integrator, and so contains a password hash.
pub(crate) fn is_integrator_row(key: &[u8]) -> bool {
    key.first() == Some(&INTEGRATOR)
}

/// Appends a name to a key, so that keys sort by the bytes of the name and no name is a prefix
/// of another: 0xff follows each NUL in the name, and NUL and 0x01 follow the name.
pub(crate) fn push_name(key: &mut Vec<u8>, name: &str) {
    for byte in name.bytes() {
        key.push(byte);
        if byte == 0 {
            key.push(0xff);
        }
    }
    key.extend_from_slice(&[0, 1]);
}

/// Splits a name off a key. Returns the name and the rest of the key.
pub(crate) fn split_name(key: &[u8]) -> Option<(String, &[u8])> {
    let mut name = Vec::new();
    let mut rest = key;
    loop {
        match rest {
            [0, 1, after @ ..] => return Some((String::from_utf8(name).ok()?, after)),
            [0, 0xff, after @ ..] => {
                name.push(0);
                rest = after;
            }
            [byte, after @ ..] => {
                name.push(*byte);
                rest = after;
            }
            [] => return None,
        }
    }
}

/// Returns the user name of an integrator's row.
pub(crate) fn username_of(key: &[u8]) -> Option<String> {
    let (name, rest) = split_name(key.strip_prefix(ROWS)?)?;
    rest.is_empty().then_some(name)
}

/// Returns the user name, the school and the API type of an authorisation's row.
pub(crate) fn authorisation_of(key: &[u8]) -> Option<(String, u64, u64)> {
    let (name, rest) = split_name(key.strip_prefix(AUTHORISATION_ROWS)?)?;
    let (school, api_type) = authorised(rest).filter(|_| rest.len() == 16)?;
    Some((name, school, api_type))
}

/// Returns the school and the API type of an authorisation's row.
pub(crate) fn authorised(key: &[u8]) -> Option<(u64, u64)> {
    let (rest, api_type) = key.split_last_chunk()?;
    let (_, school) = rest.split_last_chunk()?;
    Some((u64::from_be_bytes(*school), u64::from_be_bytes(*api_type)))
}

#[cfg(test)]
mod tests {
    use crate::record::kinds::integrator::*;

    #[test]
    fn a_state_is_0_or_1() {
        assert_eq!((is_active(&[0]), is_active(&[1])), (Ok(false), Ok(true)));
        assert!(is_active(&[]).is_err() && is_active(&[2]).is_err() && is_active(&[1, 0]).is_err());
    }

    #[test]
    fn rows_sort_by_name_and_are_decoded_unchanged() {
        let names = ["", "a", "a\0", "a\0b", "ab", "b", "é"];
        let keys: Vec<_> = names.iter().map(|name| row_key(name)).collect();
        assert!(keys.is_sorted());
        for (name, key) in names.iter().zip(&keys) {
            assert_eq!(username_of(key).as_deref(), Some(*name));
            let key = authorisation_key(name, 7, u64::MAX);
            assert!(key.starts_with(&authorisation_rows(name)));
            assert_eq!(
                authorisation_of(&key),
                Some(((*name).to_owned(), 7, u64::MAX))
            );
            assert_eq!(authorised(&key), Some((7, u64::MAX)));
        }
        assert_eq!(username_of(b"ia"), None);
        assert_eq!(authorisation_of(b"ca\0\x01\0"), None);
    }
}
