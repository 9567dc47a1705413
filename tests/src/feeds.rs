//! Recomputes the checks of feeds whose lines a test has altered.

use twox_hash::{XxHash3_64, XxHash3_128};

/// Recomputes the count and the digest of each part of a feed, so that an altered feed is read to
/// its end.
#[derive(Default)]
pub struct Seal {
    lines: u64,
    digest: u128,
}

impl Seal {
    /// Returns the corrected next line. The end of a part gets its count and its digest. If a
    /// position is given, the head of a part refers to it as the position of the follower.
    pub fn line(&mut self, line: &[u8], position: Option<Option<&str>>) -> Vec<u8> {
        if line.starts_with(br#"{"type":"end""#) {
            let Seal { lines, digest } = self;
            return format!(r#"{{"type":"end","lines":{lines},"digest":"{digest:032x}"}}"#)
                .into_bytes();
        }
        let mut line = line.to_vec();
        if is_head(&line) {
            *self = Seal::default();
            if let Some(position) = position {
                line = beginning_at(&line, position);
            }
        }
        self.lines += 1;
        let seed = XxHash3_64::oneshot(&self.digest.to_le_bytes());
        self.digest = XxHash3_128::oneshot_with_seed(seed, &line);
        line
    }
}

/// Recomputes the count and the digest of each part of a feed.
pub fn sealed(feed: &[u8]) -> Vec<u8> {
    let mut seal = Seal::default();
    let mut out = Vec::new();
    for line in feed.split_inclusive(|byte| *byte == b'\n') {
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        out.extend(seal.line(bare, None));
        out.extend_from_slice(&line[bare.len()..]);
    }
    out
}

/// Returns whether a line is the head of a part.
fn is_head(line: &[u8]) -> bool {
    line.starts_with(br#"{"type":"feed""#) || line.starts_with(br#"{"type":"part""#)
}

/// Returns the member of a head that states the position where a part begins.
fn from(position: &str) -> String {
    let digest = XxHash3_128::oneshot(position.as_bytes());
    format!(r#""from":"{digest:032x}""#)
}

/// Replaces the position in a head. It follows the type, which is the first member of every line.
fn beginning_at(line: &[u8], position: Option<&str>) -> Vec<u8> {
    let (kind, rest) = line.split_at(br#"{"type":"feed""#.len());
    let rest = match rest.strip_prefix(br#","from":""#) {
        Some(from) => {
            let end = from.iter().position(|byte| *byte == b'"');
            end.map_or(rest, |end| &from[end + 1..])
        }
        None => rest,
    };
    let from = position.map_or(String::new(), |position| format!(",{}", from(position)));
    [kind, from.as_bytes(), rest].concat()
}

/// Returns whether no part of a feed begins at a position.
pub fn is_late(lines: &[String], position: Option<&str>) -> bool {
    let from = position.map(from);
    let mut heads = lines.iter().filter(|line| is_head(line.as_bytes()));
    heads.all(|head| match &from {
        Some(from) => !head.contains(from),
        None => head.contains(r#""from":"#),
    })
}
