//! Validation errors of a request.

use std::borrow::Cow;

/// An error of one field. Each version of the API has its own text for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// Not an id.
    Id,
    /// Not a list of ids.
    Ids,
    /// Not a number.
    Number,
    /// Not a date.
    Date,
    /// Not a boolean.
    Boolean,
    /// An error with this text in both versions.
    Other(Cow<'static, str>),
}

/// A broken rule that relates several parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The parameters that the rule relates.
    pub(crate) fields: [&'static str; 2],
    pub(crate) text: &'static str,
}

/// The invalid fields, each with its error, in the order in which they are checked. v1 reports
/// the first, v2 all of them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ValidationErrors(Vec<(Cow<'static, str>, Wrong)>);

impl ValidationErrors {
    pub(crate) fn add(&mut self, field: impl Into<Cow<'static, str>>, wrong: Wrong) {
        self.0.push((field.into(), wrong));
    }

    /// Adds an error with the same text in both versions.
    pub(crate) fn add_message(
        &mut self,
        field: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.add(field, Wrong::Other(message.into()));
    }

    /// Adds a broken rule, unless one of its fields already has an error.
    pub(crate) fn add_rule(&mut self, rule: Rule) {
        let is_known = |field: &&str| self.iter().any(|(known, _)| known == *field);
        if !rule.fields.iter().any(is_known) {
            self.append(ValidationErrors::from(rule));
        }
    }

    pub(crate) fn append(&mut self, mut others: ValidationErrors) {
        self.0.append(&mut others.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn first(&self) -> Option<(&str, &Wrong)> {
        self.iter().next()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Wrong)> {
        self.0.iter().map(|(field, wrong)| (field.as_ref(), wrong))
    }
}

impl From<Rule> for ValidationErrors {
    fn from(rule: Rule) -> ValidationErrors {
        let mut faults = ValidationErrors::default();
        for field in rule.fields {
            faults.add_message(field, rule.text);
        }
        faults
    }
}
