import Foundation

extension RollbookError {
    /// The stable name of a case, for programs: `RollbookError.Code.notAStore.rawValue`
    /// is `not_a_store`, in every language that Rollbook speaks.
    public enum Code: String, CaseIterable, Sendable, CustomStringConvertible {
        /// A dataset has a fault, in the line that the message names.
        case badDataset = "bad_dataset"
        /// Another engine holds the store.
        case alreadyOpen = "already_open"
        /// Somebody else is at work on the store.
        case busy
        /// An export or feed was not read to its end while another call waited to erase,
        /// compact or suspend: start it again.
        case readerEnded = "reader_ended"
        /// The engine is suspended.
        case suspended
        /// The engine is closed, or the load is over.
        case closed
        /// The store's file is damaged.
        case corrupt
        /// Reading or writing failed.
        case io
        /// The file is no Rollbook store.
        case notAStore = "not_a_store"
        /// The store's file was deleted, moved or replaced.
        case missing
        /// The store was written by a newer Rollbook.
        case newerFormat = "newer_format"
        /// A file is in the way.
        case exists
        /// A load was cancelled.
        case cancelled
        /// Another change was made under the id of this one; nothing was changed.
        case idReused = "id_reused"
        /// A school is synced, and what was asked of it has not been seen yet.
        case notSynced = "not_synced"
        /// A school is synced: only the service changes its records; nothing was changed.
        case synced
        /// A text is not the position of a feed.
        case resyncRequired = "resync_required"
        /// A feed does not begin at the position of this store; nothing was changed.
        case outOfSync = "out_of_sync"
        /// A store differs from the one that it follows. The next feed brings everything again, once.
        case diverged
        /// This engine or platform cannot do what was asked.
        case unsupported
        /// An argument is not of the form that it must have.
        case badArgument = "bad_argument"
        /// The listener of a load threw.
        case listenerFailed = "listener_failed"

        /// The name as it is written in logs: the raw value.
        public var description: String { rawValue }
    }

    /// Which case this is.
    ///
    /// ```swift
    /// catch let error as RollbookError where error.code == .alreadyOpen { … }
    /// ```
    public var code: Code { codeAndMessage.0 }

    /// The engine's message: what went wrong, and what to do next.
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
    /// The engine's ``message``, in English: `localizedDescription` gives it.
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
