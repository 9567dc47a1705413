//! One record as one line of NDJSON, written directly into a buffer.

use std::fmt::Write as _;

/// A JSON object that is written field by field at the end of a buffer.
///
/// An empty text is omitted: in a dataset, absent, `null` and `""` are the same.
pub(crate) struct Record<'a> {
    out: &'a mut String,
    separator: char,
}

impl<'a> Record<'a> {
    /// Begins the line of a record of this kind.
    pub(crate) fn new(out: &'a mut String, kind: &str) -> Self {
        Self::object(out).text("type", kind)
    }

    fn object(out: &'a mut String) -> Self {
        Self {
            out,
            separator: '{',
        }
    }

    fn name(&mut self, name: &str) {
        self.out.push(self.separator);
        self.separator = ',';
        self.out.push('"');
        self.out.push_str(name);
        self.out.push_str("\":");
    }

    pub(crate) fn number(mut self, name: &str, value: u64) -> Self {
        self.name(name);
        push_number(self.out, value);
        self
    }

    pub(crate) fn text(mut self, name: &str, value: &str) -> Self {
        if !value.is_empty() {
            self.name(name);
            push_text(self.out, value);
        }
        self
    }

    /// Adds a field whose text is the display form of a value.
    pub(crate) fn shown(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.name(name);
        write!(self.out, "\"{value}\"").unwrap();
        self
    }

    /// Adds an array of texts.
    pub(crate) fn texts(mut self, name: &str, texts: &[&str]) -> Self {
        self.name(name);
        for (place, text) in texts.iter().enumerate() {
            self.out.push(if place == 0 { '[' } else { ',' });
            push_text(self.out, text);
        }
        self.out.push(']');
        self
    }

    /// Adds an array of objects, each of which `fill` fills.
    pub(crate) fn objects<T>(
        mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        fill: impl Fn(Record<'_>, T) -> Record<'_>,
    ) -> Self {
        self.name(name);
        self.out.push('[');
        for (place, item) in items.into_iter().enumerate() {
            if place > 0 {
                self.out.push(',');
            }
            fill(Record::object(self.out), item).out.push('}');
        }
        self.out.push(']');
        self
    }

    /// Ends the line.
    pub(crate) fn end(self) {
        self.out.push_str("}\n");
    }
}

/// Appends the digits of a number.
pub(crate) fn push_number(out: &mut String, value: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut left = value;
    loop {
        start -= 1;
        digits[start] = b'0' + u8::try_from(left % 10).unwrap();
        left /= 10;
        if left == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[start..]).unwrap());
}

/// Appends a number of hundredths with its two decimals.
pub(crate) fn push_hundredths(out: &mut String, value: u64) {
    push_number(out, value / 100);
    out.push('.');
    push_two_digits(out, value % 100);
}

/// Appends a number below 100 as two digits.
pub(crate) fn push_two_digits(out: &mut String, value: u64) {
    if value < 10 {
        out.push('0');
    }
    push_number(out, value);
}

fn push_text(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(place) = rest
        .bytes()
        .position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')
    {
        let (plain, special) = rest.split_at(place);
        out.push_str(plain);
        match special.as_bytes()[0] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => write!(out, "\\u{control:04x}").unwrap(),
        }
        rest = &special[1..];
    }
    out.push_str(rest);
    out.push('"');
}
