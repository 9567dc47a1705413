//! Records under other names: a school's shape without its people. Order, relations, lengths
//! and dates' distances stay, so that each request, put into the other ids, names and days, has
//! the same status and as many records.
//!
//! - `ids`: numbers, in their order. `letters`: texts.
//!
//! Who has the key, or knows some of the people, can find others again: such a dataset is
//! no anonymous one.

mod ids;
mod letters;

use super::marks_by_assessment::KeyedMark;
use crate::date::Date;
use crate::error::{Error, Failure, Result};
use crate::json::{self, elements};
use crate::record::decimal::Decimal;
use crate::record::field::{Field, Form};
use crate::record::terms::{self, GROUP_FIELDS};
use crate::record::value::{EnrolledTerm, integer};
use crate::record::{Kind, Value};
use blake2::{Blake2s256, Digest};
use ids::Ids;
use letters::Exchange;
use siphasher::sip::SipHasher24;
use std::borrow::Cow;
use std::hash::Hasher;

/// Years by which every date moves: the days of the week come round, and leap years too.
const YEARS: u16 = 28;

/// Days by which a birth may move beside.
const BIRTH_DAYS: u64 = 15;

/// Numbers that nobody foretells who has not the key.
struct Keyed(SipHasher24);

impl Keyed {
    fn new(key: &[u8; 32]) -> Keyed {
        let digest = Blake2s256::new()
            .chain_update(b"pseudonyms")
            .chain_update(key)
            .finalize();
        let mut half = [0; 16];
        for (to, from) in half.iter_mut().zip(digest) {
            *to = from;
        }
        Keyed(SipHasher24::new_with_key(&half))
    }

    fn number(&self, of: &[u8], numbers: &[u64]) -> u64 {
        let mut hasher = self.0;
        hasher.write(&(of.len() as u64).to_le_bytes());
        hasher.write(of);
        for number in numbers {
            hasher.write(&number.to_le_bytes());
        }
        hasher.finish()
    }
}

/// Other names than the records' own.
pub(super) trait Names: Send + Sync {
    /// Puts a record under them.
    fn rename(&mut self, kind: Kind, values: &mut [Value<'_>]) -> Result<()>;

    /// Gives the marks of each assessment to others who have one there.
    fn exchange(&self, marks: &mut [KeyedMark]);
}

/// The pseudonyms under one key.
pub(super) struct Pseudonyms {
    keyed: Keyed,
    ids: Ids,
}

impl Pseudonyms {
    pub(super) fn new(key: &[u8; 32]) -> Pseudonyms {
        Pseudonyms {
            keyed: Keyed::new(key),
            ids: Ids::new(),
        }
    }
}

impl Names for Pseudonyms {
    /// API types are nobody's.
    fn rename(&mut self, kind: Kind, values: &mut [Value<'_>]) -> Result<()> {
        if kind == Kind::ApiType {
            return Ok(());
        }
        let who = values.get(1).and_then(Value::integer).unwrap_or(0);
        for (field, value) in kind.fields().iter().zip(values) {
            self.value(field, who, value)?;
        }
        Ok(())
    }

    fn exchange(&self, marks: &mut [KeyedMark]) {
        for marks in marks.chunk_by_mut(|one, other| one.key.0 == other.key.0) {
            for at in (1..marks.len()).rev() {
                let of = marks.get(at).map_or(0, |mark| mark.key.0);
                let with = self.keyed.number(b"mark", &[of, at as u64]) % (at as u64 + 1);
                let Ok(with) = usize::try_from(with) else {
                    continue;
                };
                if let Ok([one, other]) = marks.get_disjoint_mut([with, at]) {
                    std::mem::swap(&mut one.mark, &mut other.mark);
                }
            }
        }
    }
}

impl Pseudonyms {
    fn value(&mut self, field: &Field, who: u64, value: &mut Value<'_>) -> Result<()> {
        *value = match value {
            Value::Empty | Value::Absent => return Ok(()),
            Value::Integer(number) => Value::Integer(self.integer(field, *number)?),
            Value::Text(text) => match self.text(field, text)? {
                Some(text) => Value::Text(Cow::Owned(text)),
                None => return Ok(()),
            },
            Value::Date(date) if field.name == "date_of_birth" => {
                Value::Date(self.birth(*date, who))
            }
            Value::Date(date) => Value::Date(date.years_after(YEARS)),
            Value::DateTime(time) => Value::DateTime(time.years_after(YEARS)),
            // What an assessment counts is nobody's.
            Value::Decimal(_) if matches!(field.name, "weight" | "mark_out_of") => return Ok(()),
            Value::Decimal(decimal) => Value::Decimal(self.with_other_digits(who, *decimal)),
            Value::Terms(terms) => return self.terms(who, terms),
        };
        Ok(())
    }

    fn integer(&mut self, field: &Field, number: u64) -> Result<u64> {
        match (field.form, field.name) {
            (Form::Bit, _) | (_, "term") => Ok(number),
            (_, "year" | "current_year") => Ok(number.saturating_add(u64::from(YEARS))),
            _ => self.ids.pseudonym(&self.keyed, number),
        }
    }

    /// A text under another name; nothing if it is one of a few that all schools have.
    fn text(&mut self, field: &Field, text: &str) -> Result<Option<String>> {
        let exchange = match field.form {
            Form::Choice(_) | Form::Choices(_) | Form::YesNo | Form::Offset | Form::Signed => {
                return Ok(None);
            }
            Form::Texts => return self.array(text).map(Some),
            _ if field.searched => Exchange::Letters,
            _ => Exchange::Texts,
        };
        if (field.name.ends_with("_id") || field.name == "family_code")
            && let Some(number) = integer(text)
        {
            let digits = text.trim_start_matches('0');
            let zeros = text.len() - digits.len().max(1);
            let number = self.ids.pseudonym(&self.keyed, number)?;
            return Ok(Some(format!("{}{number}", "0".repeat(zeros))));
        }
        Ok(Some(letters::pseudonym(&self.keyed, text, exchange)))
    }

    /// An array of texts, each by itself.
    fn array(&self, array: &str) -> Result<String> {
        let mut out = b"[".to_vec();
        for element in elements(array).ok_or_else(damaged)? {
            if out.len() > 1 {
                out.push(b',');
            }
            let text = json::string(element).ok_or_else(damaged)?;
            json::push_string(
                &mut out,
                &letters::pseudonym(&self.keyed, &text, Exchange::Texts),
            );
        }
        out.push(b']');
        String::from_utf8(out).map_err(|_| damaged())
    }

    /// Some days before or after.
    fn birth(&self, date: Date, who: u64) -> Date {
        let moved = date.years_after(YEARS);
        let days = self.keyed.number(b"birth", &[who, date.number()]) % (2 * BIRTH_DAYS + 1);
        match days.checked_sub(BIRTH_DAYS) {
            Some(later) => moved.days_after(later),
            None => moved.days_before(BIRTH_DAYS - days),
        }
    }

    /// A number of as many digits, which begins alike. A nought stays, so that 100 is no more.
    fn with_other_digits(&self, who: u64, decimal: Decimal) -> Decimal {
        let mut text = Vec::new();
        decimal.push_exact(&mut text);
        let digits = text.iter_mut().filter(|byte| (b'1'..=b'9').contains(*byte));
        for (place, digit) in digits.enumerate().skip(1) {
            let with = self
                .keyed
                .number(b"digit", &[who, place as u64, u64::from(*digit)])
                % 9;
            *digit = b'1' + u8::try_from(with).unwrap_or(0);
        }
        let found = std::str::from_utf8(&text).ok().and_then(Decimal::parse);
        found.unwrap_or(decimal)
    }

    fn terms(&mut self, who: u64, terms: &mut [EnrolledTerm<'_>]) -> Result<()> {
        for term in terms {
            let fields = terms::FIELDS.get(GROUP_FIELDS).unwrap_or_default();
            for (field, text) in fields.iter().zip(&mut term.group) {
                if let Some(renamed) = self.text(field, text)? {
                    *text = Cow::Owned(renamed);
                }
            }
            if let Some(mark) = &mut term.mark {
                *mark = self.with_other_digits(who, *mark);
            }
        }
        Ok(())
    }
}

fn damaged() -> Failure {
    Error::corrupt("an array of texts is none")
}
