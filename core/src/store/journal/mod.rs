//! The journal records which keys each commit changed. A follower reads from it which records may
//! have changed since its change position.

pub(crate) mod journal_check;
pub(crate) mod journal_row;
pub(crate) mod journal_write;
pub(crate) mod read_since;
