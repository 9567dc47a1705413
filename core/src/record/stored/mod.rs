//! The stored form of a record: its pre-rendered JSON and its columns, and the rows of marks.

pub(crate) mod account;
pub(crate) mod columns;
pub(crate) mod conversions;
pub(crate) mod edited_row;
pub(crate) mod mark_row;
pub(crate) mod pre_render;
pub(crate) mod template;
