//! Query strings: their escapes, and the values of their parameters.

use super::faults::{Faults, Wrong};
use crate::Date;
use crate::query::LearnerStatus;
use crate::record::learner::STATUSES;
use crate::record::value::integer;
use std::borrow::Cow;

/// A segment of a path without its percent escapes.
pub(super) fn decode_path(segment: &str) -> Cow<'_, str> {
    decode(segment, false)
}

/// The name of a parameter without its escapes.
pub(super) fn decode_parameter(name: &str) -> Cow<'_, str> {
    decode(name, true)
}

/// Resolves `%xx`, and `+` to a blank where that is meant. An invalid escape
/// stays as it is; invalid UTF-8 becomes U+FFFD.
fn decode(text: &str, plus_is_blank: bool) -> Cow<'_, str> {
    let special = |byte: u8| byte == b'%' || (plus_is_blank && byte == b'+');
    if !text.bytes().any(special) {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let hex = |digit: u8| char::from(digit).to_digit(16);
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if let (b'%', [high, low, after @ ..]) = (byte, after)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            bytes.push((high * 16 + low).to_le_bytes()[0]);
            rest = after;
        } else {
            bytes.push(if plus_is_blank && *byte == b'+' {
                b' '
            } else {
                *byte
            });
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// A query string.
#[derive(Clone, Copy)]
pub(super) struct Params<'a>(pub(super) &'a str);

impl<'a> Params<'a> {
    /// The value of the last parameter of this name; nothing if that is empty.
    pub(super) fn get(self, name: &str) -> Option<Cow<'a, str>> {
        self.given(name).filter(|value| !value.is_empty())
    }

    /// The value of the last parameter of this name, empty or not.
    fn given(self, name: &str) -> Option<Cow<'a, str>> {
        self.0.rsplit('&').find_map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key, true) == name).then(|| decode(value, true))
        })
    }

    /// A switch such as `include_parents`: given with any value but these few, or
    /// none.
    pub(super) fn includes(self, name: &str) -> bool {
        let given = self.given(name);
        given.is_some_and(|value| {
            !["0", "false", "no"]
                .iter()
                .any(|off| value.eq_ignore_ascii_case(off))
        })
    }

    pub(super) fn number(self, name: &'static str, faults: &mut Faults) -> Option<u64> {
        self.integer(name, Wrong::Number, faults)
    }

    pub(super) fn id(self, name: &'static str, faults: &mut Faults) -> Option<u64> {
        self.integer(name, Wrong::Id, faults)
    }

    fn integer(self, name: &'static str, wrong: Wrong, faults: &mut Faults) -> Option<u64> {
        let value = self.get(name)?;
        let number = integer(&value);
        if number.is_none() {
            faults.add(name, wrong);
        }
        number
    }

    pub(super) fn date(self, name: &'static str, faults: &mut Faults) -> Option<Date> {
        let value = self.get(name)?;
        let date = Date::parse(value.as_bytes());
        if date.is_none() {
            faults.add(name, Wrong::Date);
        }
        date
    }

    /// `1` or `true`, `0` or `false`; off if it is not given.
    pub(super) fn boolean(self, name: &'static str, faults: &mut Faults) -> bool {
        let value = self.get(name).unwrap_or(Cow::Borrowed("0"));
        let is = |text: &str| value.eq_ignore_ascii_case(text);
        let is_set = is("1") || is("true");
        if !is_set && !is("0") && !is("false") {
            faults.add(name, Wrong::Boolean);
        }
        is_set
    }

    pub(super) fn status(self, faults: &mut Faults) -> LearnerStatus {
        let Some(value) = self.get("status") else {
            return LearnerStatus::Current;
        };
        let [current, left, waitlist] = STATUSES;
        match value.as_ref() {
            status if status == current => LearnerStatus::Current,
            status if status == left => LearnerStatus::Left,
            status if status == waitlist => LearnerStatus::Waitlist,
            _ => {
                faults.say("status", "status must be current, left or waitlist");
                LearnerStatus::Current
            }
        }
    }

    /// A grade or several with commas between, each with blanks around or not.
    pub(super) fn grades(self, faults: &mut Faults) -> Vec<u64> {
        let Some(value) = self.get("grade_id") else {
            return Vec::new();
        };
        let grades = value
            .split(',')
            .map(|grade| integer(grade.trim_matches(' ')));
        grades.collect::<Option<_>>().unwrap_or_else(|| {
            faults.add("grade_id", Wrong::Ids);
            Vec::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (text, expected) in [
            ("a%20b+c", "a b c"),
            ("%zz%4", "%zz%4"),
            ("%C3%A9", "é"),
            ("%ff", "\u{fffd}"),
            ("100%", "100%"),
            ("%2", "%2"),
            ("%2b", "+"),
            ("%25%32%30", "%20"),
        ] {
            assert_eq!(decode(text, true), expected, "{text}");
        }
        assert_eq!(decode_path("a+b%2Fc"), "a+b/c");
    }

    #[test]
    fn the_last_of_a_name_wins_and_an_empty_value_is_none() {
        let get = |query, name| Params(query).get(name).map(Cow::into_owned);
        assert_eq!(get("a=1&b=2&a=3", "a").as_deref(), Some("3"));
        assert_eq!(get("a=1&a=", "a"), None);
        assert_eq!(get("a=1&a", "a"), None);
        assert_eq!(get("%61=b=c", "a").as_deref(), Some("b=c"));
        assert_eq!(get("A=1;a=2", "a"), None);
        assert_eq!(get("", "a"), None);
    }

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
            assert_eq!(
                Params(query).includes("include_parents"),
                expected,
                "{query}"
            );
        }
    }
}
