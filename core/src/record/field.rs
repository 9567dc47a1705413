//! The fields of the kinds of records: their names, their forms and where they are kept.

/// What a field's value must look like (dataset format, "Values").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Digits, as a number or a string, up to 2^64−1.
    Integer,
    /// Digits, with a `-` before or not, as a number or a string, within 64 bits.
    Signed,
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
    /// One of them, or several, which are kept as the JSON of an array.
    Choices(&'static [&'static str]),
    /// `±HH:MM`.
    Offset,
    /// The terms of a learner's subject.
    Terms,
    /// An array of text, kept as canonical JSON.
    Texts,
}

impl Form {
    /// Whether no fault and no log may show the value.
    pub(crate) const fn is_secret(self) -> bool {
        matches!(self, Form::Password | Form::PasswordHash)
    }
}

/// What a field is to its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// In the key; in the rendering too if it is answered there.
    Key { answered: bool },
    /// In the rendering: it is answered as it stands.
    Answered,
    /// Beside the rendering, as a fact.
    Fact,
}

/// One field of a kind: all that the rest of the library knows of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) role: Role,
    pub(crate) required: bool,
    /// Under which number the value is a fact, if it can be one. Part of the format:
    /// a number once given is never given to another field of the kind.
    pub(crate) fact: Option<u8>,
    /// Under which tag the value is a number for filters. Part of the format.
    pub(crate) tag: Option<u8>,
    /// Under which tag it is kept where the value ends in the rendering, its quote
    /// included. Part of the format.
    pub(crate) end_tag: Option<u8>,
    /// Whether it is kept where the value stands in the rendering.
    pub(crate) spanned: bool,
    /// Whether a search for a name looks through it.
    pub(crate) searched: bool,
    /// The value that is the same as none.
    pub(crate) default: Option<&'static str>,
    /// The rendering that first had the field, its tags and its span.
    pub(crate) since: u32,
}

/// The rendering of the first release.
pub(crate) const FIRST_RENDERING: u32 = 2;

impl Field {
    /// A part of the key that the record's answer does not bear.
    pub(crate) const fn key(name: &'static str) -> Field {
        Field {
            role: Role::Key { answered: false },
            ..Field::of(name, Form::Integer).required()
        }
    }

    /// A part of the key that stands in the record's answer.
    pub(crate) const fn id(name: &'static str) -> Field {
        Field {
            role: Role::Key { answered: true },
            ..Field::key(name)
        }
    }

    /// The user name as a part of the key.
    pub(crate) const fn username() -> Field {
        Field {
            form: Form::Username,
            ..Field::key("username")
        }
    }

    /// A field that is answered, or empty.
    pub(crate) const fn of(name: &'static str, form: Form) -> Field {
        Field {
            name,
            form,
            role: Role::Answered,
            required: false,
            fact: None,
            tag: None,
            end_tag: None,
            spanned: false,
            searched: false,
            default: None,
            since: FIRST_RENDERING,
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
            role: Role::Fact,
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

    pub(crate) const fn tag(self, tag: u8) -> Field {
        Field {
            tag: Some(tag),
            ..self
        }
    }

    pub(crate) const fn end_tag(self, tag: u8) -> Field {
        Field {
            end_tag: Some(tag),
            ..self
        }
    }

    pub(crate) const fn spanned(self) -> Field {
        Field {
            spanned: true,
            ..self
        }
    }

    pub(crate) const fn searched(self) -> Field {
        Field {
            searched: true,
            ..self
        }
    }

    pub(crate) const fn default(self, value: &'static str) -> Field {
        Field {
            default: Some(value),
            ..self
        }
    }

    /// A field, a tag or a span that a later rendering brings. Whoever adds one gives it
    /// the next number above [`RENDER_VERSION`](super::bake::RENDER_VERSION).
    pub(crate) const fn since(self, rendering: u32) -> Field {
        Field {
            since: rendering,
            ..self
        }
    }

    pub(crate) const fn is_key(&self) -> bool {
        matches!(self.role, Role::Key { .. })
    }

    pub(crate) const fn is_answered(&self) -> bool {
        matches!(self.role, Role::Answered | Role::Key { answered: true })
    }

    const fn is_named(&self, name: &str) -> bool {
        same(self.name.as_bytes(), name.as_bytes())
    }
}

/// The position of a field among others. All of these are known when this is compiled,
/// which fails if there is no such field.
pub(crate) const fn position(fields: &[Field], name: &str) -> usize {
    let (mut at, mut rest) = (0, fields);
    while let [field, others @ ..] = rest {
        if field.is_named(name) {
            break;
        }
        at += 1;
        rest = others;
    }
    assert!(at < fields.len(), "no field has this name");
    at
}

/// The tag of a text in a field of these choices: its position among them.
pub(crate) const fn choice(choices: &[&str], text: &str) -> u64 {
    let (mut at, mut rest) = (0, choices);
    while let [choice, others @ ..] = rest {
        if same(choice.as_bytes(), text.as_bytes()) {
            break;
        }
        at += 1;
        rest = others;
    }
    assert!(!rest.is_empty(), "no choice is this text");
    at
}

const fn find(fields: &[Field], name: &str) -> Field {
    match fields.split_at(position(fields, name)) {
        (_, [field, ..]) => *field,
        _ => Field::text(""),
    }
}

const fn given(number: Option<u8>) -> u8 {
    assert!(number.is_some(), "the field has no such number");
    match number {
        Some(number) => number,
        None => 0,
    }
}

/// The number of the fact that a field is.
pub(crate) const fn fact(fields: &[Field], name: &str) -> u8 {
    given(find(fields, name).fact)
}

/// The tag of a field's value.
pub(crate) const fn tag(fields: &[Field], name: &str) -> usize {
    given(find(fields, name).tag) as usize
}

/// The tag of the end of a field's value in the rendering.
pub(crate) const fn end_tag(fields: &[Field], name: &str) -> usize {
    given(find(fields, name).end_tag) as usize
}

/// The position of a field among those whose spans are kept.
pub(crate) const fn span(fields: &[Field], name: &str) -> usize {
    let (before, _) = fields.split_at(position(fields, name));
    spans(before)
}

/// How many fields have spans that are kept.
pub(crate) const fn spans(fields: &[Field]) -> usize {
    let (mut count, mut rest) = (0, fields);
    while let [field, others @ ..] = rest {
        if field.spanned {
            count += 1;
        }
        rest = others;
    }
    count
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    match (a, b) {
        ([], []) => true,
        ([x, a @ ..], [y, b @ ..]) => *x == *y && same(a, b),
        _ => false,
    }
}
