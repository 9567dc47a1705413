//! The fields of the kinds of records: their names, forms and places.

/// What a field's value must look like (dataset format, "Values").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Digits, as a number or a string, up to 2^64−1.
    Integer,
    /// The integer 0 or 1.
    Bit,
    /// A string, or an integer number kept as its digits.
    Text,
    /// Text that names another record, which v2 answers as a number if it is
    /// one.
    Reference,
    /// Text of at most 256 bytes.
    Username,
    /// Text that is shown nowhere: a password,
    Password,
    /// or its salted hash.
    PasswordHash,
    /// `YYYY-MM-DD`.
    Date,
    /// `YYYY-MM-DD HH:MM:SS`.
    DateTime,
    /// `Yes` or `No`.
    YesNo,
    /// `-?digits[.digits]`.
    Decimal,
    /// A decimal, or `a` for absent.
    Percentage,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// `±HH:MM`.
    Offset,
    /// The terms of a learner's subject.
    Terms,
}

impl Form {
    /// Whether no fault and no log may show the value.
    pub(crate) const fn is_secret(self) -> bool {
        matches!(self, Form::Password | Form::PasswordHash)
    }
}

/// Where a field's value is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the key; in the rendering too if it is answered there.
    Key { answered: bool },
    /// In the rendering: it is answered as it stands.
    Answered,
    /// Beside the rendering.
    Kept,
}

/// One field of a kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) place: Place,
    pub(crate) required: bool,
    /// Under which number the value is a fact, if it can be one. Part of the format:
    /// a number once given is never given to another field of the kind.
    pub(crate) fact: Option<u8>,
}

impl Field {
    /// A part of the key that the record's answer does not bear.
    pub(crate) const fn key(name: &'static str) -> Field {
        Field {
            name,
            form: Form::Integer,
            place: Place::Key { answered: false },
            required: true,
            fact: None,
        }
    }

    /// A part of the key that stands in the record's answer.
    pub(crate) const fn id(name: &'static str) -> Field {
        Field {
            place: Place::Key { answered: true },
            ..Field::key(name)
        }
    }

    /// A field that is answered, or empty.
    pub(crate) const fn of(name: &'static str, form: Form) -> Field {
        Field {
            name,
            form,
            place: Place::Answered,
            required: false,
            fact: None,
        }
    }

    /// A decimal that is answered with two places, and a fact where they cannot
    /// hold it.
    pub(crate) const fn decimal(name: &'static str, fact: u8) -> Field {
        Field {
            fact: Some(fact),
            ..Field::of(name, Form::Decimal)
        }
    }

    pub(crate) const fn text(name: &'static str) -> Field {
        Field::of(name, Form::Text)
    }

    pub(crate) const fn reference(name: &'static str) -> Field {
        Field::of(name, Form::Reference)
    }

    /// Not answered with the record itself: a fact of this number.
    pub(crate) const fn kept(self, fact: u8) -> Field {
        Field {
            place: Place::Kept,
            fact: Some(fact),
            ..self
        }
    }

    pub(crate) const fn required(self) -> Field {
        Field {
            required: true,
            ..self
        }
    }

    pub(crate) const fn is_key(&self) -> bool {
        matches!(self.place, Place::Key { .. })
    }

    pub(crate) const fn is_answered(&self) -> bool {
        matches!(self.place, Place::Answered | Place::Key { answered: true })
    }
}

/// The place of a field among others, known when this is compiled.
pub(crate) const fn position(fields: &[Field], name: &str) -> usize {
    let mut at = 0;
    let mut rest = fields;
    while let [field, others @ ..] = rest {
        if same(field.name.as_bytes(), name.as_bytes()) {
            return at;
        }
        at += 1;
        rest = others;
    }
    at
}

/// The number of the fact that a field is, known when this is compiled; 0 if it
/// is none.
pub(crate) const fn fact(fields: &[Field], name: &str) -> u8 {
    let mut rest = fields;
    while let [field, others @ ..] = rest {
        if let (true, Some(fact)) = (same(field.name.as_bytes(), name.as_bytes()), field.fact) {
            return fact;
        }
        rest = others;
    }
    0
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    match (a, b) {
        ([], []) => true,
        ([x, a @ ..], [y, b @ ..]) => *x == *y && same(a, b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::record::Kind;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_facts_of_a_kind_have_one_number() {
        for kind in Kind::ALL {
            let numbers: Vec<_> = kind.fields().iter().filter_map(|f| f.fact).collect();
            let distinct: BTreeSet<_> = numbers.iter().collect();
            assert_eq!(distinct.len(), numbers.len(), "{kind:?}");
            assert!(!numbers.contains(&0), "{kind:?}");
        }
    }
}
