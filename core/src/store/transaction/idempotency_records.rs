//! Idempotency records: the results of the latest changes that were made under an id. A record is
//! written by the transaction that makes the change, so that either both exist or neither.

use crate::error::{Error, Result};
use crate::store::rows::read::next_sequence;
use crate::store::rows::table_definitions::IDEMPOTENCY_PREFIX;
use crate::store::transaction::snapshot::Snapshot;
use crate::store::transaction::write::Write;
use redb::ReadableTable;

/// The number of records that are stored, which is more than the number of changes that can be in
/// flight at a time.
const MAX_RECORDS: usize = 64;

/// The byte between the parts of a row, which UTF-8 never contains.
const SEPARATOR: u8 = 0xfe;

/// The stored result of a change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IdempotencyRecord {
    /// A text that distinguishes the change from every other change.
    pub(crate) digest: Vec<u8>,
    /// The outcome of the change.
    pub(crate) outcome: Vec<u8>,
}

impl IdempotencyRecord {
    /// The maximum length of an id.
    pub(crate) const MAX_ID_BYTES: usize = 128;
}

impl Snapshot {
    /// Returns the record of the change that was made under an id.
    pub(crate) fn idempotency_record(&self, id: &str) -> Result<Option<IdempotencyRecord>> {
        read_idempotency_record(&self.meta, id)
    }
}

impl Write<'_> {
    /// Returns the record of the change that was made under an id.
    pub(crate) fn idempotency_record(&self, id: &str) -> Result<Option<IdempotencyRecord>> {
        read_idempotency_record(&self.meta, id)
    }

    /// Stores the record of the change that this transaction makes.
    pub(crate) fn put_idempotency_record(
        &mut self,
        id: &str,
        idempotency_record: &IdempotencyRecord,
    ) -> Result<()> {
        let number = next_sequence(&self.meta)?;
        let IdempotencyRecord { digest, outcome } = idempotency_record;
        let row = [id.as_bytes(), digest, outcome].join(&SEPARATOR);
        self.put_meta(&idempotency_key_of(number), &row)?;
        self.remove_all_but_last(IDEMPOTENCY_PREFIX, MAX_RECORDS)
    }

    /// Removes all records, because an outcome may contain data of a school that is removed.
    pub(crate) fn remove_idempotency_records(&mut self) -> Result<()> {
        self.remove_all_but_last(IDEMPOTENCY_PREFIX, 0)
    }
}

/// Returns the key of a record. It contains the number of the commit, so that the records are
/// ordered by age.
fn idempotency_key_of(number: u64) -> Vec<u8> {
    [IDEMPOTENCY_PREFIX, &number.to_be_bytes()].concat()
}

fn read_idempotency_record(
    meta: &impl ReadableTable<&'static [u8], &'static [u8]>,
    id: &str,
) -> Result<Option<IdempotencyRecord>> {
    if id.len() > IdempotencyRecord::MAX_ID_BYTES {
        return Err(Error::unsupported(&format!(
            "the id of a change has at most {} bytes: shorten it",
            IdempotencyRecord::MAX_ID_BYTES
        )));
    }
    let (oldest, newest) = (idempotency_key_of(0), idempotency_key_of(u64::MAX));
    for row in meta.range(oldest.as_slice()..=newest.as_slice())?.rev() {
        let (_, row) = row?;
        let mut parts = row.value().splitn(3, |byte| *byte == SEPARATOR);
        if parts.next() != Some(id.as_bytes()) {
            continue;
        }
        if let (Some(digest), Some(outcome)) = (parts.next(), parts.next()) {
            return Ok(Some(IdempotencyRecord {
                digest: digest.to_vec(),
                outcome: outcome.to_vec(),
            }));
        }
    }
    Ok(None)
}
