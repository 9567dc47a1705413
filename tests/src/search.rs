//! How far a search goes: a sample, which takes seconds, or the whole of it.

/// The sample, or the whole where `ROLLBOOK_SEARCH` is `whole`, as in `tests/run long`.
pub fn extent<T>(sample: T, whole: T) -> T {
    match std::env::var("ROLLBOOK_SEARCH").as_deref() {
        Ok("whole") => whole,
        _ => sample,
    }
}
