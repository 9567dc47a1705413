//! Values and names of a dataset, as error messages show them.

/// Returns a value as it is written in the line, shortened if it is long. An object or array
/// that may contain a password is not shown.
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

/// Returns an unknown name as an error message shows it. A name that does not look like a field
/// name is not shown, because it may be a misplaced value, such as a person's name or id.
pub(crate) fn shown_name(name: &str) -> &str {
    const MAX_BYTES: usize = 32;
    let bytes = name.as_bytes();
    let is_field_like = bytes.len() <= MAX_BYTES
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && (bytes.contains(&b'_') || !bytes.iter().any(u8::is_ascii_uppercase));
    if is_field_like { name } else { "..." }
}

/// Returns true if the text contains the word, or an escape that may hide it.
fn may_name_password(raw: &str) -> bool {
    let word = b"password";
    let mut windows = raw.as_bytes().windows(word.len());
    memchr::memmem::find(raw.as_bytes(), b"\\u").is_some()
        || windows.any(|window| window.eq_ignore_ascii_case(word))
}
