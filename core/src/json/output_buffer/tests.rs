//! Tests of `output_buffer`.

use super::*;

/// Returns texts of every length up to about twice the length that is copied at once.
fn texts() -> impl Iterator<Item = Vec<u8>> {
    (0..2 * AT_ONCE + 3).map(|length| (1..=255).cycle().take(length).collect())
}

#[test]
fn parts_follow_each_other() {
    let mut out = b"before".to_vec();
    let mut expected = out.clone();
    let mut joined = Padded::default();
    let mut halves = 0;
    let mut output = OutputBuffer::new(&mut out);
    for text in texts() {
        let part = joined.add(|all| all.extend_from_slice(&text));
        assert_eq!(joined.text().get(part.clone()), Some(text.as_slice()));
        output.push_padded(&Padded::new(&text));
        output.push_part(&joined, part);
        output.push(&text);
        let padded = Padded::new(&text);
        output.push_starts([(&padded, padded.len()), (&padded, padded.len())]);
        for _ in 0..5 {
            expected.extend_from_slice(&text);
        }
        let number = u64::from_le_bytes(*b"12.5\"},\0");
        if output.push_half_and_word(&padded, number, 7) {
            assert!(text.len() <= HALF);
            halves += 1;
            expected.extend_from_slice(&text);
            expected.extend_from_slice(b"12.5\"},");
        }
    }
    assert!(halves > HALF - 5);
    assert_eq!(output.len(), expected.len());
    drop(output);
    assert_eq!(out, expected);
}

#[test]
fn truncated_bytes_are_removed() {
    let mut out = Vec::new();
    let mut output = OutputBuffer::new(&mut out);
    output.push(b"{\"a\":");
    let before = output.len();
    output.push_quoted_integer(u64::MAX);
    output.truncate(before);
    output.truncate(before + 9);
    output.push_integer(7);
    output.push(b",");
    output.pop();
    drop(output);
    assert_eq!(out, b"{\"a\":7");
}

#[test]
fn a_window_adds_only_the_written_bytes() {
    let mut out = Vec::new();
    let mut output = OutputBuffer::new(&mut out);
    for _ in 0..1000 {
        let mut window = output.window(64);
        window.words([u64::from_le_bytes(*b"12345678"), 0], 5);
        window.bytes(b"abc");
        let written = window.written();
        output.advance(written);
    }
    drop(output);
    assert_eq!(out, b"12345abc".repeat(1000));
}
