//! All that is kept, as a dataset again.

use crate::error::Result;
use rollbook::Credentials;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Whether a copy of the store's data holds the integrators and their password
/// hashes.
#[uniffi::remote(Enum)]
pub enum Credentials {
    /// They are in it, so that it can be opened or loaded with them.
    Keep,
    /// They are left out.
    LeaveOut,
}

/// About how much a piece of an export holds, in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// The lines of a dataset that holds all that the store holds, in pieces.
///
/// The lines are those of the moment at which the export began. It fails as
/// `reader_ended` if another call waits to erase, compact or suspend, and it is not read
/// to its end within five seconds. The lines are personal data: store them where only
/// those read them who may.
#[derive(uniffi::Object)]
pub struct Export {
    /// None once it is over.
    export: Mutex<Option<rollbook::Export>>,
}

#[uniffi::export]
impl Export {
    /// The next lines, each with its line feed, about 64 KiB of them; nothing
    /// at the end.
    ///
    /// Fails as `io` or `corrupt` if the store fails.
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

    /// Ends the export early. Does nothing if it is over.
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
