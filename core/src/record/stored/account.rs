//! The values of a learner and of an accountable person that answers about accounts contain.

use super::columns;
use crate::error::{Error, Result};
use crate::record::field::{residual_field, span, spans};
use crate::record::kinds::accountable_person;
use crate::record::kinds::learner::{ACCOUNTS, CURRENT, FIELDS, STATUS_COLUMN};
use crate::record::residual_fields;
use crate::record::values::value::integer;
use crate::store::Block;
use crate::varint;

const DEBTOR_CODE: u8 = residual_field(FIELDS, "debtor_code");
const ACCOUNTABLE_PERSON: u8 = residual_field(FIELDS, "accountable_person_id");

const ACCOUNT: u8 = residual_field(FIELDS, "account");
const ACCOUNT_OF_PERSON: u8 = residual_field(accountable_person::FIELDS, "account");

const GENDER: usize = span(FIELDS, "gender");
const GRADE: usize = span(FIELDS, "grade");
const PARENT1_ID: usize = span(FIELDS, "parent1_id");
const PARENT2_ID: usize = span(FIELDS, "parent2_id");

/// The values of a learner's account, escaped for JSON.
pub(crate) struct Account<'a> {
    pub(crate) gender: &'a [u8],
    pub(crate) grade: &'a [u8],
    pub(crate) debtor_code: &'a [u8],
    pub(crate) parent1_id: &'a [u8],
    pub(crate) parent2_id: &'a [u8],
    pub(crate) accountable_person_id: &'a [u8],
    /// Whether the account is open. Unless the data states it, the accounts of current learners
    /// are open.
    pub(crate) is_open: bool,
}

impl<'a> Account<'a> {
    pub(crate) fn read(block: &Block<'a>, index: usize) -> Result<Account<'a>> {
        let rendering = block.record(columns::RENDERING, index)?;
        let mut rest = block.record(columns::RESIDUAL_FIELDS, index)?;
        let (mut debtor_code, mut accountable_person_id) = (&[] as &[u8], &[] as &[u8]);
        let mut stated = None;
        for residual_field in residual_fields::take(&mut rest)? {
            match residual_field? {
                (DEBTOR_CODE, bytes) => debtor_code = bytes,
                (ACCOUNTABLE_PERSON, bytes) => accountable_person_id = bytes,
                (ACCOUNT, bytes) => stated = Some(is_open(bytes)?),
                _ => {}
            }
        }
        let is_open = match stated {
            Some(stated) => stated,
            None => block.filter_column(STATUS_COLUMN, index)? == CURRENT,
        };
        let mut spanned = [&[] as &[u8]; spans(FIELDS)];
        for value in &mut spanned {
            *value = take_span(&mut rest, rendering)?;
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

    /// Returns the accountable person, if the reference is a number.
    pub(crate) fn accountable_person(&self) -> Option<u64> {
        integer(std::str::from_utf8(self.accountable_person_id).ok()?)
    }
}

/// Returns whether the account of an accountable person is open, if the data states it.
pub(crate) fn stated_account_state(block: &Block<'_>, index: usize) -> Result<Option<bool>> {
    let mut rest = block.record(columns::RESIDUAL_FIELDS, index)?;
    for residual_field in residual_fields::take(&mut rest)? {
        if let (ACCOUNT_OF_PERSON, bytes) = residual_field? {
            return is_open(bytes).map(Some);
        }
    }
    Ok(None)
}

fn is_open(state: &[u8]) -> Result<bool> {
    let known = ACCOUNTS
        .iter()
        .position(|account| account.as_bytes() == state);
    match known {
        Some(index) => Ok(index == 0),
        None => Err(Error::corrupt("an account is neither open nor closed")),
    }
}

/// Returns the next value whose span is stored after the residual fields.
#[inline]
fn take_span<'a>(rest: &mut &[u8], rendering: &'a [u8]) -> Result<&'a [u8]> {
    let mut number = || {
        let number = usize::try_from(varint::take(rest)?);
        number.map_err(|_| Error::corrupt("a learner is too long"))
    };
    let start = number()?;
    let end = start.saturating_add(number()?);
    rendering
        .get(start..end)
        .ok_or_else(|| Error::corrupt("a learner is truncated"))
}
