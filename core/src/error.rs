//! The error type for all failures that are not answers of the API.

/// The error of an operation of an engine.
///
/// A refusal that the API defines (for example of a wrong parameter, or of a client that has not
/// authorised) is an answer with a status, and never an `Error`. Every case has a stable
/// [`code`](Error::code), and its text says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A dataset has a fault. Nothing of it was stored.
    #[error("{0}")]
    BadDataset(Fault),
    /// Another engine, in this process or another one, has the store open.
    #[error("{path} is already open: close the engine that has it open, or use that engine")]
    AlreadyOpen {
        /// The path of the store, or a description if it has no path.
        path: String,
    },
    /// Another operation on the store is in progress, and did not end while the call waited.
    #[error("busy: {what}; try again when it has ended")]
    Busy {
        /// The operation that is in progress.
        what: String,
    },
    /// An export, feed or backup was ended, because it had not been read completely while another
    /// call waited to erase, compact or suspend.
    #[error(
        "it was ended, since it was read for too long while another call waited to erase, compact or suspend: start it again"
    )]
    ReaderEnded,
    /// The engine is suspended.
    #[error("the engine is suspended: call resume first")]
    Suspended,
    /// The engine is closed.
    #[error("the engine is closed: open the store again")]
    Closed,
    /// The file of the store is damaged.
    #[error(
        "the store is damaged ({detail}): run verify, and load the data again or restore a backup"
    )]
    Corrupt {
        /// The damage that was found.
        detail: String,
    },
    /// Reading or writing the store failed. Earlier commits are not affected.
    #[error(
        "the store could not be read or written ({detail}): free space or check the device, then try again"
    )]
    Io {
        /// The message of the system.
        detail: String,
    },
    /// The system does not allow the file at its path to be opened or created.
    #[error("{path} could not be opened ({detail}): {remedy}")]
    CannotOpen {
        /// The path of the file.
        path: String,
        /// The message of the system.
        detail: String,
        /// What to do about the cause, such as to create the folder.
        remedy: String,
    },
    /// The file is not a Rollbook store.
    #[error("{path} is not a Rollbook store: give another path, or remove the file")]
    NotAStore {
        /// The path that was opened.
        path: String,
    },
    /// The file of the store is no longer at its path. It was deleted, moved or replaced.
    #[error(
        "the store's file is no longer at {path}: put it back and try again, or back up the open store and open the copy"
    )]
    Missing {
        /// The path at which the store was opened.
        path: String,
    },
    /// The store was written by a newer version of Rollbook.
    #[error("the store has {what} {found}, this Rollbook reads up to {supported}: update the app")]
    NewerFormat {
        /// The part that is newer, such as `format`, `rendering`, `kind`, `collection`, `field`,
        /// `filter column` or `coverage kind`.
        what: String,
        /// Its number in the store.
        found: u32,
        /// The highest number that this version reads.
        supported: u32,
    },
    /// A file already exists at the path.
    #[error("{path} exists already: choose a path that is free")]
    Exists {
        /// The path of the file.
        path: String,
    },
    /// A load was cancelled. Nothing of it was stored.
    #[error("the load was cancelled: nothing was stored")]
    Cancelled,
    /// Another change was made under the same id. Nothing was changed.
    #[error("the id belongs to another change: give each change an id of its own")]
    IdReused,
    /// A school is synced, and the requested data of it has not been fetched yet.
    #[error(
        "not synced yet: {what}{}; sync that first, or ask for what was seen",
        .school.map_or_else(String::new, |school| format!(" of school {school}"))
    )]
    NotSynced {
        /// The school, or `None` if the data is the same for all schools.
        school: Option<u64>,
        /// The data that was not fetched.
        what: String,
    },
    /// A school is synced, so that only the service changes its records. Nothing was changed.
    #[error(
        "school {school} is synced, and only the service changes it: change it there, or call forget_sync first"
    )]
    Synced {
        /// The school.
        school: u64,
    },
    /// A list that is the same for all schools belongs to the store that this store follows.
    /// Nothing was changed.
    #[error(
        "{kind}: the store follows another one, and only that one changes this list: change it there, or follow no school first"
    )]
    SyncedList {
        /// The kind of the records of the list.
        kind: &'static str,
    },
    /// A text is not the position of a feed.
    #[error(
        "the text is not the position of a feed: ask for the feed after the position that followed gives, or after none"
    )]
    ResyncRequired,
    /// A feed does not start at the position of this store. Nothing was changed.
    #[error(
        "the feed does not begin where this store is: ask for the feed after the position that followed gives"
    )]
    OutOfSync,
    /// The records of a store that follows another one differ from those of its source, because of
    /// a fault in one of them. All complete parts of the feed were applied. The next feed sends
    /// everything again, once.
    #[error(
        "the records of this store differ from those of its source: ask for the feed after the position that followed gives, which brings everything again, and report this if it is not the first time"
    )]
    Diverged,
    /// This engine or platform does not support the operation.
    #[error("not possible here: {what}")]
    Unsupported {
        /// The missing feature, and what to do instead.
        what: String,
    },
}

impl Error {
    /// Returns the stable name of the case, for programs.
    ///
    /// ```
    /// assert_eq!(rollbook::Error::Suspended.code(), "suspended");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Error::BadDataset(_) => "bad_dataset",
            Error::AlreadyOpen { .. } => "already_open",
            Error::Busy { .. } => "busy",
            Error::ReaderEnded => "reader_ended",
            Error::Suspended => "suspended",
            Error::Closed => "closed",
            Error::Corrupt { .. } => "corrupt",
            Error::Io { .. } | Error::CannotOpen { .. } => "io",
            Error::NotAStore { .. } => "not_a_store",
            Error::Missing { .. } => "missing",
            Error::NewerFormat { .. } => "newer_format",
            Error::Exists { .. } => "exists",
            Error::Cancelled => "cancelled",
            Error::IdReused => "id_reused",
            Error::NotSynced { .. } => "not_synced",
            Error::Synced { .. } | Error::SyncedList { .. } => "synced",
            Error::ResyncRequired => "resync_required",
            Error::OutOfSync => "out_of_sync",
            Error::Diverged => "diverged",
            Error::Unsupported { .. } => "unsupported",
        }
    }

    #[cold]
    pub(crate) fn missing(path: &std::path::Path) -> Failure {
        Error::Missing {
            path: path.display().to_string(),
        }
        .into()
    }

    #[cold]
    pub(crate) fn unsupported(what: &str) -> Failure {
        Error::Unsupported {
            what: what.to_owned(),
        }
        .into()
    }

    /// Returns the error of data that a newer version wrote and that this version does not
    /// support.
    #[cold]
    pub(crate) fn newer(what: &str, found: u32, supported: u32) -> Failure {
        Error::NewerFormat {
            what: what.to_owned(),
            found,
            supported,
        }
        .into()
    }

    #[cold]
    pub(crate) fn corrupt(detail: &str) -> Failure {
        Error::Corrupt {
            detail: detail.to_owned(),
        }
        .into()
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::Io {
            detail: error.to_string(),
        }
    }
}

/// The fault of a dataset, with its line and the rule that it violates.
///
/// The text has the form `line 1204: learner: date_of_birth: "2018-02-30" is not a date
/// (YYYY-MM-DD)`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Fault {
    /// The number of the line, starting with 1.
    pub line: u64,
    /// The type, the field, and the fault.
    pub what: String,
}

/// An error inside this crate. It is boxed where it occurs, because returning one word takes less
/// than half the code of returning a whole error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Failure(Box<Error>);

/// The result type of the public functions.
pub(crate) mod public {
    /// A result with the error type of this crate.
    pub type Result<T, E = super::Error> = std::result::Result<T, E>;
}

/// A result inside this crate.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

impl std::ops::Deref for Failure {
    type Target = Error;

    fn deref(&self) -> &Error {
        &self.0
    }
}

impl std::ops::DerefMut for Failure {
    fn deref_mut(&mut self) -> &mut Error {
        &mut self.0
    }
}

impl From<Error> for Failure {
    #[cold]
    fn from(error: Error) -> Failure {
        Failure(Box::new(error))
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        *failure.0
    }
}

/// Conversions of the errors of redb, which has a type for each of its operations.
mod from_redb {
    use super::{Error, Failure};
    use std::io::ErrorKind::UnexpectedEof;

    impl From<redb::StorageError> for Error {
        fn from(error: redb::StorageError) -> Error {
            match error {
                redb::StorageError::Corrupted(detail) => Error::Corrupt { detail },
                redb::StorageError::Io(error) if error.kind() == UnexpectedEof => {
                    Error::corrupt("the file is truncated").into()
                }
                redb::StorageError::LockPoisoned(_) => Error::corrupt(&error.to_string()).into(),
                redb::StorageError::DatabaseClosed => Error::Io {
                    detail: "the store was opened again meanwhile; start again".into(),
                },
                other => Error::Io {
                    detail: other.to_string(),
                },
            }
        }
    }

    impl From<redb::TransactionError> for Error {
        fn from(error: redb::TransactionError) -> Error {
            match error {
                redb::TransactionError::Storage(storage) => storage.into(),
                other => Error::corrupt(&other.to_string()).into(),
            }
        }
    }

    impl From<redb::TableError> for Error {
        fn from(error: redb::TableError) -> Error {
            match error {
                redb::TableError::Storage(storage) => storage.into(),
                other => Error::corrupt(&other.to_string()).into(),
            }
        }
    }

    impl From<redb::CommitError> for Error {
        fn from(error: redb::CommitError) -> Error {
            match error {
                redb::CommitError::Storage(storage) => storage.into(),
                other => Error::corrupt(&other.to_string()).into(),
            }
        }
    }

    impl From<redb::CompactionError> for Error {
        fn from(error: redb::CompactionError) -> Error {
            match error {
                redb::CompactionError::Storage(storage) => storage.into(),
                other => Error::Busy {
                    what: other.to_string(),
                },
            }
        }
    }

    impl From<redb::DatabaseError> for Error {
        fn from(error: redb::DatabaseError) -> Error {
            match error {
                redb::DatabaseError::Storage(storage) => storage.into(),
                redb::DatabaseError::DatabaseAlreadyOpen => Error::AlreadyOpen {
                    path: "the store".into(),
                },
                other => Error::corrupt(&other.to_string()).into(),
            }
        }
    }

    macro_rules! failures {
        ($($error:ty)*) => {$(
            impl From<$error> for Failure {
                #[cold]
                fn from(error: $error) -> Failure {
                    Error::from(error).into()
                }
            }
        )*};
    }

    failures! {
        std::io::Error
        redb::StorageError
        redb::TransactionError
        redb::TableError
        redb::CommitError
        redb::CompactionError
        redb::DatabaseError
    }
}
