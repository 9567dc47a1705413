//! Writes the same value as JSON in different ways.

use super::dice::Dice;

impl Dice {
    /// Writes an id as a number or as a string, sometimes with leading zeros.
    pub(super) fn id_json(&mut self, id: u64) -> String {
        match self.below(10) {
            0 => format!("\"{id}\""),
            1 => format!("\"00{id}\""),
            _ => id.to_string(),
        }
    }

    /// Writes a text as a string, sometimes with unnecessary escapes, or as a number if it is an
    /// integer.
    pub(super) fn text_json(&mut self, text: &str) -> String {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let is_number = !unsigned.is_empty()
            && unsigned.bytes().all(|byte| byte.is_ascii_digit())
            && (unsigned == "0" || !unsigned.starts_with('0'));
        if is_number && self.chance(30) {
            return text.to_owned();
        }
        let escapes = if self.chance(20) { 40 } else { 0 };
        let mut json = String::from("\"");
        for letter in text.chars() {
            match letter {
                _ if self.chance(escapes) => json += &self.unicode_escapes(letter),
                '"' => json += "\\\"",
                '\\' => json += "\\\\",
                '/' if self.chance(20) => json += "\\/",
                '\n' if self.chance(50) => json += "\\n",
                '\r' if self.chance(50) => json += "\\r",
                '\t' if self.chance(50) => json += "\\t",
                '\u{8}' if self.chance(50) => json += "\\b",
                '\u{c}' if self.chance(50) => json += "\\f",
                '\0'..='\u{1f}' => json += &self.unicode_escapes(letter),
                _ => json.push(letter),
            }
        }
        json + "\""
    }

    /// Writes a decimal as a number, if it is a valid JSON number, or as a string.
    pub(super) fn decimal_json(&mut self, decimal: &str) -> String {
        let unsigned = decimal.strip_prefix('-').unwrap_or(decimal);
        let is_number = !unsigned.starts_with('0') || unsigned == "0" || unsigned.starts_with("0.");
        if is_number && self.chance(60) {
            decimal.to_owned()
        } else {
            format!("\"{decimal}\"")
        }
    }

    /// Returns a value that counts as absent.
    pub(super) fn empty_json(&mut self) -> String {
        self.pick(&["null", "\"\""]).to_owned()
    }

    /// Writes a letter as `\uXXXX`, or as a surrogate pair, in digits of either case.
    fn unicode_escapes(&mut self, letter: char) -> String {
        let mut units = [0; 2];
        let upper = self.chance(50);
        let escape = |unit: &u16| {
            if upper {
                format!("\\u{unit:04X}")
            } else {
                format!("\\u{unit:04x}")
            }
        };
        letter.encode_utf16(&mut units).iter().map(escape).collect()
    }
}
