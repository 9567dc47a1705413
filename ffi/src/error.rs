//! What can go wrong beside an answer.

/// What an engine reports when it cannot do what it was asked.
///
/// A refusal that the API itself knows (a wrong parameter, a client that has not
/// authorised) is an answer with its status, never an error. Every case has a
/// stable code, the first word of its description here, and its message says
/// what to do next.
#[derive(Debug, PartialEq, Eq, thiserror::Error, uniffi::Error)]
#[uniffi(flat_error)]
#[error("{0}")]
pub enum RollbookError {
    /// `bad_dataset`: a dataset has a fault, in the line that the message names;
    /// nothing of it was kept.
    BadDataset(String),
    /// `already_open`: another engine, here or in another process, holds the
    /// store.
    AlreadyOpen(String),
    /// `busy`: somebody else is at work on the store, and waiting did not help.
    Busy(String),
    /// `reader_ended`: an export or feed was ended, since it was not read to its end while
    /// another call waited to erase, compact or suspend: start it again.
    ReaderEnded(String),
    /// `suspended`: the engine is suspended; resume it first.
    Suspended(String),
    /// `closed`: the engine is closed, or the load is over.
    Closed(String),
    /// `corrupt`: the store's file is damaged.
    Corrupt(String),
    /// `io`: reading or writing failed; what was committed before is kept.
    Io(String),
    /// `not_a_store`: the file is no Rollbook store.
    NotAStore(String),
    /// `missing`: the store's file was deleted, moved or replaced.
    Missing(String),
    /// `newer_format`: the store was written by a newer Rollbook.
    NewerFormat(String),
    /// `exists`: a file is in the way.
    Exists(String),
    /// `cancelled`: a load was cancelled; nothing of it was kept.
    Cancelled(String),
    /// `id_reused`: another change was made under the id of this one; nothing was
    /// changed.
    IdReused(String),
    /// `not_synced`: a school is synced, and what was asked of it has not been seen
    /// yet.
    NotSynced(String),
    /// `synced`: a school is synced or followed, so that only its source changes its records; or
    /// a list that is the same for all schools is that of a store that is followed. Nothing was
    /// changed.
    Synced(String),
    /// `resync_required`: a text is not the position of a feed.
    ResyncRequired(String),
    /// `out_of_sync`: a feed does not begin at the position of this store; nothing was changed.
    OutOfSync(String),
    /// `diverged`: the records of a store that follows differ from those of its source, by a
    /// fault of either. The next feed brings everything again, once.
    Diverged(String),
    /// `unsupported`: this engine or platform cannot do what was asked.
    Unsupported(String),
    /// `bad_argument`: an argument is not of the form that it must have.
    BadArgument(String),
    /// `listener_failed`: the listener of a load threw; nothing of the load was
    /// kept.
    #[error("the listener failed ({0}): nothing was kept")]
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
            // All that are left; a new case of the enum gets its own arm.
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

    /// `BadDataset("…")` as `bad_dataset`.
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
    fn each_error_keeps_its_code_and_its_text() {
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
