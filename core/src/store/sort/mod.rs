//! Sorting more records than fit in memory.

pub(crate) mod external_sort;
pub(crate) mod spill;
pub(crate) mod spilled_run;
