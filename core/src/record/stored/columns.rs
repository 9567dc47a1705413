//! The columns of a stored record. Their numbers are part of the format.

/// The JSON that answers contain.
pub(crate) const RENDERING: usize = 0;
/// The values that this JSON lacks: the residual fields, the spans, and the conversions for v2.
pub(crate) const RESIDUAL_FIELDS: usize = 1;
/// The folded text that a search by name uses.
pub(crate) const NAMES: usize = 2;
