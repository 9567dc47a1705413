//! What a commit changes: the sources of answers (`change_bits`), the keys of records
//! (`changed_key`, `changed_keys`), and the history to which its position belongs (`incarnation`).

pub(crate) mod change_bits;
pub(crate) mod changed_key;
pub(crate) mod changed_keys;
pub(crate) mod incarnation;
