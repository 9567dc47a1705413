//! What an answer about accounts takes of a learner.

use super::field::{fact, span, spans};
use super::learner::FIELDS;
use super::value::integer;
use super::{facts, lanes, varint};
use crate::error::{Error, Result};
use crate::store::Run;

const DEBTOR_CODE: u8 = fact(FIELDS, "debtor_code");
const ACCOUNTABLE_PERSON: u8 = fact(FIELDS, "accountable_person_id");

const GENDER: usize = span(FIELDS, "gender");
const GRADE: usize = span(FIELDS, "grade");
const PARENT1_ID: usize = span(FIELDS, "parent1_id");
const PARENT2_ID: usize = span(FIELDS, "parent2_id");

/// The values, escaped.
pub(crate) struct Account<'a> {
    pub(crate) gender: &'a [u8],
    pub(crate) grade: &'a [u8],
    pub(crate) debtor_code: &'a [u8],
    pub(crate) parent1_id: &'a [u8],
    pub(crate) parent2_id: &'a [u8],
    pub(crate) accountable_person_id: &'a [u8],
}

impl<'a> Account<'a> {
    pub(crate) fn of(run: &Run<'a>, index: usize) -> Result<Account<'a>> {
        let rendering = run.record(lanes::RENDERING, index)?;
        let mut behind = run.record(lanes::FACTS, index)?;
        let (mut debtor_code, mut accountable_person_id) = (&[] as &[u8], &[] as &[u8]);
        for fact in facts::take(&mut behind)? {
            match fact? {
                (DEBTOR_CODE, bytes) => debtor_code = bytes,
                (ACCOUNTABLE_PERSON, bytes) => accountable_person_id = bytes,
                _ => {}
            }
        }
        let mut spanned = [&[] as &[u8]; spans(FIELDS)];
        for value in &mut spanned {
            *value = take_span(&mut behind, rendering)?;
        }
        Ok(Account {
            gender: spanned[GENDER],
            grade: spanned[GRADE],
            debtor_code,
            parent1_id: spanned[PARENT1_ID],
            parent2_id: spanned[PARENT2_ID],
            accountable_person_id,
        })
    }

    /// The person accountable for it, if the reference is a number.
    pub(crate) fn accountable_person(&self) -> Option<u64> {
        integer(std::str::from_utf8(self.accountable_person_id).ok()?)
    }
}

/// The next value whose span stands behind the facts.
#[inline]
fn take_span<'a>(behind: &mut &[u8], rendering: &'a [u8]) -> Result<&'a [u8]> {
    let mut number = || {
        let number = usize::try_from(varint::take(behind)?);
        number.map_err(|_| Error::corrupt("a learner is too long"))
    };
    let start = number()?;
    let end = start.saturating_add(number()?);
    rendering
        .get(start..end)
        .ok_or_else(|| Error::corrupt("a learner is cut"))
}
