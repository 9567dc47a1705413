//! The lanes of a kept record. Their numbers are part of the format.

/// The JSON that is answered.
pub(crate) const RENDERING: usize = 0;
/// What that JSON lacks: facts, spans, and what v2 makes of the values.
pub(crate) const FACTS: usize = 1;
/// What a search for a name looks through, folded.
pub(crate) const NAMES: usize = 2;
