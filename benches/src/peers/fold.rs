//! Folds names for the search.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Adds a name in lower case, without accents.
pub(super) fn push_folded(out: &mut String, name: &str) {
    if name.is_ascii() {
        out.extend(name.chars().map(|letter| letter.to_ascii_lowercase()));
    } else {
        let letters = name
            .nfd()
            .filter(|letter| letter.general_category() != GeneralCategory::NonspacingMark);
        out.extend(letters.flat_map(char::to_lowercase));
    }
}

/// Returns a name in lower case, without accents.
pub(super) fn fold(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    push_folded(&mut folded, name);
    folded
}
