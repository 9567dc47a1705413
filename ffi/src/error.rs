//! The error type for all failures that are not answers of the API.

/// The error of an operation of an engine.
///
/// A refusal that the API defines (for example of a wrong parameter, or of a client that has not
/// authorised) is an answer with a status, and never an error. Every case has a stable code, which
/// is the first word of its description here. The message says what to do next.
#[derive(Debug, PartialEq, Eq, thiserror::Error, uniffi::Error)]
#[uniffi(flat_error)]
#[error("{0}")]
pub enum RollbookError {
    /// `bad_dataset`: a dataset has an error in the line that the message contains. Nothing of the
    /// dataset was stored.
    BadDataset(String),
    /// `already_open`: another engine, in this process or another one, has the store open.
    AlreadyOpen(String),
    /// `busy`: another operation on the store is in progress, and did not end while the call
    /// waited.
    Busy(String),
    /// `reader_ended`: an export or feed was ended, because it had not been read completely while
    /// another call waited to erase, compact or suspend. Start it again.
    ReaderEnded(String),
    /// `suspended`: the engine is suspended. Resume it first.
    Suspended(String),
    /// `closed`: the engine is closed, or the load or feed has ended.
    Closed(String),
    /// `corrupt`: the file of the store is damaged.
    Corrupt(String),
    /// `io`: reading or writing failed. Earlier commits are not affected.
    Io(String),
    /// `not_a_store`: the file is not a Rollbook store.
    NotAStore(String),
    /// `missing`: the file of the store was deleted, moved or replaced.
    Missing(String),
    /// `newer_format`: the store was written by a newer version of Rollbook.
    NewerFormat(String),
    /// `exists`: a file already exists at the path.
    Exists(String),
    /// `cancelled`: a load was cancelled. Nothing of it was stored.
    Cancelled(String),
    /// `id_reused`: another change was made under the same id. Nothing was changed.
    IdReused(String),
    /// `not_synced`: a school is synced or followed, and the requested data has not been fetched,
    /// or is outside the scope.
    NotSynced(String),
    /// `synced`: a school is synced or followed, so that only its source changes its records; or a
    /// list that is the same for all schools belongs to the store that this store follows. Nothing
    /// was changed.
    Synced(String),
    /// `resync_required`: a text is not the position of a feed.
    ResyncRequired(String),
    /// `out_of_sync`: a feed does not begin at the position of this store. Nothing was changed.
    OutOfSync(String),
    /// `diverged`: the records of a store that follows another one differ from those of its source,
    /// because of a fault in one of them. The next feed sends everything again, once.
    Diverged(String),
    /// `unsupported`: this engine or platform does not support the operation.
    Unsupported(String),
    /// `bad_argument`: an argument is invalid.
    BadArgument(String),
    /// `listener_failed`: the listener of a load threw an error. Nothing of the load was stored.
    #[error("the listener failed ({0}): nothing was stored")]
    ListenerFailed(String),
}

pub(crate) type Result<T, E = RollbookError> = std::result::Result<T, E>;

impl From<rollbook::Error> for RollbookError {
    fn from(error: rollbook::Error) -> RollbookError {
        use rollbook::Error;
        let case = match &error {
            Error::BadDataset(_) => RollbookError::BadDataset,
            Error::AlreadyOpen { .. } => RollbookError::AlreadyOpen,
            Error::Busy { .. } => RollbookError::Busy,
            Error::ReaderEnded => RollbookError::ReaderEnded,
            Error::Suspended => RollbookError::Suspended,
            Error::Closed => RollbookError::Closed,
            Error::Corrupt { .. } => RollbookError::Corrupt,
            Error::Io { .. } | Error::CannotOpen { .. } => RollbookError::Io,
            Error::NotAStore { .. } => RollbookError::NotAStore,
            Error::Missing { .. } => RollbookError::Missing,
            Error::NewerFormat { .. } => RollbookError::NewerFormat,
            Error::Exists { .. } => RollbookError::Exists,
            Error::Cancelled => RollbookError::Cancelled,
            Error::IdReused => RollbookError::IdReused,
            Error::NotSynced { .. } => RollbookError::NotSynced,
            Error::Synced { .. } | Error::SyncedList { .. } => RollbookError::Synced,
            Error::ResyncRequired => RollbookError::ResyncRequired,
            Error::OutOfSync => RollbookError::OutOfSync,
            Error::Diverged => RollbookError::Diverged,
            // Only `Unsupported` is left. A new case of the enum must get its own arm.
            _ => RollbookError::Unsupported,
        };
        case(error.to_string())
    }
}

impl From<std::io::Error> for RollbookError {
    fn from(error: std::io::Error) -> RollbookError {
        rollbook::Error::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::RollbookError;
    use rollbook::{Error, Fault};

    /// Returns the code of a case by its name, for example `bad_dataset` for `BadDataset("…")`.
    fn code(error: &RollbookError) -> String {
        let debug = format!("{error:?}");
        let mut code = String::new();
        for letter in debug.chars().take_while(|letter| *letter != '(') {
            if letter.is_uppercase() && !code.is_empty() {
                code.push('_');
            }
            code.extend(letter.to_lowercase());
        }
        code
    }

    #[test]
    fn each_error_retains_its_code_and_its_text() {
        let text = String::new;
        for error in [
            Error::BadDataset(Fault {
                line: 4,
                what: text(),
            }),
            Error::AlreadyOpen { path: text() },
            Error::Busy { what: text() },
            Error::ReaderEnded,
            Error::Suspended,
            Error::Closed,
            Error::Corrupt { detail: text() },
            Error::Io { detail: text() },
            Error::CannotOpen {
                path: text(),
                detail: text(),
                remedy: text(),
            },
            Error::NotAStore { path: text() },
            Error::Missing { path: text() },
            Error::NewerFormat {
                what: text(),
                found: 3,
                supported: 2,
            },
            Error::Exists { path: text() },
            Error::Cancelled,
            Error::IdReused,
            Error::NotSynced {
                school: Some(1000),
                what: text(),
            },
            Error::Synced { school: 1000 },
            Error::SyncedList { kind: "gender" },
            Error::ResyncRequired,
            Error::OutOfSync,
            Error::Diverged,
            Error::Unsupported { what: text() },
        ] {
            let crossed = RollbookError::from(error.clone());
            assert_eq!(code(&crossed), error.code());
            assert_eq!(crossed.to_string(), error.to_string());
        }
    }
}
