//! What is wrong with what a request says.

use std::borrow::Cow;

/// What is wrong with a field. Each version has its own words for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// No id.
    Id,
    /// No list of ids.
    Ids,
    /// No number.
    Number,
    /// No date.
    Date,
    /// Neither true nor false.
    Boolean,
    /// What both versions say in these words.
    Other(Cow<'static, str>),
}

/// A rule that joins parameters, broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    /// The parameters that it joins.
    pub(crate) fields: [&'static str; 2],
    pub(crate) text: &'static str,
}

/// The fields at fault and what is wrong with each, in the order in which they
/// are checked: v1 answers the first, v2 all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Faults(Vec<(Cow<'static, str>, Wrong)>);

impl Faults {
    pub(crate) fn add(&mut self, field: impl Into<Cow<'static, str>>, wrong: Wrong) {
        self.0.push((field.into(), wrong));
    }

    /// Adds what both versions say in the same words.
    pub(crate) fn say(
        &mut self,
        field: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.add(field, Wrong::Other(message.into()));
    }

    /// Adds a broken rule, unless one of its fields is at fault by itself.
    pub(crate) fn add_rule(&mut self, rule: Rule) {
        let is_known = |field: &&str| self.iter().any(|(known, _)| known == *field);
        if !rule.fields.iter().any(is_known) {
            self.append(Faults::from(rule));
        }
    }

    pub(crate) fn append(&mut self, mut others: Faults) {
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

impl From<Rule> for Faults {
    fn from(rule: Rule) -> Faults {
        let mut faults = Faults::default();
        for field in rule.fields {
            faults.say(field, rule.text);
        }
        faults
    }
}
