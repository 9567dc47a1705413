//! Writes records as lines.

pub(crate) mod export;
pub(crate) mod line_buffer;
pub(crate) mod line_parts;
pub(crate) mod line_writer;
pub(crate) mod marks_by_assessment;
pub(crate) mod one_record;
pub(crate) mod own_records;
pub(crate) mod pseudonyms;
pub(crate) mod record_line;
pub(crate) mod scope_filter;
