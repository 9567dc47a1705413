//! Where a dataset comes from, and who hears how far its load has come.

use crate::error::{Result, RollbookError};
use rollbook::Progress;
use std::fs::File;
use std::io::{Cursor, Read};
use std::ops::ControlFlow;

/// Where a dataset comes from: lines of JSON in UTF-8, one record a line.
///
/// Text and bytes are copied on their way; a large dataset is best given as a
/// file, or pushed in pieces.
#[derive(Debug, Clone, uniffi::Enum)]
pub enum Dataset {
    /// The lines themselves.
    Text {
        /// The lines.
        text: String,
    },
    /// The lines, as bytes.
    Bytes {
        /// The lines, in UTF-8.
        bytes: Vec<u8>,
    },
    /// A file, which is read as the load goes on.
    File {
        /// Its path.
        path: String,
    },
}

impl Dataset {
    pub(crate) fn open(self) -> Result<Box<dyn Read>> {
        Ok(match self {
            Dataset::Text { text } => Box::new(Cursor::new(text)),
            Dataset::Bytes { bytes } => Box::new(Cursor::new(bytes)),
            Dataset::File { path } => {
                let file = File::open(&path);
                Box::new(file.map_err(|error| RollbookError::Io(format!("{path}: {error}")))?)
            }
        })
    }
}

/// How much of a dataset has been read.
#[uniffi::remote(Record)]
pub struct Progress {
    /// Lines read so far.
    pub lines: u64,
    /// Bytes read so far.
    pub bytes: u64,
}

/// Hears how far a load has come.
#[uniffi::export(callback_interface)]
pub trait LoadListener: Send + Sync {
    /// Called about every 64 KiB, on the thread that loads. The load goes on if
    /// it returns true; it is cancelled, and nothing of it kept, if it returns
    /// false or throws.
    fn progress(&self, progress: Progress) -> Result<bool, ListenerError>;
}

/// What a listener may throw.
#[derive(Debug, thiserror::Error, uniffi::Error)]
pub enum ListenerError {
    /// It failed.
    #[error("{reason}")]
    Failed {
        /// Why.
        reason: String,
    },
}

impl From<uniffi::UnexpectedUniFFICallbackError> for ListenerError {
    fn from(error: uniffi::UnexpectedUniFFICallbackError) -> ListenerError {
        ListenerError::Failed {
            reason: error.reason,
        }
    }
}

/// Loads with a listener: what it throws is the load's error.
pub(crate) fn heard(
    listener: Option<Box<dyn LoadListener>>,
    load: impl FnOnce(Heard<'_>) -> rollbook::Result<rollbook::Summary>,
) -> Result<rollbook::Summary> {
    let mut thrown = None;
    let error = &mut thrown;
    let loaded = load(&mut move |progress| {
        let go_on = listener
            .as_ref()
            .map(|listener| listener.progress(progress));
        match go_on.unwrap_or(Ok(true)) {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(()),
            Err(ListenerError::Failed { reason }) => {
                *error = Some(reason);
                ControlFlow::Break(())
            }
        }
    });
    match thrown {
        Some(reason) => Err(RollbookError::ListenerFailed(reason)),
        None => Ok(loaded?),
    }
}

type Heard<'a> = &'a mut dyn FnMut(rollbook::Progress) -> ControlFlow<()>;
