//! The parts of a request's target (`decisions.md`, "Requests").

/// Returns the segments of the path, each percent-decoded, and the raw query string. Returns `None`
/// if the path does not start with `/` or has an empty segment other than one at its end.
pub(crate) fn split_target(target: &str) -> Option<(Vec<String>, &str)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = path.strip_prefix('/')?;
    let path = path.strip_suffix('/').unwrap_or(path);
    let segments: Vec<String> = path.split('/').map(percent_decoded).collect();
    if segments.iter().any(String::is_empty) {
        None
    } else {
        Some((segments, query))
    }
}

/// Returns the names and values of a query string in order.
pub(crate) fn query_pairs(query: &str) -> Vec<(String, String)> {
    let decoded = |text: &str| percent_decoded(&text.replace('+', " "));
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (decoded(name), decoded(value))
    };
    query.split('&').map(pair).collect()
}

/// Decodes `%` and two hexadecimal digits as a byte. Any other `%` is unchanged, and invalid UTF-8
/// becomes U+FFFD.
pub fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match (first, after) {
            (b'%', [high, low, tail @ ..])
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                bytes.push(hex(*high) * 16 + hex(*low));
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit - b'A' + 10,
    }
}
