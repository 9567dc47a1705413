//! The fields of the access and curriculum records (`dataset.md`, "Kinds"), in the order of its
//! table.

/// The form of a field's value (`dataset.md`, "Values").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An unsigned integer, stored without leading zeros.
    Integer,
    /// An integer with an optional minus sign.
    Signed,
    /// An integer that is 0 or 1.
    Bit,
    /// A string, or an integer number.
    Text,
    /// Text of at most 256 bytes.
    Username,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// One of these texts, or an array of them.
    Choices(&'static [&'static str]),
    /// `YYYY-MM-DD`
    Date,
    /// `YYYY-MM-DD HH:MM:SS`
    DateTime,
    /// `-?digits[.digits]`
    Decimal,
    /// A decimal or `a`.
    Percentage,
    /// `±HH:MM`
    Offset,
    /// Text that no fault contains.
    Password,
    /// An Argon2id hash, which no fault contains either.
    Hash,
    /// The terms of a `learner_subject`.
    Terms,
    /// An array of text.
    Texts,
}

/// A field of a kind of record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) key: bool,
    pub(crate) required: bool,
}

/// Returns an integer field that is part of the key.
pub(crate) const fn key(name: &'static str) -> Field {
    Field {
        name,
        form: Form::Integer,
        key: true,
        required: true,
    }
}

/// Returns a field that may be empty.
pub(crate) const fn optional(name: &'static str, form: Form) -> Field {
    Field {
        name,
        form,
        key: false,
        required: false,
    }
}

/// Returns a field outside the key that must not be empty.
pub(crate) const fn required(name: &'static str, form: Form) -> Field {
    Field {
        name,
        form,
        key: false,
        required: true,
    }
}

/// Returns a text field that may be empty.
pub(crate) const fn text(name: &'static str) -> Field {
    optional(name, Form::Text)
}

const USERNAME: Field = Field {
    name: "username",
    form: Form::Username,
    key: true,
    required: true,
};

const FAMILIES: Form = Form::Choices(&["administration", "curriculum", "finance", "parents"]);

pub(super) const API_TYPE: &[Field] = &[
    key("api_type_id"),
    text("api_type"),
    required("family", FAMILIES),
];

pub(super) const INTEGRATOR: &[Field] = &[
    USERNAME,
    optional("password", Form::Password),
    optional("password_hash", Form::Hash),
];

pub(super) const CLIENT_INTEGRATION: &[Field] = &[
    USERNAME,
    key("school_id"),
    key("api_type_id"),
    optional("state", Form::Bit),
];

pub(super) const YEAR: &[Field] = &[key("school_id"), key("year"), text("year_name")];

pub(super) const TERM: &[Field] = &[
    key("school_id"),
    key("year"),
    key("term"),
    required("term_id", Form::Integer),
    optional("start_date", Form::Date),
    optional("end_date", Form::Date),
];

pub(super) const GRADE: &[Field] = &[
    key("school_id"),
    key("grade_id"),
    text("grade"),
    text("name"),
];

pub(super) const LOOKUP: &[Field] = &[key("id"), text("name")];

pub(super) const SUBJECT: &[Field] = &[
    key("school_id"),
    key("subject_id"),
    text("subject_name"),
    text("super_subject_id"),
    text("super_subject_name"),
];

pub(super) const LEARNER_SUBJECT: &[Field] = &[
    key("school_id"),
    key("learner_id"),
    key("year"),
    key("subject_id"),
    optional("grade_id", Form::Integer),
    optional("terms", Form::Terms),
];

/// The fields of one element of `terms`.
pub(super) const TERMS: &[Field] = &[
    required("term", Form::Integer),
    text("subject_group_id"),
    text("subject_group_name"),
    text("classroom_id"),
    text("classroom_name"),
    text("subject_group_teacher_id"),
    optional("mark", Form::Decimal),
];

pub(super) const LEARNING_OUTCOME: &[Field] = &[
    key("school_id"),
    key("learning_outcome_id"),
    text("learning_outcome_name"),
];

pub(super) const LEARNING_PROGRAM: &[Field] = &[
    key("school_id"),
    key("grade_id"),
    key("year"),
    key("term"),
    key("subject_id"),
    optional("mark_release_date", Form::Date),
    optional("released", Form::Bit),
];

pub(super) const ASSESSMENT: &[Field] = &[
    key("school_id"),
    key("assessment_id"),
    required("grade_id", Form::Integer),
    required("year", Form::Integer),
    required("term", Form::Integer),
    required("subject_id", Form::Integer),
    required("learning_outcome_id", Form::Integer),
    text("assessment_name"),
    required("assessment_date", Form::Date),
    required("weight", Form::Decimal),
    optional("mark_out_of", Form::Decimal),
];

pub(super) const MARK: &[Field] = &[
    key("school_id"),
    key("assessment_id"),
    key("learner_id"),
    optional("mark", Form::Decimal),
    optional("percentage", Form::Percentage),
    optional("captured", Form::Bit),
    optional("dtime", Form::DateTime),
];

pub(super) const ABSENTEE: &[Field] = &[
    key("school_id"),
    key("id"),
    required("learner_id", Form::Integer),
    required("absent_date", Form::Date),
    text("absent_reason"),
];

pub(super) const DISCIPLINE: &[Field] = &[
    key("school_id"),
    key("id"),
    required("learner_id", Form::Integer),
    required("discipline_date", Form::Date),
    text("discipline_category"),
    text("discipline_reason"),
    optional("discipline_points", Form::Signed),
    text("discipline_remarks"),
    text("staff_member_id"),
];
