//! Folding of names for search (4.1 `name`): NFD without marks of the general category Mn, in
//! Unicode lower case. Names are neither transliterated nor trimmed.
//!
//! The module `fold_table` contains the decompositions that are relevant without these marks. A
//! general normaliser would add 69 KB to the package for browsers.

use super::fold_table::{EXPANDED, MAPPED, MAPPED_TO, OTHER_MARKS, REMOVED};
use crate::varint;
use std::sync::LazyLock;

/// Appends the folded text.
pub(crate) fn fold(text: &str, out: &mut Vec<u8>) {
    if text.is_ascii() {
        out.extend(text.bytes().map(|byte| byte.to_ascii_lowercase()));
    } else {
        out.extend_from_slice(decompose(text).to_lowercase().as_bytes());
    }
}

/// Returns the NFD of a text without the marks of category Mn.
fn decompose(text: &str) -> String {
    let mut plain = Ordered::default();
    for char in text.chars() {
        let code = u32::from(char);
        if code < 0x80 {
            plain.push(char);
        } else if let Some(class) = removed(code) {
            if class == Removed::Starter {
                plain.settle();
            }
        } else if let Some(index) = code.checked_sub(HANGUL).filter(|index| *index < SYLLABLES) {
            plain.push_code(LEADING + index / (VOWELS * TRAILERS));
            plain.push_code(VOWEL + index / TRAILERS % VOWELS);
            if index % TRAILERS > 0 {
                plain.push_code(TRAILING + index % TRAILERS);
            }
        } else if let Some(to) = mapped(code) {
            plain.push_code(to);
        } else if let Ok(index) = EXPANDED.binary_search_by_key(&code, |(from, _)| *from) {
            let to = EXPANDED.get(index).map(|(_, to)| to).into_iter().flatten();
            to.filter(|to| **to != 0)
                .for_each(|to| plain.push_code(*to));
        } else {
            plain.push(char);
        }
    }
    plain.settle();
    plain.text
}

// Hangul syllables are composed by arithmetic (Unicode, section 3.12).
const HANGUL: u32 = 0xac00;
const SYLLABLES: u32 = 11_172;
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TRAILING: u32 = 0x11a7;
const VOWELS: u32 = 21;
const TRAILERS: u32 = 28;

#[derive(PartialEq, Eq)]
enum Removed {
    /// A mark with a combining class other than zero.
    Mark,
    /// A mark with combining class zero, across which other marks are not reordered.
    Starter,
}

/// Returns how a character of category Mn is removed, or `None` for any other character.
fn removed(code: u32) -> Option<Removed> {
    let index = REMOVED.partition_point(|range| range & 0x1f_ffff <= code);
    let range = REMOVED.get(index.checked_sub(1)?)?;
    let (start, length) = (range & 0x1f_ffff, range >> 21 & 0x3ff);
    (code - start < length).then_some(if range >> 31 == 1 {
        Removed::Starter
    } else {
        Removed::Mark
    })
}

/// Returns the character that remains of a decomposition to a single one.
fn mapped(code: u32) -> Option<u32> {
    // Stored as pairs, the table would be twice as large in a browser, even when compressed.
    static PAIRS: LazyLock<Vec<(u32, u32)>> =
        LazyLock::new(|| column(&MAPPED).zip(column(&MAPPED_TO)).collect());
    let index = PAIRS.binary_search_by_key(&code, |(from, _)| *from).ok()?;
    PAIRS.get(index).map(|(_, to)| *to)
}

/// Decodes numbers that are stored as differences, with the sign in the lowest bit.
fn column(mut steps: &[u8]) -> impl Iterator<Item = u32> {
    let mut number = 0_u64;
    std::iter::from_fn(move || {
        let step = varint::take(&mut steps).ok()?;
        number = number.wrapping_add(step >> 1 ^ (step & 1).wrapping_neg());
        u32::try_from(number).ok()
    })
}

/// A text in canonical order: marks that are not removed are ordered by their class.
#[derive(Default)]
struct Ordered {
    text: String,
    marks: Vec<(u8, char)>,
}

impl Ordered {
    fn push(&mut self, char: char) {
        let code = u32::from(char);
        match OTHER_MARKS.binary_search_by_key(&code, |(from, _)| *from) {
            Ok(index) => {
                let class = OTHER_MARKS.get(index).map_or(0, |(_, class)| *class);
                self.marks.push((class, char));
            }
            Err(_) => {
                self.settle();
                self.text.push(char);
            }
        }
    }

    fn push_code(&mut self, code: u32) {
        if let Some(char) = char::from_u32(code) {
            self.push(char);
        }
    }

    /// Appends the pending marks in the order of their classes.
    fn settle(&mut self) {
        self.marks.sort_by_key(|(class, _)| *class);
        self.text.extend(self.marks.drain(..).map(|(_, mark)| mark));
    }
}

#[cfg(test)]
#[expect(
    clippy::panic,
    clippy::too_many_lines,
    reason = "the table is made here"
)]
mod tests {
    use crate::record::values::fold::*;
    use std::fmt::Write as _;
    use unicode_normalization::UnicodeNormalization;
    use unicode_normalization::char::canonical_combining_class;
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

    fn is_mn(char: char) -> bool {
        char.general_category() == GeneralCategory::NonspacingMark
    }

    fn by_the_book(text: &str) -> String {
        let plain: String = text.nfd().filter(|char| !is_mn(*char)).collect();
        plain.to_lowercase()
    }

    fn folded(text: &str) -> String {
        let mut out = Vec::new();
        fold(text, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    fn all() -> impl Iterator<Item = char> {
        (0..=0x10_ffff).filter_map(char::from_u32)
    }

    #[test]
    fn every_character_is_folded_alone_and_between_marks() {
        for char in all() {
            for text in [
                format!("{char}"),
                format!("A{char}\u{302e}\u{16ff0}Σ"),
                format!("\u{302e}{char}\u{16ff0}É"),
            ] {
                assert_eq!(
                    folded(&text),
                    by_the_book(&text),
                    "U+{:04X}",
                    u32::from(char)
                );
            }
        }
    }

    #[test]
    fn names_as_people_write_them() {
        for (name, expected) in [
            ("Zoë", "zoe"),
            ("ANDRÉ", "andre"),
            ("Ångström", "angstrom"),
            ("Nguyễn", "nguyen"),
            ("İpek", "ipek"),
            ("ΟΔΟΣ", "οδος"),
            ("Łukasz", "łukasz"),
            ("Straße", "straße"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
            (" a ", " a "),
            ("e\u{301}", "e"),
            ("\u{301}", ""),
            ("Đặng", "đang"),
            ("ﬁ", "ﬁ"),
        ] {
            assert_eq!(folded(name), expected, "{name}");
        }
    }

    /// Rebuilds the table and compares it with the file, or writes the file if
    /// `UPDATE_FOLD_TABLE` is set.
    #[test]
    fn the_table_is_what_unicode_says() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/record/values/fold_table.rs"
        );
        let table = table();
        if std::env::var_os("UPDATE_FOLD_TABLE").is_some() {
            assert!(std::fs::write(path, &table).is_ok());
        }
        let current = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            current == table,
            "run `UPDATE_FOLD_TABLE=1 cargo test -p rollbook the_table_is`"
        );
    }

    fn table() -> String {
        let mut removed: Vec<(u32, u32, bool)> = Vec::new();
        let (mut mapped, mut expanded, mut marks) = (vec![], vec![], vec![]);
        for char in all() {
            let (code, class) = (u32::from(char), canonical_combining_class(char));
            if is_mn(char) {
                let settles = char.nfd().any(|char| canonical_combining_class(char) == 0);
                match removed.last_mut() {
                    Some((start, length, starter))
                        if *start + *length == code && *starter == settles =>
                    {
                        *length += 1;
                    }
                    _ => removed.push((code, 1, settles)),
                }
                continue;
            }
            if class != 0 {
                marks.push((code, class));
            }
            let left: Vec<u32> = char.nfd().filter(|c| !is_mn(*c)).map(u32::from).collect();
            match left.as_slice() {
                _ if (HANGUL..HANGUL + SYLLABLES).contains(&code) => {}
                [same] if *same == code => {}
                [one] => mapped.push((code, *one)),
                [a, b] => expanded.push((code, [*a, *b, 0])),
                [a, b, c] => expanded.push((code, [*a, *b, *c])),
                other => panic!("U+{code:04X} leaves {other:?}"),
            }
        }
        let removed: Vec<u32> = removed
            .into_iter()
            .map(|(start, length, starter)| start | length << 21 | u32::from(starter) << 31)
            .collect();
        let mut text =
            String::from("//! The tables for folding names, generated by a test in `fold`.\n");
        let _ = write!(
            text,
            "//! Unicode {:?}.\n\n#![allow(clippy::unreadable_literal)]\n",
            unicode_normalization::UNICODE_VERSION
        );
        let mut array = |name: &str, about: &str, of: &str, rows: Vec<String>| {
            let columns = if of == "u8" { 16 } else { 8 };
            let _ = write!(
                text,
                "\n/// {about}\n#[rustfmt::skip]\npub(super) static {name}: [{of}; {}] = [",
                rows.len()
            );
            for (index, row) in rows.iter().enumerate() {
                let _ = write!(
                    text,
                    "{}{row},",
                    if index % columns == 0 { "\n    " } else { " " }
                );
            }
            text.push_str("\n];\n");
        };
        let steps = |numbers: &mut dyn Iterator<Item = u32>| -> Vec<String> {
            let (mut bytes, mut last) = (Vec::new(), 0);
            for number in numbers {
                let step = i64::from(number) - last;
                varint::push(&mut bytes, (step << 1 ^ step >> 63).cast_unsigned());
                last = i64::from(number);
            }
            bytes.iter().map(|byte| format!("0x{byte:x}")).collect()
        };
        array(
            "REMOVED",
            "Ranges of category Mn: the start, the length << 21, and 1 << 31 for combining class 0.",
            "u32",
            removed.iter().map(|range| format!("0x{range:x}")).collect(),
        );
        array(
            "MAPPED",
            "Characters that become one other character, as differences from the previous one.",
            "u8",
            steps(&mut mapped.iter().map(|(from, _)| *from)),
        );
        array(
            "MAPPED_TO",
            "The characters that they become, as differences from the previous one.",
            "u8",
            steps(&mut mapped.iter().map(|(_, to)| *to)),
        );
        array(
            "EXPANDED",
            "Characters that become two or three characters, padded with 0.",
            "(u32, [u32; 3])",
            expanded
                .iter()
                .map(|(from, [a, b, c])| format!("(0x{from:x}, [0x{a:x}, 0x{b:x}, 0x{c:x}])"))
                .collect(),
        );
        array(
            "OTHER_MARKS",
            "Characters outside of Mn that have a combining class, with this class.",
            "(u32, u8)",
            marks
                .iter()
                .map(|(code, class)| format!("(0x{code:x}, {class})"))
                .collect(),
        );
        text
    }
}
