//! State updates of a school that is synced, until the service has heard of them: what the
//! store says is what was wished.

use super::ledger;
use crate::error::Result;
use crate::record::{integrator, varint};
use crate::store::{Collection, Key, Partition, Reader, Write};
use twox_hash::XxHash3_64;

/// A state that an integrator is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) api_type_id: u64,
    pub(crate) state: bool,
    /// Counts the wishes, so that the answer to an older one is not taken for this one's.
    pub(crate) sequence: u64,
}

/// What is kept of one.
struct Row {
    wish: Wish,
    /// The state that the service knows.
    before: bool,
}

fn partition(school: u64) -> Partition {
    Partition {
        school,
        collection: Collection::Wishes,
        a: 0,
        b: 0,
    }
}

/// What tells an integrator from others.
pub(crate) fn of(username: &str) -> u64 {
    XxHash3_64::oneshot(username.as_bytes()).max(1)
}

/// Whether the app has asked that updates of this integrator be sent.
pub(crate) fn is_open(reader: &dyn Reader, school: u64, username: &str) -> Result<bool> {
    let head = ledger::head(reader, school)?;
    Ok(head.is_some_and(|head| head.outbox == of(username)))
}

/// Notes a wish; of two the later one is sent.
pub(crate) fn wish(
    write: &mut Write<'_>,
    school: u64,
    username: &str,
    api_type_id: u64,
    [before, state]: [bool; 2],
) -> Result<()> {
    let older = row(write, school, username, api_type_id)?;
    let (before, sequence) = match older {
        Some(older) => (older.before, older.wish.sequence + 1),
        None => (before, 1),
    };
    let wish = Wish {
        api_type_id,
        state,
        sequence,
    };
    let mut bytes = Vec::new();
    for number in [u64::from(state), u64::from(before), sequence] {
        varint::push(&mut bytes, number);
    }
    let key = key(username, wish.api_type_id);
    ledger::change(write, partition(school), [(key, Some(bytes))].into())
}

/// What is to be sent.
pub(crate) fn wishes(reader: &dyn Reader, school: u64, username: &str) -> Result<Vec<Wish>> {
    let mut wishes = Vec::new();
    for (key, bytes) in ledger::read(reader, partition(school))? {
        if key.1 == of(username) {
            wishes.push(read(key.0, &bytes)?.wish);
        }
    }
    Ok(wishes)
}

/// The service has said yes.
pub(crate) fn grant(write: &mut Write<'_>, school: u64, username: &str, wish: Wish) -> Result<()> {
    match row(write, school, username, wish.api_type_id)? {
        Some(row) if row.wish == wish => end(write, school, username, wish),
        Some(row) => {
            // It knows this one now, and is to hear of the later one.
            let states = [wish.state, row.wish.state];
            end(write, school, username, wish)?;
            self::wish(write, school, username, wish.api_type_id, states)
        }
        None => Ok(()),
    }
}

/// The service has said no: the state is what it was before, unless there is a later wish.
pub(crate) fn refuse(write: &mut Write<'_>, school: u64, username: &str, wish: Wish) -> Result<()> {
    match row(write, school, username, wish.api_type_id)? {
        Some(row) if row.wish == wish => {
            end(write, school, username, wish)?;
            let key = integrator::authorisation_key(username, school, wish.api_type_id);
            if write.integrator_row(&key)?.is_some() {
                write.put_integrator_row(&key, &[u8::from(row.before)])?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn end(write: &mut Write<'_>, school: u64, username: &str, wish: Wish) -> Result<()> {
    let key = key(username, wish.api_type_id);
    ledger::change(write, partition(school), [(key, None)].into())
}

fn key(username: &str, api_type_id: u64) -> Key {
    Key(api_type_id, of(username))
}

fn row(reader: &dyn Reader, school: u64, username: &str, api_type_id: u64) -> Result<Option<Row>> {
    let rows = ledger::read(reader, partition(school))?;
    let bytes = rows.get(&key(username, api_type_id));
    bytes.map(|bytes| read(api_type_id, bytes)).transpose()
}

fn read(api_type_id: u64, mut bytes: &[u8]) -> Result<Row> {
    let state = varint::take(&mut bytes)? == 1;
    let before = varint::take(&mut bytes)? == 1;
    let sequence = varint::take(&mut bytes)?;
    let wish = Wish {
        api_type_id,
        state,
        sequence,
    };
    Ok(Row { wish, before })
}
