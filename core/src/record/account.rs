//! What an answer about accounts takes of a learner, and of the person accountable.

use super::accountable_person;
use super::field::{fact, span, spans};
use super::learner::{CURRENT, FIELDS, STATUS_TAG};
use super::value::integer;
use super::{facts, lanes, varint};
use crate::error::{Error, Result};
use crate::store::Run;

/// What is told of an account, if anything is.
pub(super) const ACCOUNTS: [&str; 2] = ["open", "closed"];

const DEBTOR_CODE: u8 = fact(FIELDS, "debtor_code");
const ACCOUNTABLE_PERSON: u8 = fact(FIELDS, "accountable_person_id");

const ACCOUNT: u8 = fact(FIELDS, "account");
const ACCOUNT_OF_PERSON: u8 = fact(accountable_person::FIELDS, "account");

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
    /// Whether it is open, which the learner's status says unless it is told.
    pub(crate) is_open: bool,
}

impl<'a> Account<'a> {
    pub(crate) fn of(run: &Run<'a>, index: usize) -> Result<Account<'a>> {
        let rendering = run.record(lanes::RENDERING, index)?;
        let mut behind = run.record(lanes::FACTS, index)?;
        let (mut debtor_code, mut accountable_person_id) = (&[] as &[u8], &[] as &[u8]);
        let mut told = None;
        for fact in facts::take(&mut behind)? {
            match fact? {
                (DEBTOR_CODE, bytes) => debtor_code = bytes,
                (ACCOUNTABLE_PERSON, bytes) => accountable_person_id = bytes,
                (ACCOUNT, bytes) => told = Some(is_open(bytes)?),
                _ => {}
            }
        }
        let is_open = match told {
            Some(told) => told,
            None => run.tag(STATUS_TAG, index)? == CURRENT,
        };
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
            is_open,
        })
    }

    /// The person accountable for it, if the reference is a number.
    pub(crate) fn accountable_person(&self) -> Option<u64> {
        integer(std::str::from_utf8(self.accountable_person_id).ok()?)
    }
}

/// Whether the account of an accountable person is open, if that is told.
pub(crate) fn told_of_person(run: &Run<'_>, index: usize) -> Result<Option<bool>> {
    let mut behind = run.record(lanes::FACTS, index)?;
    for fact in facts::take(&mut behind)? {
        if let (ACCOUNT_OF_PERSON, bytes) = fact? {
            return is_open(bytes).map(Some);
        }
    }
    Ok(None)
}

fn is_open(told: &[u8]) -> Result<bool> {
    let known = ACCOUNTS
        .iter()
        .position(|account| account.as_bytes() == told);
    match known {
        Some(index) => Ok(index == 0),
        None => Err(Error::corrupt("an account is neither open nor closed")),
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
