//! The parameters of a question. Each access names a parameter and its type, and records a
//! validation error if its value is invalid.

use crate::date::Date;
use crate::json::ApiVersion;
use crate::query::parameters::validation_errors::{ValidationErrors, Wrong};
use crate::record::values::value::integer;
use crate::url::QueryString;
use std::borrow::Cow;

/// The parameters of a request whose endpoint is known.
pub(crate) struct Params<'a> {
    pub(crate) version: ApiVersion,
    /// The user name of the integrator.
    pub(crate) username: &'a str,
    /// The school, if the request names one.
    pub(crate) school: Option<u64>,
    /// The id of the record that the path names. It replaces the parameter.
    pub(crate) id: Option<u64>,
    pub(crate) query: QueryString<'a>,
    faults: ValidationErrors,
    pub(crate) is_for_another: bool,
    /// The parameters that were read, if they are to be recorded.
    recorded: Option<Vec<Param>>,
}

/// The description of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Param {
    pub(crate) name: &'static str,
    pub(crate) form: ParamForm,
    /// Whether v2's path may name the record instead.
    pub(crate) is_path: bool,
    pub(crate) is_required: bool,
}

/// The form that the value of a parameter must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParamForm {
    /// Digits up to 2^64−1.
    Integer,
    /// One integer, or several separated by commas.
    Integers,
    /// `YYYY-MM-DD`.
    Date,
    /// `1` or `true`, `0` or `false`.
    Boolean,
    /// A parameter that is on if it is present, unless its value is one of `0`, `false` and `no`.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    Text,
}

impl<'a> Params<'a> {
    /// Creates the parameters of a query string, without a school and without an integrator.
    pub(crate) fn new(version: ApiVersion, query: &'a str) -> Params<'a> {
        Params {
            version,
            username: "",
            school: None,
            id: None,
            query: QueryString(query),
            faults: ValidationErrors::default(),
            is_for_another: false,
            recorded: None,
        }
    }

    /// Creates parameters that record which names are read.
    pub(crate) fn recording(version: ApiVersion, query: &'a str) -> Params<'a> {
        Params {
            recorded: Some(Vec::new()),
            ..Params::new(version, query)
        }
    }

    pub(crate) fn recorded(self) -> Vec<Param> {
        self.recorded.unwrap_or_default()
    }

    /// Removes and returns the validation errors found so far.
    pub(crate) fn take_faults(&mut self) -> ValidationErrors {
        std::mem::take(&mut self.faults)
    }

    /// Returns the school of a request that is about one school.
    pub(crate) fn school(&self) -> u64 {
        self.school.unwrap_or(0)
    }

    fn record(&mut self, name: &'static str, form: ParamForm) -> Option<&mut Param> {
        let recorded = self.recorded.as_mut()?;
        recorded.push(Param {
            name,
            form,
            is_path: false,
            is_required: false,
        });
        recorded.last_mut()
    }

    /// Returns a value as it is given, or `None` if it is missing or empty.
    pub(crate) fn text(&mut self, name: &'static str) -> Option<Cow<'a, str>> {
        self.record(name, ParamForm::Text);
        self.query.get(name)
    }

    fn parse<T>(
        &mut self,
        name: &'static str,
        form: ParamForm,
        wrong: Wrong,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        self.record(name, form);
        let value = self.query.get(name)?;
        let parsed = parse(&value);
        if parsed.is_none() {
            self.faults.add(name, wrong);
        }
        parsed
    }

    pub(crate) fn number(&mut self, name: &'static str) -> Option<u64> {
        self.parse(name, ParamForm::Integer, Wrong::Number, integer)
    }

    pub(crate) fn id(&mut self, name: &'static str) -> Option<u64> {
        self.parse(name, ParamForm::Integer, Wrong::Id, integer)
    }

    /// Reads an id that is required.
    pub(crate) fn needed_id(&mut self, name: &'static str) -> u64 {
        if self.query.get(name).is_none() {
            self.faults
                .add_message(name, format!("Please provide a {name}"));
        }
        let id = self.id(name).unwrap_or(0);
        if let Some(param) = self.recorded.as_mut().and_then(|params| params.last_mut()) {
            param.is_required = true;
        }
        id
    }

    /// Reads the id of one record, which v2's path may also name. `is_same` states that the
    /// path selects the same record as the parameter.
    pub(crate) fn one(&mut self, name: &'static str, is_same: bool) -> Option<u64> {
        if let Some(param) = self.record(name, ParamForm::Integer) {
            param.is_path = is_same;
        }
        let given = self.query.get(name);
        let named = given.as_deref().and_then(integer);
        if given.is_some() && named.is_none() {
            self.faults.add(name, Wrong::Id);
        }
        self.is_for_another = self.id.is_some() && named.is_some() && named != self.id;
        self.id.or(named)
    }

    pub(crate) fn date(&mut self, name: &'static str) -> Option<Date> {
        self.parse(name, ParamForm::Date, Wrong::Date, |value| {
            Date::parse(value.as_bytes())
        })
    }

    /// Reads a boolean: `1` or `true`, `0` or `false`, and false if it is missing.
    pub(crate) fn boolean(&mut self, name: &'static str) -> bool {
        let parsed = self.parse(name, ParamForm::Boolean, Wrong::Boolean, |value| {
            let is = |text: &str| value.eq_ignore_ascii_case(text);
            if is("1") || is("true") {
                Some(true)
            } else {
                (is("0") || is("false")).then_some(false)
            }
        });
        parsed.unwrap_or(false)
    }

    /// Reads a switch such as `include_parents`.
    pub(crate) fn switch(&mut self, name: &'static str) -> bool {
        self.record(name, ParamForm::Switch);
        self.is_on(name)
    }

    /// Returns true if a switch is present, with or without a value, unless the value is one of
    /// `0`, `false` and `no`.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        let given = self.query.given(name);
        given.is_some_and(|value| {
            !["0", "false", "no"]
                .iter()
                .any(|off| value.eq_ignore_ascii_case(off))
        })
    }

    /// Reads one of the given words and returns its index. The default is the first word.
    pub(crate) fn choice(&mut self, name: &'static str, words: &'static [&'static str]) -> usize {
        self.record(name, ParamForm::Choice(words));
        let Some(value) = self.query.get(name) else {
            return 0;
        };
        let index = words.iter().position(|word| *word == value);
        if index.is_none() {
            let (last, others) = words.split_last().unwrap_or((&"", &[]));
            let others = others.join(", ");
            self.faults
                .add_message(name, format!("{name} must be {others} or {last}"));
        }
        index.unwrap_or(0)
    }

    /// Reads one id, or several separated by commas, with optional spaces around each.
    pub(crate) fn ids(&mut self, name: &'static str) -> Vec<u64> {
        let ids = self.parse(name, ParamForm::Integers, Wrong::Ids, |value| {
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
            let params = Params::new(ApiVersion::V1, query);
            assert_eq!(params.is_on("include_parents"), expected, "{query}");
        }
    }
}
