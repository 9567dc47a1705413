//! The folding of names that the parameter `name` compares (`decisions.md`, "Queries", `name`).

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Returns the text in NFD, without general category Mn, in Unicode lower case.
pub(crate) fn fold(text: &str) -> String {
    let without_marks: String = text
        .nfd()
        .filter(|letter| letter.general_category() != GeneralCategory::NonspacingMark)
        .collect();
    without_marks.to_lowercase()
}
