//! Receipts: what came of the last changes that were made under an id. Each is
//! written by the transaction that made the change, so that both are there or
//! neither.

use super::snapshot::{Snapshot, read_sequence};
use super::tables::RECEIPT_PREFIX;
use super::write::Write;
use crate::error::{Error, Result};
use redb::ReadableTable;

/// How many are kept: more than can be on their way at a time.
const KEPT: usize = 64;

const LONGEST_ID: usize = 128;

/// Between the id and the outcome; UTF-8 never has it.
const SEPARATOR: u8 = 0xff;

impl Snapshot {
    /// What came of the change that was made under this id.
    pub(crate) fn receipt(&self, id: Option<&str>) -> Result<Option<Vec<u8>>> {
        read_receipt(&self.meta, id)
    }
}

impl Write<'_> {
    /// What came of the change that was made under this id.
    pub(crate) fn receipt(&self, id: Option<&str>) -> Result<Option<Vec<u8>>> {
        read_receipt(&self.meta, id)
    }

    /// Keeps what came of the change that this transaction makes.
    pub(crate) fn keep_receipt(&mut self, id: Option<&str>, outcome: &[u8]) -> Result<()> {
        let Some(id) = id else {
            return Ok(());
        };
        let number = read_sequence(&self.meta)? + 1;
        let row = [id.as_bytes(), &[SEPARATOR], outcome].concat();
        self.meta
            .insert(receipt_key(number).as_slice(), row.as_slice())?;
        self.thin_out(RECEIPT_PREFIX, KEPT)
    }

    /// Forgets them all: an answer may tell of a school that is removed.
    pub(crate) fn forget_receipts(&mut self) -> Result<()> {
        self.thin_out(RECEIPT_PREFIX, 0)
    }
}

/// Under the number of the commit, so that they stand in the order of their age.
fn receipt_key(number: u64) -> Vec<u8> {
    [RECEIPT_PREFIX, &number.to_be_bytes()].concat()
}

fn read_receipt(
    meta: &impl ReadableTable<&'static [u8], &'static [u8]>,
    id: Option<&str>,
) -> Result<Option<Vec<u8>>> {
    let Some(id) = id else {
        return Ok(None);
    };
    if id.len() > LONGEST_ID {
        return Err(Error::unsupported(&format!(
            "the id of a change has at most {LONGEST_ID} bytes: shorten it"
        )));
    }
    let (oldest, newest) = (receipt_key(0), receipt_key(u64::MAX));
    for row in meta.range(oldest.as_slice()..=newest.as_slice())?.rev() {
        let (_, row) = row?;
        let outcome = row.value().strip_prefix(id.as_bytes());
        if let Some([SEPARATOR, outcome @ ..]) = outcome {
            return Ok(Some(outcome.to_vec()));
        }
    }
    Ok(None)
}
