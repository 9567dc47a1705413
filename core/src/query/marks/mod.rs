//! Assessment marks for v1 and for v2, their layout in an answer, and their release.

pub(crate) mod assessment_layout;
pub(crate) mod flat_marks;
pub(crate) mod nested_marks;
pub(crate) mod release;
pub(crate) mod selection;
