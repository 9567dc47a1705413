//! Values and names of a dataset as faults show them.

/// A value as it stands in the line, cut where it grows long; one that may hold a
/// password inside is not shown.
pub(crate) fn shown(raw: &str) -> String {
    let opening = raw.as_bytes().first();
    if let Some(b'{' | b'[') = opening
        && may_name_password(raw)
    {
        let is_object = opening == Some(&b'{');
        return if is_object { "{...}" } else { "[...]" }.to_owned();
    }
    match raw.char_indices().nth(64) {
        Some((at, _)) => format!("{}...", raw.get(..at).unwrap_or_default()),
        None => raw.to_owned(),
    }
}

/// Whether the word stands in it; where there are escapes, it may.
fn may_name_password(raw: &str) -> bool {
    let word = b"password";
    let mut windows = raw.as_bytes().windows(word.len());
    memchr::memmem::find(raw.as_bytes(), b"\\u").is_some()
        || windows.any(|window| window.eq_ignore_ascii_case(word))
}
