//! The source of a dataset, and the listener for the progress of its load.

use crate::error::{Result, RollbookError};
use rollbook::Progress;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::ops::ControlFlow;

/// The source of a dataset: lines of JSON in UTF-8, with one record per line.
///
/// Text and bytes are copied to the library. Therefore pass a large dataset as a file, or push it
/// in pieces.
#[derive(Debug, Clone, uniffi::Enum)]
pub enum Dataset {
    /// The lines, as text.
    Text {
        /// The lines.
        text: String,
    },
    /// The lines, as bytes.
    Bytes {
        /// The lines, in UTF-8.
        bytes: Vec<u8>,
    },
    /// A file, which is read during the load.
    File {
        /// The path of the file.
        path: String,
    },
}

impl Dataset {
    pub(crate) fn open(self) -> Result<Box<dyn Read>> {
        Ok(match self {
            Dataset::Text { text } => Box::new(Cursor::new(text)),
            Dataset::Bytes { bytes } => Box::new(Cursor::new(bytes)),
            Dataset::File { path } => Box::new(open_file(&path)?),
        })
    }
}

/// Opens a file of a dataset. A folder can be opened on some systems, but not read.
fn open_file(path: &str) -> Result<File> {
    let opened = File::open(path).and_then(|file| {
        if file.metadata()?.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        }
        Ok(file)
    });
    opened.map_err(|error| {
        let remedy = "give the path of a file that exists and that this process may read";
        RollbookError::Io(format!("{path} could not be opened ({error}): {remedy}"))
    })
}

/// How much of a dataset has been read.
#[uniffi::remote(Record)]
pub struct Progress {
    /// The number of lines that were read so far.
    pub lines: u64,
    /// The number of bytes that were read so far.
    pub bytes: u64,
}

/// Receives the progress of a load.
#[uniffi::export(callback_interface)]
pub trait LoadListener: Send + Sync {
    /// Is called about every 64 KiB, on the thread that loads. The load continues if it returns
    /// true. If it returns false or throws an error, the load is cancelled and nothing of it is
    /// stored.
    fn progress(&self, progress: Progress) -> Result<bool, ListenerError>;
}

/// The error that a listener may throw.
#[derive(Debug, thiserror::Error, uniffi::Error)]
pub enum ListenerError {
    /// The listener failed.
    #[error("{reason}")]
    Failed {
        /// The reason, as text.
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

/// Loads a dataset and reports its progress to a listener. If the listener throws an error, the
/// load fails with this error.
pub(crate) fn load_with_listener(
    listener: Option<Box<dyn LoadListener>>,
    load: impl FnOnce(ProgressCallback<'_>) -> rollbook::Result<rollbook::Summary>,
) -> Result<rollbook::Summary> {
    let mut thrown = None;
    let error = &mut thrown;
    let loaded = load(&mut move |progress| {
        let continues = listener
            .as_ref()
            .map(|listener| listener.progress(progress));
        match continues.unwrap_or(Ok(true)) {
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

type ProgressCallback<'a> = &'a mut dyn FnMut(rollbook::Progress) -> ControlFlow<()>;

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of a file that cannot be read contains its path, and does not concern the store.
    #[test]
    fn a_dataset_that_cannot_be_read_is_named() {
        let folder = std::env::temp_dir().display().to_string();
        for path in [format!("{folder}/rollbook-no-such-file"), folder] {
            let dataset = Dataset::File { path: path.clone() };
            let message = dataset.open().err().map(|error| error.to_string());
            let message = message.unwrap_or_default();
            assert!(
                message.starts_with(&format!("{path} could not be opened (")),
                "{message}"
            );
            assert!(message.ends_with("that this process may read"), "{message}");
        }
    }
}
