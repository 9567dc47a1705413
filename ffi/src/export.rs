//! Exports of a store as a dataset.

use crate::error::Result;
use rollbook::Credentials;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether a copy of the store's data contains the integrators and their password hashes.
#[uniffi::remote(Enum)]
pub enum Credentials {
    /// The copy contains them, so that it can be opened or loaded with them.
    Keep,
    /// The copy does not contain them.
    LeaveOut,
}

/// The approximate size of a piece of an export, in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// An export: the lines of a dataset with all exported records, in pieces.
///
/// The lines show the store as it was when the export began. If another call waits to erase,
/// compact or suspend, and the export is not read completely within five seconds, it fails with
/// `reader_ended`. The lines are personal data: store them where no one else can read them.
#[derive(uniffi::Object)]
pub struct Export {
    /// `None` once the export has ended.
    export: Mutex<Option<rollbook::Export>>,
}

#[uniffi::export]
impl Export {
    /// Returns the next lines, about 64 KiB of them, each with its line feed. Returns nothing at
    /// the end.
    ///
    /// Fails with `io` or `corrupt` if the store fails.
    pub fn read(&self) -> Result<Option<String>> {
        let mut reading = self.reading();
        let Some(export) = reading.as_mut() else {
            return Ok(None);
        };
        let mut piece = String::new();
        for line in export {
            piece += &line?;
            piece.push('\n');
            if piece.len() >= PIECE_BYTES {
                return Ok(Some(piece));
            }
        }
        *reading = None;
        Ok((!piece.is_empty()).then_some(piece))
    }

    /// Ends the export early. Does nothing if it has ended.
    pub fn cancel(&self) -> Result<()> {
        *self.reading() = None;
        Ok(())
    }
}

impl Export {
    pub(crate) fn new(export: rollbook::Export) -> Export {
        Export {
            export: Mutex::new(Some(export)),
        }
    }

    fn reading(&self) -> MutexGuard<'_, Option<rollbook::Export>> {
        self.export.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
