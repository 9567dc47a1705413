//! What `name` compares (`decisions.md`, "Queries", `name`).

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// NFD, without general category Mn, in Unicode lower case.
pub(crate) fn fold(text: &str) -> String {
    let without_marks: String = text
        .nfd()
        .filter(|letter| letter.general_category() != GeneralCategory::NonspacingMark)
        .collect();
    without_marks.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn folding_drops_marks_and_case_and_nothing_else() {
        for (text, folded) in [
            ("José", "jose"),
            ("JOSE\u{301}", "jose"),
            ("ΟΔΟΣ", "οδος"),
            ("ΟΔΟΣ ΣΟΦΟΣ", "οδος σοφος"),
            ("Σ", "σ"),
            ("İbrahim", "ibrahim"),
            ("ı", "ı"),
            ("Straße", "straße"),
            ("ẞ", "ß"),
            ("ﬁ", "ﬁ"),
            ("Ø", "ø"),
            ("\u{301}", ""),
            ("  Ann ", "  ann "),
            ("ǅ", "ǆ"),
            ("K", "k"),
            ("Å", "a"),
        ] {
            assert_eq!(fold(text), folded, "{text:?}");
        }
    }

    #[test]
    fn hangul_is_one_text_in_both_spellings() {
        assert_eq!(
            fold("한국"),
            fold("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}")
        );
        assert_eq!(fold("한").chars().count(), 3);
    }

    #[test]
    fn spacing_and_enclosing_marks_stay() {
        // U+0903 is Mc, U+20DD is Me.
        assert_eq!(fold("क\u{903}"), "क\u{903}");
        assert_eq!(fold("a\u{20dd}"), "a\u{20dd}");
    }
}
