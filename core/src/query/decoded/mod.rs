//! Decoded values of a snapshot, which answers share: a school's tables and name index,
//! and look-ups of many records by their keys (`key_lookup`).

pub(crate) mod accounts;
pub(crate) mod authorisations;
pub(crate) mod bounded_table;
pub(crate) mod grade_texts;
pub(crate) mod integrators;
pub(crate) mod key_lookup;
pub(crate) mod name_index;
pub(crate) mod school_facts;
pub(crate) mod school_tables;
