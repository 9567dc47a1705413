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
    /// If the dataset is read from a file, the memory use is limited, whatever its size. Questions
    /// are answered meanwhile. Applying the same dataset again writes nothing.
    ///
    /// - Parameter progress: Called about every 64 KiB, on this thread. If it returns false or
    ///   throws an error, the load is cancelled and nothing of it is stored.
    ///
    /// Throws the error of `progress`. Fails as `bad_dataset` for the first fault, with its line;
    /// as `busy` if another change does not finish in time; as `synced` if the dataset has records
    /// that only the source of a synced or followed school may change; as `io` if the dataset
    /// cannot be read or the store cannot be written; as `cancelled` if `progress` returned false.
    @discardableResult
    public func apply(
        _ dataset: Dataset, progress: ((LoadProgress) throws -> Bool)? = nil
    ) throws -> Summary {
        try loadWithListener(progress) { try apply(dataset: dataset, listener: $0) }
    }

    /// Applies a dataset that contains one school completely. Stored records of the school that the
    /// dataset lacks are removed.
    ///
    /// The dataset may also contain API types and integrators; those that it lacks remain. Fails as
    /// ``apply(_:progress:)`` does. A record of another school is a fault.
    @discardableResult
    public func replaceSchool(
        _ school: UInt64, with dataset: Dataset, progress: ((LoadProgress) throws -> Bool)? = nil
    ) throws -> Summary {
        try loadWithListener(progress) {
            try replaceSchool(school: school, dataset: dataset, listener: $0)
        }
    }

    /// Applies the dataset in a stream. The stream is opened if it is not open, and is not closed.
    /// In other respects it works like ``apply(_:progress:)``.
    @discardableResult
    public func apply(
        _ stream: InputStream, progress: ((LoadProgress) throws -> Bool)? = nil
    ) throws -> Summary {
        try load().pushAll(stream, progress)
    }

    /// Applies the dataset in a stream, which contains one school completely. In other respects it
    /// works like ``replaceSchool(_:with:progress:)``.
    @discardableResult
    public func replaceSchool(
        _ school: UInt64, with stream: InputStream, progress: ((LoadProgress) throws -> Bool)? = nil
    ) throws -> Summary {
        try loadSchool(school: school).pushAll(stream, progress)
    }

    /// Returns all faults of a dataset, up to a limit, in the order of its lines. Nothing is
    /// applied.
    ///
    /// Fails as `io` if the dataset cannot be read, and as `busy` as a change does.
    public func check(_ dataset: Dataset, limit: UInt32 = 100) throws -> [Fault] {
        try check(dataset: dataset, limit: limit)
    }
}

extension Load {
    /// The size of a piece, in bytes.
    static let pieceBytes = 64 << 10

    /// Pushes the content of a stream, and finishes the load.
    fileprivate func pushAll(_ stream: InputStream, _ progress: ((LoadProgress) throws -> Bool)?) throws -> Summary {
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

    /// The error of a load that its listener has cancelled.
    static let cancelled = RollbookError.Cancelled(message: "the load was cancelled: nothing was stored")
}

/// Loads with a closure as listener. If the closure throws an error, this throws the same one. The
/// engine could only report it as a text.
private func loadWithListener(
    _ progress: ((LoadProgress) throws -> Bool)?, _ run: (LoadListener?) throws -> Summary
) throws -> Summary {
    let listener = progress.map(Listener.init)
    do {
        return try run(listener)
    } catch {
        throw listener?.thrown ?? error
    }
}

/// A listener that calls a closure, and stores the error that it throws. Only the thread that loads
/// accesses it.
private final class Listener: LoadListener, @unchecked Sendable {
    private let handler: (LoadProgress) throws -> Bool
    private(set) var thrown: (any Error)?

    init(_ handler: @escaping (LoadProgress) throws -> Bool) {
        self.handler = handler
    }

    func progress(progress: LoadProgress) throws -> Bool {
        do {
            return try handler(progress)
        } catch {
            thrown = error
            throw ListenerError.Failed(reason: String(describing: error))
        }
    }
}
