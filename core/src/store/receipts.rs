//! Receipts: what came of the last changes that were made under an id. Each is
//! written by the transaction that made the change, so that both are there or
//! neither.

use super::read::next_sequence;
use super::snapshot::Snapshot;
use super::tables::RECEIPT_PREFIX;
use super::write::Write;
use crate::error::{Error, Result};
use redb::ReadableTable;

/// How many are kept: more than can be on their way at a time.
const KEPT: usize = 64;

const LONGEST_ID: usize = 128;

/// Between the parts of a row; UTF-8 never has it. A row with 0xff behind its id
/// was written before receipts had digests, and is none.
const SEPARATOR: u8 = 0xfe;

/// What is kept of a change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// Text that tells the change from every other.
    pub(crate) digest: Vec<u8>,
    /// What came of it.
    pub(crate) outcome: Vec<u8>,
}

impl Snapshot {
    /// What is kept of the change that was made under this id.
    pub(crate) fn receipt(&self, id: &str) -> Result<Option<Receipt>> {
        read_receipt(&self.meta, id)
    }
}

impl Write<'_> {
    /// What is kept of the change that was made under this id.
    pub(crate) fn receipt(&self, id: &str) -> Result<Option<Receipt>> {
        read_receipt(&self.meta, id)
    }

    /// Keeps what came of the change that this transaction makes.
    pub(crate) fn keep_receipt(&mut self, id: &str, receipt: &Receipt) -> Result<()> {
        let number = next_sequence(&self.meta)?;
        let Receipt { digest, outcome } = receipt;
        let row = [id.as_bytes(), digest, outcome].join(&SEPARATOR);
        self.put_meta(&receipt_key(number), &row)?;
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
    id: &str,
) -> Result<Option<Receipt>> {
    if id.len() > LONGEST_ID {
        return Err(Error::unsupported(&format!(
            "the id of a change has at most {LONGEST_ID} bytes: shorten it"
        )));
    }
    let (oldest, newest) = (receipt_key(0), receipt_key(u64::MAX));
    for row in meta.range(oldest.as_slice()..=newest.as_slice())?.rev() {
        let (_, row) = row?;
        let mut parts = row.value().splitn(3, |byte| *byte == SEPARATOR);
        if parts.next() != Some(id.as_bytes()) {
            continue;
        }
        if let (Some(digest), Some(outcome)) = (parts.next(), parts.next()) {
            return Ok(Some(Receipt {
                digest: digest.to_vec(),
                outcome: outcome.to_vec(),
            }));
        }
    }
    Ok(None)
}
