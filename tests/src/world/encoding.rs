//! Encodes the same target in different ways.

use super::dice::Dice;

impl Dice {
    /// Encodes a name or value of a query string with `%`, with `+`, or not at all where that is
    /// safe.
    pub(super) fn query_text(&mut self, text: &str) -> String {
        let (escape, raw) = self.weighted(&[(70, (0, false)), (20, (15, false)), (10, (5, true))]);
        let mut out = String::new();
        for letter in text.chars() {
            match letter {
                ' ' if self.chance(70) => out.push('+'),
                _ if letter.is_ascii_alphanumeric() || "-_.~,".contains(letter) => {
                    if self.chance(escape) {
                        out += &self.escapes(letter);
                    } else {
                        out.push(letter);
                    }
                }
                _ if raw && !letter.is_ascii() => out.push(letter),
                _ => out += &self.escapes(letter),
            }
        }
        out
    }

    /// Encodes a segment of a path.
    pub(super) fn segment(&mut self, text: &str) -> String {
        let escape = if self.chance(4) { 40 } else { 0 };
        let mut out = String::new();
        for letter in text.chars() {
            if self.chance(escape) {
                out += &self.escapes(letter);
            } else {
                out.push(letter);
            }
        }
        out
    }

    /// Returns every byte of a letter as `%XX`, in digits of either case.
    fn escapes(&mut self, letter: char) -> String {
        let mut bytes = [0; 4];
        let upper = self.chance(70);
        let escape = |byte: u8| {
            if upper {
                format!("%{byte:02X}")
            } else {
                format!("%{byte:02x}")
            }
        };
        letter.encode_utf8(&mut bytes).bytes().map(escape).collect()
    }
}
