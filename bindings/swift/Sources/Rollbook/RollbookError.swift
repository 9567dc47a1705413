import Foundation

extension RollbookError {
    /// The stable code of an error, which is the same in the packages for all languages. For
    /// example, `RollbookError.Code.notAStore.rawValue` is `not_a_store`.
    public enum Code: String, CaseIterable, Sendable, CustomStringConvertible {
        /// A dataset has an error in the line that the message contains.
        case badDataset = "bad_dataset"
        /// Another engine, in this process or another one, has the store open.
        case alreadyOpen = "already_open"
        /// Another operation on the store is in progress, and did not end while the call waited.
        case busy
        /// An export or feed was ended, because it had not been read completely while another call
        /// waited to erase, compact or suspend. Start it again.
        case readerEnded = "reader_ended"
        /// The engine is suspended.
        case suspended
        /// The engine is closed, or the load or feed has ended.
        case closed
        /// The file of the store is damaged.
        case corrupt
        /// Reading or writing failed.
        case io
        /// The file is not a Rollbook store.
        case notAStore = "not_a_store"
        /// The file of the store was deleted, moved or replaced.
        case missing
        /// The store was written by a newer version of Rollbook.
        case newerFormat = "newer_format"
        /// A file already exists at the path.
        case exists
        /// A load was cancelled.
        case cancelled
        /// Another change was made under the same id. Nothing was changed.
        case idReused = "id_reused"
        /// A school is synced or followed, and the requested data has not been fetched, or is
        /// outside the scope.
        case notSynced = "not_synced"
        /// A school is synced or followed, so that only its source changes its records. Nothing was
        /// changed.
        case synced
        /// A text is not the position of a feed.
        case resyncRequired = "resync_required"
        /// A feed does not begin at the position of this store. Nothing was changed.
        case outOfSync = "out_of_sync"
        /// A store differs from the one that it follows. The next feed sends everything again,
        /// once.
        case diverged
        /// This engine or platform does not support the operation.
        case unsupported
        /// An argument is invalid.
        case badArgument = "bad_argument"
        /// The listener of a load threw an error.
        case listenerFailed = "listener_failed"

        /// The raw value, which is the name for logs.
        public var description: String { rawValue }
    }

    /// The code of this error.
    ///
    /// ```swift
    /// catch let error as RollbookError where error.code == .alreadyOpen { … }
    /// ```
    public var code: Code { codeAndMessage.0 }

    /// The engine's message, which says what failed and what to do next.
    public var message: String { codeAndMessage.1 }

    private var codeAndMessage: (Code, String) {
        switch self {
        case .BadDataset(let message): (.badDataset, message)
        case .AlreadyOpen(let message): (.alreadyOpen, message)
        case .Busy(let message): (.busy, message)
        case .ReaderEnded(let message): (.readerEnded, message)
        case .Suspended(let message): (.suspended, message)
        case .Closed(let message): (.closed, message)
        case .Corrupt(let message): (.corrupt, message)
        case .Io(let message): (.io, message)
        case .NotAStore(let message): (.notAStore, message)
        case .Missing(let message): (.missing, message)
        case .NewerFormat(let message): (.newerFormat, message)
        case .Exists(let message): (.exists, message)
        case .Cancelled(let message): (.cancelled, message)
        case .IdReused(let message): (.idReused, message)
        case .NotSynced(let message): (.notSynced, message)
        case .Synced(let message): (.synced, message)
        case .ResyncRequired(let message): (.resyncRequired, message)
        case .OutOfSync(let message): (.outOfSync, message)
        case .Diverged(let message): (.diverged, message)
        case .Unsupported(let message): (.unsupported, message)
        case .BadArgument(let message): (.badArgument, message)
        case .ListenerFailed(let message): (.listenerFailed, message)
        }
    }
}

extension RollbookError: LocalizedError {
    /// The engine's ``message``, in English. `localizedDescription` returns it.
    public var errorDescription: String? { message }
}

extension ListenerError: LocalizedError {
    /// Why the listener failed.
    public var errorDescription: String? {
        switch self {
        case .Failed(let reason): reason
        }
    }
}
