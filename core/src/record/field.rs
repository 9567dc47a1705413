//! The declarations of fields: their names, their forms and their storage.

/// The form that a field's value must have (dataset format, "Values").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldForm {
    /// Digits up to 2^64−1, as a number or a string.
    Integer,
    /// Digits with an optional `-`, within 64 bits, as a number or a string.
    Signed,
    /// The integer 0 or 1.
    Bit,
    /// A string, or an integer, which is stored as its digits.
    Text,
    /// Text that refers to another record. v2 answers it as a number if it is one.
    Reference,
    /// Text of at most 256 bytes.
    Username,
    /// A password, as text that is never shown.
    Password,
    /// A salted hash of a password, as text that is never shown.
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
    /// One of these texts, or several, which are stored as a JSON array.
    Choices(&'static [&'static str]),
    /// `±HH:MM`.
    Offset,
    /// The terms of a learner's subject.
    Terms,
    /// An array of texts, stored as canonical JSON.
    Texts,
}

impl FieldForm {
    /// Returns true if no error message and no log may show the value.
    pub(crate) const fn is_secret(self) -> bool {
        matches!(self, FieldForm::Password | FieldForm::PasswordHash)
    }
}

/// The role of a field in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A part of the key, which is also in the pre-rendered record if `answered` is true.
    Key { answered: bool },
    /// A part of the pre-rendered record.
    Answered,
    /// A residual field.
    Residual,
}

/// What a record must have in a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Requirement {
    None,
    /// A synced record must have the value of the service, or none if the service has none. A rule
    /// reads it, so that any other value would cause wrong answers.
    ValueOfService,
    /// Every record must have a value.
    Value,
}

/// The declaration of a field of a kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) form: FieldForm,
    pub(crate) role: Role,
    pub(crate) requirement: Requirement,
    /// The number of the residual field, if the value can be one. It is part of the format, and
    /// is never given to another field of the kind.
    pub(crate) residual_field: Option<u8>,
    /// The filter column that contains the value as a number. It is part of the format.
    pub(crate) filter_column: Option<u8>,
    /// The filter column that contains the position after the value and its quote in the
    /// pre-rendered record. It is part of the format.
    pub(crate) end_column: Option<u8>,
    /// Whether the position of the value in the pre-rendered record is stored.
    pub(crate) spanned: bool,
    /// Whether a search by name includes the value.
    pub(crate) searched: bool,
    /// The value that is equivalent to an empty one.
    pub(crate) default: Option<&'static str>,
    /// The first render version that includes the field, its filter columns and its span.
    pub(crate) since: u32,
}

/// The render version of the first release.
pub(crate) const FIRST_RENDERING: u32 = 1;

impl Field {
    /// Creates a field of the key that is not in the record's answer.
    pub(crate) const fn key(name: &'static str) -> Field {
        Field {
            role: Role::Key { answered: false },
            ..Field::optional(name, FieldForm::Integer).required()
        }
    }

    /// Creates a field of the key that is in the record's answer.
    pub(crate) const fn id(name: &'static str) -> Field {
        Field {
            role: Role::Key { answered: true },
            ..Field::key(name)
        }
    }

    /// Creates the user name as a field of the key.
    pub(crate) const fn username() -> Field {
        Field {
            form: FieldForm::Username,
            ..Field::key("username")
        }
    }

    /// Creates an optional field that is in the record's answer.
    pub(crate) const fn optional(name: &'static str, form: FieldForm) -> Field {
        Field {
            name,
            form,
            role: Role::Answered,
            requirement: Requirement::None,
            residual_field: None,
            filter_column: None,
            end_column: None,
            spanned: false,
            searched: false,
            default: None,
            since: FIRST_RENDERING,
        }
    }

    /// Creates a decimal that is answered with two places. It is also a residual field if two
    /// places do not represent it exactly.
    pub(crate) const fn decimal(name: &'static str, residual_field: u8) -> Field {
        Field {
            residual_field: Some(residual_field),
            ..Field::optional(name, FieldForm::Decimal)
        }
    }

    pub(crate) const fn text(name: &'static str) -> Field {
        Field::optional(name, FieldForm::Text)
    }

    pub(crate) const fn reference(name: &'static str) -> Field {
        Field::optional(name, FieldForm::Reference)
    }

    /// Changes the field to a residual field with this number, which is not in the record's
    /// answer.
    pub(crate) const fn residual(self, residual_field: u8) -> Field {
        Field {
            role: Role::Residual,
            residual_field: Some(residual_field),
            ..self
        }
    }

    pub(crate) const fn required(self) -> Field {
        Field {
            requirement: Requirement::Value,
            ..self
        }
    }

    /// Marks the field as one that rules read.
    pub(crate) const fn ruling(self) -> Field {
        Field {
            requirement: Requirement::ValueOfService,
            ..self
        }
    }

    /// Returns whether a record must have a value of the field.
    pub(crate) const fn is_required(&self) -> bool {
        matches!(self.requirement, Requirement::Value)
    }

    /// Returns whether a synced record must have the value that the service has.
    pub(crate) const fn is_ruling(&self) -> bool {
        !matches!(self.requirement, Requirement::None)
    }

    pub(crate) const fn filter_column(self, filter_column: u8) -> Field {
        Field {
            filter_column: Some(filter_column),
            ..self
        }
    }

    pub(crate) const fn end_column(self, filter_column: u8) -> Field {
        Field {
            end_column: Some(filter_column),
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

    /// Sets the render version that adds the field, its filter column or its span. An addition
    /// must use the next version after
    /// [`RENDER_VERSION`](super::stored::pre_render::RENDER_VERSION).
    // No field of the first version uses this. The crate `tests/next` adds fields that do.
    #[allow(dead_code)]
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

/// Returns the index of a field. It is evaluated at compile time, and compilation fails if
/// there is no such field.
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

/// Returns `N` consecutive positions.
pub(crate) const fn positions_from<const N: usize>(first: usize) -> [usize; N] {
    let mut positions = [first; N];
    let (mut rest, mut at): (&mut [usize], usize) = (&mut positions, first);
    while let [position, others @ ..] = rest {
        *position = at;
        at += 1;
        rest = others;
    }
    positions
}

/// Returns the number of a text in the filter column of a choice: its index in the choices.
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

/// Returns the number of a residual field.
pub(crate) const fn residual_field(fields: &[Field], name: &str) -> u8 {
    given(find(fields, name).residual_field)
}

/// Returns the filter column of a field's value.
pub(crate) const fn filter_column(fields: &[Field], name: &str) -> usize {
    given(find(fields, name).filter_column) as usize
}

/// Returns the filter column of the end of a field's value in the pre-rendered record.
pub(crate) const fn end_column(fields: &[Field], name: &str) -> usize {
    given(find(fields, name).end_column) as usize
}

/// Returns the index of a field among those with stored spans.
pub(crate) const fn span(fields: &[Field], name: &str) -> usize {
    let (before, _) = fields.split_at(position(fields, name));
    spans(before)
}

/// Returns the number of fields with stored spans.
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
