//! The outbox: state updates of a synced school that the service has not answered yet. The store
//! already answers with the state that the app set.

use super::fetch_log_rows;
use super::stored_fetch_log;
use crate::error::Result;
use crate::record::kinds::integrator;
use crate::store::{Collection, Key, Partition, Reader, Write};
use crate::varint;
use twox_hash::XxHash3_64;

/// The requested state of the authorisation of an integrator for an API type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutboxEntry {
    pub(crate) api_type_id: u64,
    pub(crate) state: bool,
    /// The number of the entry. It distinguishes the answer to an older entry from the answer to
    /// this one.
    pub(crate) sequence: u64,
}

/// The last entry about an API type. It remains stored after the service has answered, so that no
/// sequence number is used twice.
#[derive(Clone, Copy)]
struct OutboxRow {
    entry: OutboxEntry,
    /// The last state that the service is known to have.
    before: bool,
    is_answered: bool,
    refusal: Option<Refusal>,
}

/// The last refusal of an update of an API type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) state: bool,
    /// The HTTP status.
    pub(crate) status: u64,
    /// The number of the last pass that reports the refusal.
    pub(crate) pass: u64,
}

fn partition(school: u64) -> Partition {
    Partition {
        school,
        collection: Collection::Outbox,
        first: 0,
        second: 0,
    }
}

/// Returns a digest that identifies an integrator.
pub(crate) fn integrator_digest(username: &str) -> u64 {
    XxHash3_64::oneshot(username.as_bytes()).max(1)
}

/// Returns whether the app has enabled sending the updates of this integrator.
pub(crate) fn is_open(reader: &dyn Reader, school: u64, username: &str) -> Result<bool> {
    let head = stored_fetch_log::head(reader, school)?;
    Ok(head.is_some_and(|head| head.outbox == integrator_digest(username)))
}

/// Adds an entry for an integrator and an API type, in place of an earlier one.
pub(crate) fn add(
    write: &mut Write<'_>,
    school: u64,
    username: &str,
    api_type_id: u64,
    [before, state]: [bool; 2],
) -> Result<()> {
    let older = row(write, school, username, api_type_id)?;
    let entry = OutboxEntry {
        api_type_id,
        state,
        sequence: older.map_or(0, |older| older.entry.sequence) + 1,
    };
    let before = match older {
        Some(older) if !older.is_answered => older.before,
        _ => before,
    };
    let is_answered = false;
    set(
        write,
        school,
        username,
        OutboxRow {
            entry,
            before,
            is_answered,
            refusal: older.and_then(|older| older.refusal),
        },
    )
}

fn set(write: &mut Write<'_>, school: u64, username: &str, row: OutboxRow) -> Result<()> {
    let mut bytes = Vec::new();
    for bit in [row.entry.state, row.before, row.is_answered] {
        varint::push(&mut bytes, u64::from(bit));
    }
    varint::push(&mut bytes, row.entry.sequence);
    if let Some(refusal) = row.refusal {
        for number in [refusal.status, refusal.state.into(), refusal.pass] {
            varint::push(&mut bytes, number);
        }
    }
    let key = key(username, row.entry.api_type_id);
    fetch_log_rows::change(write, partition(school), [(key, Some(bytes))].into())
}

/// Returns the entries of an integrator that the service has not answered yet.
pub(crate) fn entries(
    reader: &dyn Reader,
    school: u64,
    username: &str,
) -> Result<Vec<OutboxEntry>> {
    let of = integrator_digest(username);
    let rows = rows(reader, school)?.into_iter();
    let rows = rows.filter(|(digest, row)| *digest == of && !row.is_answered);
    Ok(rows.map(|(_, row)| row.entry).collect())
}

/// Returns the entries of all integrators that the service has not answered yet.
pub(crate) fn unsent(reader: &dyn Reader, school: u64) -> Result<Vec<OutboxEntry>> {
    let rows = rows(reader, school)?.into_iter();
    let rows = rows.filter(|(_, row)| !row.is_answered);
    Ok(rows.map(|(_, row)| row.entry).collect())
}

/// Returns the refusals that a pass reports, with their API types.
pub(crate) fn refusals(reader: &dyn Reader, school: u64, pass: u64) -> Result<Vec<(u64, Refusal)>> {
    let rows = rows(reader, school)?.into_iter();
    let refusals = rows.filter_map(|(_, row)| Some((row.entry.api_type_id, row.refusal?)));
    Ok(refusals
        .filter(|(_, refusal)| refusal.pass >= pass)
        .collect())
}

/// Returns all rows of a school, each with the digest of its integrator.
fn rows(reader: &dyn Reader, school: u64) -> Result<Vec<(u64, OutboxRow)>> {
    let rows = fetch_log_rows::read(reader, partition(school))?.into_iter();
    let rows = rows.map(|(key, bytes)| Ok((key.1, read(key.0, &bytes)?)));
    rows.collect()
}

/// Records that the service has accepted an entry.
pub(crate) fn grant(
    write: &mut Write<'_>,
    school: u64,
    username: &str,
    entry: OutboxEntry,
) -> Result<()> {
    let Some(row) = row(write, school, username, entry.api_type_id)? else {
        return Ok(());
    };
    // The service has this state now. A later entry must still be sent.
    let row = OutboxRow {
        before: entry.state,
        is_answered: row.is_answered || row.entry == entry,
        ..row
    };
    set(write, school, username, row)
}

/// Records that the service has refused an entry, with this status, and restores the previous state,
/// unless there is a later entry. `pass` is the number of the last pass that reports this.
pub(crate) fn refuse(
    write: &mut Write<'_>,
    school: u64,
    username: &str,
    entry: OutboxEntry,
    [status, pass]: [u64; 2],
) -> Result<()> {
    let Some(row) = row(write, school, username, entry.api_type_id)? else {
        return Ok(());
    };
    let is_last = row.entry == entry && !row.is_answered;
    let refused = OutboxRow {
        is_answered: row.is_answered || is_last,
        refusal: Some(Refusal {
            state: entry.state,
            status,
            pass,
        }),
        ..row
    };
    set(write, school, username, refused)?;
    let key = integrator::authorisation_key(username, school, entry.api_type_id);
    if is_last && write.integrator_row(&key)?.is_some() {
        write.set_integrator_row(Some(school), &key, Some(&[u8::from(row.before)]))?;
    }
    Ok(())
}

fn key(username: &str, api_type_id: u64) -> Key {
    Key(api_type_id, integrator_digest(username))
}

fn row(
    reader: &dyn Reader,
    school: u64,
    username: &str,
    api_type_id: u64,
) -> Result<Option<OutboxRow>> {
    let rows = fetch_log_rows::read(reader, partition(school))?;
    let bytes = rows.get(&key(username, api_type_id));
    bytes.map(|bytes| read(api_type_id, bytes)).transpose()
}

fn read(api_type_id: u64, mut bytes: &[u8]) -> Result<OutboxRow> {
    let mut number = || varint::take(&mut bytes);
    let [state, before, is_answered] = [number()? == 1, number()? == 1, number()? == 1];
    let entry = OutboxEntry {
        api_type_id,
        state,
        sequence: number()?,
    };
    let refusal = if bytes.is_empty() {
        None
    } else {
        let [status, state, pass] = [
            varint::take(&mut bytes)?,
            varint::take(&mut bytes)?,
            varint::take(&mut bytes)?,
        ];
        let state = state == 1;
        Some(Refusal {
            state,
            status,
            pass,
        })
    };
    Ok(OutboxRow {
        entry,
        before,
        is_answered,
        refusal,
    })
}
