//! One error type for everything that can go wrong beside an answer.

/// What an engine reports when it cannot do what it was asked.
///
/// A refusal that the API itself knows (a wrong parameter, a client that has
/// not authorised) is an answer with its status, never an `Error`. Every case
/// has a stable [`code`](Error::code), and its text says what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A dataset has a fault; nothing of it was kept.
    #[error("{0}")]
    BadDataset(Fault),
    /// Another engine, here or in another process, holds the store.
    #[error("{path} is already open: close the engine that holds it, or use that one")]
    AlreadyOpen {
        /// The store's path, or what stands for it.
        path: String,
    },
    /// Somebody else is at work on the store, and waiting did not help.
    #[error("busy: {what}; try again when it has ended")]
    Busy {
        /// What stands in the way.
        what: String,
    },
    /// The engine is suspended.
    #[error("the engine is suspended: call resume first")]
    Suspended,
    /// The engine is closed.
    #[error("the engine is closed: open the store again")]
    Closed,
    /// The store's file is damaged.
    #[error(
        "the store is damaged ({detail}): run verify, and load the data again or restore a backup"
    )]
    Corrupt {
        /// Where the damage showed.
        detail: String,
    },
    /// Reading or writing the store failed; what was committed before is kept.
    #[error(
        "the store could not be read or written ({detail}): free space or check the device, then try again"
    )]
    Io {
        /// What the system said.
        detail: String,
    },
    /// The file is no Rollbook store.
    #[error("{path} is no Rollbook store: give another path, or remove the file")]
    NotAStore {
        /// The path that was opened.
        path: String,
    },
    /// The store's file is not where it was: it was deleted, moved or replaced.
    #[error(
        "the store's file is no longer at {path}: put it back and try again, or back up what is open and open the store anew"
    )]
    Missing {
        /// The path where the store was opened.
        path: String,
    },
    /// The store was written by a newer Rollbook.
    #[error("the store has {what} {found}, this Rollbook reads up to {supported}: update the app")]
    NewerFormat {
        /// What is newer: `format`, `rendering`, `kind`, `collection`, `part`,
        /// `field`, `tag` or `lane`.
        what: String,
        /// Its number in the store.
        found: u32,
        /// The highest number that this version reads.
        supported: u32,
    },
    /// A file is in the way.
    #[error("{path} exists already: choose a path that is free")]
    Exists {
        /// The path in question.
        path: String,
    },
    /// A load was cancelled; nothing of it was kept.
    #[error("the load was cancelled: nothing was kept")]
    Cancelled,
    /// Another change was made under the id of this one; nothing was changed.
    #[error("the id belongs to another change: give each change an id of its own")]
    IdReused,
    /// A school is synced, and what was asked of it has not been seen yet.
    #[error(
        "not synced yet: {what}{}; sync that first, or ask for what was seen",
        .school.map_or_else(String::new, |school| format!(" of school {school}"))
    )]
    NotSynced {
        /// The school; none if what was asked is the same for all schools.
        school: Option<u64>,
        /// What was not seen.
        what: String,
    },
    /// A school is synced, so that its records are the service's to change; nothing was
    /// changed.
    #[error(
        "school {school} is synced, and only the service changes it: change it there, or call forget_sync first"
    )]
    Synced {
        /// The school.
        school: u64,
    },
    /// What a follower has come to is not of this store's history, or too far back.
    #[error(
        "the position is of another store, or of a history that this one does not know: begin anew, with a feed after no position"
    )]
    BeginAnew,
    /// A feed does not begin where this store is; nothing was changed.
    #[error(
        "the feed does not begin where this store is: ask for the feed after the position that followed gives, or after none"
    )]
    OutOfStep,
    /// This engine or platform cannot do what was asked.
    #[error("not possible here: {what}")]
    Unsupported {
        /// What is missing, and what to do instead.
        what: String,
    },
}

impl Error {
    /// The stable name of the case, for programs.
    ///
    /// ```
    /// assert_eq!(rollbook::Error::Suspended.code(), "suspended");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Error::BadDataset(_) => "bad_dataset",
            Error::AlreadyOpen { .. } => "already_open",
            Error::Busy { .. } => "busy",
            Error::Suspended => "suspended",
            Error::Closed => "closed",
            Error::Corrupt { .. } => "corrupt",
            Error::Io { .. } => "io",
            Error::NotAStore { .. } => "not_a_store",
            Error::Missing { .. } => "missing",
            Error::NewerFormat { .. } => "newer_format",
            Error::Exists { .. } => "exists",
            Error::Cancelled => "cancelled",
            Error::IdReused => "id_reused",
            Error::NotSynced { .. } => "not_synced",
            Error::Synced { .. } => "synced",
            Error::BeginAnew => "begin_anew",
            Error::OutOfStep => "out_of_step",
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

    /// What a newer version wrote and this one does not know.
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

/// What is wrong with a dataset: the line and the rule that it breaks.
///
/// The text has the form `line 1204: learner: date_of_birth: "2018-02-30" is
/// not a date (YYYY-MM-DD)`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Fault {
    /// The line, counted from 1.
    pub line: u64,
    /// Type, field and what was wrong with it.
    pub what: String,
}

/// An error on its way through this crate: boxed once, where it arises. A word is
/// handed on with less than half the code that a whole error takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub(crate) struct Failure(Box<Error>);

/// What the public functions give.
pub(crate) mod public {
    /// Shorthand for results of this crate.
    pub type Result<T, E = super::Error> = std::result::Result<T, E>;
}

/// Results inside this crate.
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

/// redb's errors, each of its operations having a type of its own.
mod from_redb {
    use super::{Error, Failure};
    use std::io::ErrorKind::UnexpectedEof;

    impl From<redb::StorageError> for Error {
        fn from(error: redb::StorageError) -> Error {
            match error {
                redb::StorageError::Corrupted(detail) => Error::Corrupt { detail },
                redb::StorageError::Io(error) if error.kind() == UnexpectedEof => {
                    Error::corrupt("the file is cut short").into()
                }
                redb::StorageError::LockPoisoned(_) => Error::corrupt(&error.to_string()).into(),
                redb::StorageError::DatabaseClosed => Error::Io {
                    detail: "the store was opened anew meanwhile; start again".into(),
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
