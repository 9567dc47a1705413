//! Pseudonymisation replaces the personal data of a school. Order, relations, lengths and the
//! distances between dates remain, so that each request, translated to the new ids, names and days,
//! has the same status and as many records.
//!
//! - `keyed`: numbers that depend on the key. `ids`: new ids in the same order. `letters`: new
//!   texts.
//!
//! Anyone who has the key, or knows some of the people, may identify others. Such a dataset is
//! therefore not anonymous.

mod ids;
mod keyed;
mod letters;

use super::marks_by_assessment::KeyedMark;
use crate::date::Date;
use crate::error::{Error, Failure, Result};
use crate::json::{self, elements};
use crate::record::field::{Field, FieldForm};
use crate::record::values::decimal::PackedDecimal;
use crate::record::values::terms::{self, GROUP_FIELDS};
use crate::record::values::value::{EnrolledTerm, integer};
use crate::record::{Kind, Value};
use ids::PseudonymIds;
use keyed::Keyed;
use letters::Exchange;
use std::borrow::Cow;

/// The number of years by which each date moves. After 28 years, weekdays and leap years are the
/// same.
const YEARS: u16 = 28;

/// The maximum number of days by which a date of birth moves in addition.
const BIRTH_DAYS: u64 = 15;

/// Replaces the names in records.
pub(crate) trait Renamer: Send + Sync {
    /// Replaces the names and other values of a record.
    fn rename(&mut self, kind: Kind, values: &mut [Value<'_>]) -> Result<()>;

    /// Exchanges the marks of each assessment among the learners that have one.
    fn exchange(&self, marks: &mut [KeyedMark]);
}

/// The pseudonyms that belong to one key.
pub(crate) struct Pseudonyms {
    keyed: Keyed,
    ids: PseudonymIds,
}

impl Pseudonyms {
    pub(crate) fn new(key: &[u8; 32]) -> Pseudonyms {
        Pseudonyms {
            keyed: Keyed::new(key),
            ids: PseudonymIds::new(),
        }
    }
}

impl Renamer for Pseudonyms {
    /// Replaces the values of a record, except those of an API type, which contains no personal
    /// data.
    fn rename(&mut self, kind: Kind, values: &mut [Value<'_>]) -> Result<()> {
        if kind == Kind::ApiType {
            return Ok(());
        }
        let id = values.get(1).and_then(Value::integer).unwrap_or(0);
        for (field, value) in kind.fields().iter().zip(values) {
            self.value(field, id, value)?;
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
    fn value(&mut self, field: &Field, id: u64, value: &mut Value<'_>) -> Result<()> {
        *value = match value {
            Value::Empty | Value::Absent => return Ok(()),
            Value::Integer(number) => Value::Integer(self.integer(field, *number)?),
            Value::Text(text) => match self.text(field, text)? {
                Some(text) => Value::Text(Cow::Owned(text)),
                None => return Ok(()),
            },
            Value::Date(date) if field.name == "date_of_birth" => {
                Value::Date(self.birth(*date, id))
            }
            Value::Date(date) => Value::Date(date.years_after(YEARS)),
            Value::DateTime(time) => Value::DateTime(time.years_after(YEARS)),
            // The weights of assessments are not personal data.
            Value::Decimal(_) if matches!(field.name, "weight" | "mark_out_of") => return Ok(()),
            Value::Decimal(decimal) => Value::Decimal(self.with_other_digits(id, *decimal)),
            Value::Terms(terms) => return self.terms(id, terms),
        };
        Ok(())
    }

    fn integer(&mut self, field: &Field, number: u64) -> Result<u64> {
        match (field.form, field.name) {
            (FieldForm::Bit, _) | (_, "term") => Ok(number),
            (_, "year" | "current_year") => Ok(number.saturating_add(u64::from(YEARS))),
            _ => self.ids.pseudonym(&self.keyed, number),
        }
    }

    /// Returns the pseudonym of a text, or `None` if the text is one of a few that all schools use.
    fn text(&mut self, field: &Field, text: &str) -> Result<Option<String>> {
        let exchange = match field.form {
            FieldForm::Choice(_)
            | FieldForm::Choices(_)
            | FieldForm::YesNo
            | FieldForm::Offset
            | FieldForm::Signed => {
                return Ok(None);
            }
            FieldForm::Texts => return self.array(text).map(Some),
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

    /// Returns an array of texts with each text replaced.
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

    /// Moves a date of birth by some days.
    fn birth(&self, date: Date, id: u64) -> Date {
        let moved = date.years_after(YEARS);
        let days = self.keyed.number(b"birth", &[id, date.number()]) % (2 * BIRTH_DAYS + 1);
        match days.checked_sub(BIRTH_DAYS) {
            Some(later) => moved.days_after(later),
            None => moved.days_before(BIRTH_DAYS - days),
        }
    }

    /// Returns a number with as many digits and the same first digit, not counting leading zeros.
    /// A zero remains, so that 100 does not become larger.
    fn with_other_digits(&self, id: u64, decimal: PackedDecimal) -> PackedDecimal {
        let mut text = Vec::new();
        decimal.push_exact(&mut text);
        let digits = text.iter_mut().filter(|byte| (b'1'..=b'9').contains(*byte));
        for (place, digit) in digits.enumerate().skip(1) {
            let with = self
                .keyed
                .number(b"digit", &[id, place as u64, u64::from(*digit)])
                % 9;
            *digit = b'1' + u8::try_from(with).unwrap_or(0);
        }
        let found = std::str::from_utf8(&text)
            .ok()
            .and_then(PackedDecimal::parse);
        found.unwrap_or(decimal)
    }

    fn terms(&mut self, id: u64, terms: &mut [EnrolledTerm<'_>]) -> Result<()> {
        for term in terms {
            let fields = terms::FIELDS.get(GROUP_FIELDS).unwrap_or_default();
            for (field, text) in fields.iter().zip(&mut term.group) {
                if let Some(renamed) = self.text(field, text)? {
                    *text = Cow::Owned(renamed);
                }
            }
            if let Some(mark) = &mut term.mark {
                *mark = self.with_other_digits(id, *mark);
            }
        }
        Ok(())
    }
}

fn damaged() -> Failure {
    Error::corrupt("an array of texts is invalid")
}
