//! What is wrong with what a request says.

use crate::query::Rule;
use std::borrow::Cow;

/// The fields at fault and what is wrong with each, in the order in which they
/// are checked: v1 answers the first, v2 all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Faults(Vec<(Cow<'static, str>, Cow<'static, str>)>);

impl Faults {
    pub(super) fn add(
        &mut self,
        field: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.0.push((field.into(), message.into()));
    }

    pub(super) fn append(&mut self, mut others: Faults) {
        self.0.append(&mut others.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The message of the first.
    pub(super) fn first(&self) -> &str {
        self.0.first().map_or("", |(_, message)| message)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.iter();
        pairs.map(|(field, message)| (field.as_ref(), message.as_ref()))
    }
}

impl From<Rule> for Faults {
    fn from(rule: Rule) -> Faults {
        let mut faults = Faults::default();
        for field in rule.fields {
            faults.add(field, rule.text);
        }
        faults
    }
}
