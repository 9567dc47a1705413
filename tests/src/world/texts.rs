//! Texts on which implementations have failed: escapes, marks, case mappings, references that are
//! not numbers.

use super::dice::Dice;

const PLAIN: [&str; 6] = ["John", "Janey", "Smith", "Ann", "Lee", "van der Merwe"];

/// Names that are difficult to fold: marks, compositions, case mappings, compatibility letters.
const FOLDED: [&str; 24] = [
    "José",
    "Jose\u{301}",
    "JOSÉ",
    "ΟΔΟΣ",
    "Οδός",
    "ΣΑΣ ΣΟΦΟΣ",
    "Σ",
    "Α\u{301}Σ\u{301}",
    "İbrahim",
    "I\u{307}nce",
    "ıpek",
    "IĞDIR",
    "한국",
    "\u{1112}\u{1161}\u{11ab}",
    "Straße",
    "ẞETA",
    "ﬁona",
    "Ａｎｎ ²",
    "ǅungla",
    "Ǆ\u{328}\u{301}",
    "\u{212b}ngström",
    "\u{212a}elvin",
    "क\u{903}नि",
    "a\u{20dd}\u{fe0f}",
];

/// Texts that are difficult to escape.
const ODD: [&str; 14] = [
    "O'Brien",
    "Ann \"Q\" \\ B/C",
    "😀 Zoë",
    "👨\u{200d}👩\u{200d}👧",
    "\u{301}",
    " padded  ",
    "a\0b",
    "\u{1}\u{1f}\u{7f}\u{80}",
    "line\r\nbreak\ttab\u{8}\u{c}",
    "\u{2028}\u{2029}\u{feff}",
    "<b>&amp;",
    "100%+1 %41",
    "\u{10ffff}\u{fffd}",
    "[1,{\"a\":null}]",
];

const PARENT_REFERENCES: [(usize, &str); 15] = [
    (30, "40"),
    (15, "41"),
    (10, "5"),
    (6, "0040"),
    (4, "0"),
    (4, "100"),
    (4, "18446744073709551615"),
    (3, "18446744073709551616"),
    (8, "99"),
    (3, "x40"),
    (2, "+40"),
    (2, " 40"),
    (2, "-5"),
    (1, "４０"),
    (12, ""),
];

const GRADE_REFERENCES: [(usize, &str); 9] = [
    (40, "9"),
    (25, "10"),
    (10, "009"),
    (10, "3"),
    (4, "R"),
    (2, "9 "),
    (2, "-9"),
    (2, "9.0"),
    (5, ""),
];

const FAMILY_CODES: [(usize, &str); 9] = [
    (30, "1001"),
    (20, "1002"),
    (10, "01001"),
    (5, "0"),
    (5, "F1001"),
    (3, "-1001"),
    (3, "18446744073709551615"),
    (2, "1001\0"),
    (20, ""),
];

const ACCOUNTABLE_REFERENCES: [(usize, &str); 11] = [
    (35, "40"),
    (20, "5"),
    (8, "0040"),
    (6, "0"),
    (4, "18446744073709551615"),
    (3, "18446744073709551616"),
    (6, "99"),
    (3, "D40"),
    (2, "+40"),
    (2, " 5"),
    (11, ""),
];

/// Debtor codes, which are compared without normalisation.
pub(super) const DEBTOR_CODES: [(usize, &str); 7] = [
    (35, "1001"),
    (20, "1002"),
    (10, "01001"),
    (8, "D/1 é"),
    (4, "d/1 é"),
    (3, "1001 "),
    (20, ""),
];

impl Dice {
    /// Returns a debtor code.
    pub(super) fn debtor_code(&mut self) -> &'static str {
        self.weighted(&DEBTOR_CODES)
    }

    /// Returns a reference to an accountable person: one with or without a target, or not a number.
    pub(super) fn accountable_reference(&mut self) -> &'static str {
        self.weighted(&ACCOUNTABLE_REFERENCES)
    }

    /// Returns a name, sometimes one that is difficult to fold or to escape.
    pub(super) fn name(&mut self) -> &'static str {
        match self.below(10) {
            0..4 => self.pick(&PLAIN),
            4..8 => self.pick(&FOLDED),
            _ => self.pick(&ODD),
        }
    }

    /// Returns any text, sometimes an empty one.
    pub(super) fn any_text(&mut self) -> &'static str {
        match self.below(10) {
            0 => "",
            1..=3 => self.pick(&PLAIN),
            4 => self.pick(&["7", "007", "-5", "0", "Yes", "null", "2026-05-14"]),
            5 | 6 => self.pick(&FOLDED),
            _ => self.pick(&ODD),
        }
    }

    /// Returns a reference to a parent: one with or without a target, or not a number.
    pub(super) fn parent_reference(&mut self) -> &'static str {
        self.weighted(&PARENT_REFERENCES)
    }

    /// Returns the grade of a learner.
    pub(super) fn grade_reference(&mut self) -> &'static str {
        self.weighted(&GRADE_REFERENCES)
    }

    /// Returns a family code.
    pub(super) fn family_code(&mut self) -> &'static str {
        self.weighted(&FAMILY_CODES)
    }
}
