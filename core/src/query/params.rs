//! The parameters of a question: reading one says its name and its kind, and
//! notes what is wrong with it.

use super::faults::{Faults, Wrong};
use super::{Outcome, Query, Read, Then};
use crate::date::Date;
use crate::error::Result;
use crate::json::Wire;
use crate::record::value::integer;
use crate::url::QueryString;
use std::borrow::Cow;

/// What a request says that has named an endpoint.
pub(crate) struct Params<'a> {
    pub(crate) wire: Wire,
    /// The integrator.
    pub(crate) username: &'a str,
    /// The school, if the request names one.
    pub(crate) school: Option<u64>,
    /// The record that the path names; it stands for the parameter.
    pub(crate) id: Option<u64>,
    pub(crate) query: QueryString<'a>,
    faults: Faults,
    is_for_another: bool,
    /// What was read, if that is to be told.
    told: Option<Vec<Param>>,
}

/// A parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    /// Whether v2's path may name the record instead.
    pub(crate) is_path: bool,
}

impl<'a> Params<'a> {
    /// The parameters of a query string, with no school and no integrator.
    pub(crate) fn of(wire: Wire, query: &'a str) -> Params<'a> {
        Params {
            wire,
            username: "",
            school: None,
            id: None,
            query: QueryString(query),
            faults: Faults::default(),
            is_for_another: false,
            told: None,
        }
    }

    /// The same for v1, telling afterwards what was read.
    pub(super) fn telling(query: &'a str) -> Params<'a> {
        Params {
            told: Some(Vec::new()),
            ..Params::of(Wire::V1, query)
        }
    }

    pub(super) fn told(self) -> Vec<Param> {
        self.told.unwrap_or_default()
    }

    /// What was wrong so far.
    pub(crate) fn take_faults(&mut self) -> Faults {
        std::mem::take(&mut self.faults)
    }

    /// Hands a question on that was read from them.
    pub(super) fn ask(&mut self, question: &dyn Query, then: Then<'_>) -> Result<Outcome> {
        then(Read {
            question,
            faults: self.take_faults(),
            is_for_another: self.is_for_another,
        })
    }

    /// The school of a request that is about one.
    pub(super) fn school(&self) -> u64 {
        self.school.unwrap_or(0)
    }

    fn tell(&mut self, name: &'static str, is_path: bool) {
        if let Some(told) = &mut self.told {
            told.push(Param { name, is_path });
        }
    }

    /// A value as it is given; none if it is empty.
    pub(crate) fn text(&mut self, name: &'static str) -> Option<Cow<'a, str>> {
        self.tell(name, false);
        self.query.get(name)
    }

    fn parse<T>(
        &mut self,
        name: &'static str,
        wrong: Wrong,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.text(name)?;
        let parsed = parse(&value);
        if parsed.is_none() {
            self.faults.add(name, wrong);
        }
        parsed
    }

    pub(super) fn number(&mut self, name: &'static str) -> Option<u64> {
        self.parse(name, Wrong::Number, integer)
    }

    pub(super) fn id(&mut self, name: &'static str) -> Option<u64> {
        self.parse(name, Wrong::Id, integer)
    }

    /// An id without which there is no question.
    pub(super) fn needed_id(&mut self, name: &'static str) -> u64 {
        if self.query.get(name).is_none() {
            self.faults.say(name, format!("Please provide a {name}"));
        }
        self.id(name).unwrap_or(0)
    }

    /// The id of one record, which v2's path may name as well. `is_same`: the
    /// path finds what the parameter does.
    pub(super) fn one(&mut self, name: &'static str, is_same: bool) -> Option<u64> {
        self.tell(name, is_same);
        let given = self.query.get(name);
        let named = given.as_deref().and_then(integer);
        if given.is_some() && named.is_none() {
            self.faults.add(name, Wrong::Id);
        }
        self.is_for_another = self.id.is_some() && named.is_some() && named != self.id;
        self.id.or(named)
    }

    pub(super) fn date(&mut self, name: &'static str) -> Option<Date> {
        self.parse(name, Wrong::Date, |value| Date::parse(value.as_bytes()))
    }

    /// `1` or `true`, `0` or `false`; off if it is not given.
    pub(crate) fn boolean(&mut self, name: &'static str) -> bool {
        let parsed = self.parse(name, Wrong::Boolean, |value| {
            let is = |text: &str| value.eq_ignore_ascii_case(text);
            if is("1") || is("true") {
                Some(true)
            } else {
                (is("0") || is("false")).then_some(false)
            }
        });
        parsed.unwrap_or(false)
    }

    /// A switch such as `include_parents`.
    pub(super) fn switch(&mut self, name: &'static str) -> bool {
        self.tell(name, false);
        self.is_on(name)
    }

    /// Whether a switch is given, with any value but these few, or none.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        let given = self.query.given(name);
        given.is_some_and(|value| {
            !["0", "false", "no"]
                .iter()
                .any(|off| value.eq_ignore_ascii_case(off))
        })
    }

    /// One of these words, the first unless it is given: its position.
    pub(super) fn choice(&mut self, name: &'static str, words: &[&str]) -> usize {
        let Some(value) = self.text(name) else {
            return 0;
        };
        let index = words.iter().position(|word| *word == value);
        if index.is_none() {
            let (last, others) = words.split_last().unwrap_or((&"", &[]));
            let others = others.join(", ");
            self.faults
                .say(name, format!("{name} must be {others} or {last}"));
        }
        index.unwrap_or(0)
    }

    /// An id or several with commas between, each with blanks around or not.
    pub(super) fn ids(&mut self, name: &'static str) -> Vec<u64> {
        let ids = self.parse(name, Wrong::Ids, |value| {
            let ids = value.split(',');
            ids.map(|id| integer(id.trim_matches(' '))).collect()
        });
        ids.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_included_unless_switched_off() {
        for (query, expected) in [
            ("", false),
            ("include_parents", true),
            ("include_parents=", true),
            ("include_parents=x", true),
            ("include_parents=0", false),
            ("include_parents=FALSE", false),
            ("include_parents=No", false),
            ("include_parents=1&include_parents=no", false),
            ("include_parents=0&include_parents", true),
        ] {
            let params = Params::of(Wire::V1, query);
            assert_eq!(params.is_on("include_parents"), expected, "{query}");
        }
    }
}
