import Foundation

extension Engine {
    /// Applies a dataset: all of it, durably, or nothing.
    ///
    /// ```swift
    /// try engine.apply(.file("school.ndjson")) { progress in
    ///     bar.update(progress.bytes)
    ///     return !bar.isCancelled
    /// }
    /// ```
    ///
    /// Memory stays bounded if it is read from a file, and questions go on meanwhile.
    /// Applying the same dataset again writes nothing.
    ///
    /// - Parameter progress: called about every 64 KiB, on this thread. The load is
    ///   cancelled, and nothing of it kept, if it returns false or throws.
    ///
    /// Throws what `progress` throws. Fails as `bad_dataset` for the first fault, with
    /// its line; as `busy` if another change does not end in time; as `io` if the
    /// dataset could not be read or the store could not be written; as `cancelled` if
    /// `progress` returned false.
    @discardableResult
    public func apply(
        _ dataset: Dataset, progress: ((LoadProgress) throws -> Bool)? = nil
    ) throws -> Summary {
        try heard(by: progress) { try apply(dataset: dataset, listener: $0) }
    }

    /// Applies a dataset that is the whole of one school: what it lacks goes.
    ///
    /// It may bring API types and integrators along; those that it lacks stay. Fails
    /// as ``apply(_:progress:)``; a record of another school is a fault.
    @discardableResult
    public func replaceSchool(
        _ school: UInt64, with dataset: Dataset, progress: ((LoadProgress) throws -> Bool)? = nil
    ) throws -> Summary {
        try heard(by: progress) {
            try replaceSchool(school: school, dataset: dataset, listener: $0)
        }
    }

    /// Applies the dataset that a stream gives. The stream is opened if it is not
    /// open, and left to the caller afterwards. Otherwise as ``apply(_:progress:)``.
    @discardableResult
    public func apply(
        _ stream: InputStream, progress: ((LoadProgress) throws -> Bool)? = nil
    ) throws -> Summary {
        try load().take(stream, progress)
    }

    /// Applies the dataset that a stream gives and that is the whole of one school.
    /// Otherwise as ``replaceSchool(_:with:progress:)``.
    @discardableResult
    public func replaceSchool(
        _ school: UInt64, with stream: InputStream, progress: ((LoadProgress) throws -> Bool)? = nil
    ) throws -> Summary {
        try loadSchool(school: school).take(stream, progress)
    }

    /// Every fault of a dataset, at most so many, in the order of its lines. Nothing
    /// is applied.
    ///
    /// Fails as `io` if the dataset could not be read, as `busy` as a change does.
    public func check(_ dataset: Dataset, limit: UInt32 = 100) throws -> [Fault] {
        try check(dataset: dataset, limit: limit)
    }
}

extension Load {
    /// How much is pushed at once.
    static let pieceBytes = 64 << 10

    fileprivate func take(_ stream: InputStream, _ progress: ((LoadProgress) throws -> Bool)?) throws -> Summary {
        do {
            if stream.streamStatus == .notOpen { stream.open() }
            var piece = [UInt8](repeating: 0, count: Load.pieceBytes)
            while true {
                let count = stream.read(&piece, maxLength: piece.count)
                if count < 0 { throw stream.streamError ?? CocoaError(.fileReadUnknown) }
                if count == 0 { break }
                let reached = try push(bytes: Data(piece[..<count]))
                if let progress, try !progress(reached) { throw Load.cancelled }
            }
            return try finish()
        } catch {
            try cancel()
            throw error
        }
    }

    /// What a load fails as that its listener has cancelled.
    static let cancelled = RollbookError.Cancelled(message: "the load was cancelled: nothing was kept")
}

/// Loads with a closure as listener: what it throws comes out again as it is, and
/// not as the text that crosses into the engine.
private func heard(
    by progress: ((LoadProgress) throws -> Bool)?, load: (LoadListener?) throws -> Summary
) throws -> Summary {
    let listener = progress.map(Listener.init)
    do {
        return try load(listener)
    } catch {
        throw listener?.thrown ?? error
    }
}

/// Only the thread that loads calls it and looks at it, while its caller waits there.
private final class Listener: LoadListener, @unchecked Sendable {
    private let heard: (LoadProgress) throws -> Bool
    private(set) var thrown: (any Error)?

    init(_ heard: @escaping (LoadProgress) throws -> Bool) {
        self.heard = heard
    }

    func progress(progress: LoadProgress) throws -> Bool {
        do {
            return try heard(progress)
        } catch {
            thrown = error
            throw ListenerError.Failed(reason: String(describing: error))
        }
    }
}
