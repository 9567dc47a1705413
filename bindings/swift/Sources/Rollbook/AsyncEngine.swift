import Foundation

/// An ``Engine`` for `async` code. Its calls run on threads of their own, so that they do not block
/// an actor or the thread pool that tasks share.
///
/// If a task is cancelled during a load, the load is cancelled. The call first ends and stores
/// nothing, and then throws `CancellationError`. If the load was complete before it could be
/// cancelled, its summary is returned. All other calls are completed.
public final class AsyncEngine: Sendable {
    /// The engine whose methods are called; it can also be used directly.
    public let engine: Engine

    private let threads = DispatchQueue(label: "rollbook", attributes: .concurrent)

    /// Creates an `AsyncEngine` that calls this engine.
    public init(_ engine: Engine) {
        self.engine = engine
    }

    /// Opens the store in a file, like ``Engine/open(path:options:)``.
    public static func open(path: String, options: Options? = nil) async throws -> AsyncEngine {
        // Opening reads the whole file if its last compaction was interrupted.
        try await onThread(of: .global()) { AsyncEngine(try Engine.open(path: path, options: options)) }
    }

    /// Opens an empty store in memory, like ``Engine/memory(options:)``.
    public static func memory(options: Options? = nil) throws -> AsyncEngine {
        AsyncEngine(try Engine.memory(options: options))
    }

    /// Like ``Engine/request(_:)``.
    public func request(_ request: Request) async throws -> Answer {
        try await run { try $0.request(request) }
    }

    /// Like ``Engine/requests(_:)``.
    public func requests(_ requests: [Request]) async throws -> [Answer] {
        try await run { try $0.requests(requests) }
    }

    /// Like ``Engine/ask(_:now:)``.
    public func ask(_ question: Question, now: Int64? = nil) async throws -> Answer {
        try await run { try $0.ask(question, now: now) }
    }

    /// Like ``Engine/page(_:_:now:)``.
    public func page(_ question: Question, _ page: Page = Page(), now: Int64? = nil) async throws -> Answer {
        try await run { try $0.page(question, page, now: now) }
    }

    /// Like ``Engine/find(_:now:)``.
    public func find(_ question: Question, now: Int64? = nil) async throws -> Answer {
        try await run { try $0.find(question, now: now) }
    }

    /// Like ``Engine/setState(username:school:apiTypeId:active:)``.
    public func setState(
        username: String, school: UInt64, apiTypeId: UInt64, active: Bool
    ) async throws -> Answer {
        try await run {
            try $0.setState(username: username, school: school, apiTypeId: apiTypeId, active: active)
        }
    }

    /// Like ``Engine/upgrade(_:)``.
    public func upgrade(_ target: String) async throws -> Upgrade {
        try await run { try $0.upgrade(target) }
    }

    /// Like ``Engine/apply(_:progress:)-(Dataset,_)``. The load is cancelled with its task.
    @discardableResult
    public func apply(
        _ dataset: Dataset, progress: (@Sendable (LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary {
        try await load(progress) { try $0.apply(dataset, progress: $1) }
    }

    /// Like ``Engine/replaceSchool(_:with:progress:)-(_,Dataset,_)``. The load is cancelled with
    /// its task.
    @discardableResult
    public func replaceSchool(
        _ school: UInt64, with dataset: Dataset, progress: (@Sendable (LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary {
        try await load(progress) { try $0.replaceSchool(school, with: dataset, progress: $1) }
    }

    /// Applies a dataset whose bytes a sequence returns in pieces, such as an `AsyncStream<Data>`.
    /// The load is cancelled with its task. If the sequence throws an error, this throws the same
    /// one, and nothing of the load is stored.
    @discardableResult
    public func apply<Pieces: AsyncSequence>(
        _ pieces: Pieces, progress: ((LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary where Pieces.Element == Data {
        try await pushAll(pieces, into: run { try $0.load() }, progress)
    }

    /// Applies a dataset that contains one school completely, and whose bytes a sequence returns in
    /// pieces. The load is cancelled with its task.
    @discardableResult
    public func replaceSchool<Pieces: AsyncSequence>(
        _ school: UInt64, with pieces: Pieces, progress: ((LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary where Pieces.Element == Data {
        try await pushAll(pieces, into: run { try $0.loadSchool(school: school) }, progress)
    }

    /// Applies a dataset whose bytes a sequence returns one by one, such as
    /// `URLSession.AsyncBytes`. The load is cancelled with its task.
    @discardableResult
    public func apply<Bytes: AsyncSequence>(
        bytes: Bytes, progress: ((LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary where Bytes.Element == UInt8 {
        try await apply(Pieces(bytes: bytes), progress: progress)
    }

    /// Applies a dataset that contains one school completely, and whose bytes a sequence returns
    /// one by one. The load is cancelled with its task.
    @discardableResult
    public func replaceSchool<Bytes: AsyncSequence>(
        _ school: UInt64, bytes: Bytes, progress: ((LoadProgress) throws -> Bool)? = nil
    ) async throws -> Summary where Bytes.Element == UInt8 {
        try await replaceSchool(school, with: Pieces(bytes: bytes), progress: progress)
    }

    /// Like ``Engine/check(_:limit:)``.
    public func check(_ dataset: Dataset, limit: UInt32 = 100) async throws -> [Fault] {
        try await run { try $0.check(dataset, limit: limit) }
    }

    /// Like ``Engine/removeSchool(school:)``.
    @discardableResult
    public func removeSchool(_ school: UInt64) async throws -> Summary {
        try await run { try $0.removeSchool(school: school) }
    }

    /// Like ``Engine/eraseLearner(school:learner:)``.
    @discardableResult
    public func eraseLearner(school: UInt64, learner: UInt64) async throws -> Summary {
        try await run { try $0.eraseLearner(school: school, learner: learner) }
    }

    /// Like ``Engine/sync(school:options:)``. Call
    /// ``Sync/run(over:at:username:password:progress:)`` of the result to run the sync.
    public func sync(_ school: UInt64, options: SyncOptions? = nil) async throws -> Sync {
        try await run { try $0.sync(school: school, options: options) }
    }

    /// Like ``Engine/synced(school:)``.
    public func synced(_ school: UInt64) async throws -> Coverage? {
        try await run { try $0.synced(school: school) }
    }

    /// Like ``Engine/forgetSync(school:)``.
    public func forgetSync(_ school: UInt64) async throws {
        try await run { try $0.forgetSync(school: school) }
    }

    /// Like ``Engine/feed(scope:after:)``. The methods of the result block.
    public func feed(_ scope: Scope, after: String? = nil) async throws -> Feed {
        try await run { try $0.feed(scope: scope, after: after) }
    }

    /// Like ``Engine/follow()``. The methods of the result block.
    /// ``Engine/follow(from:over:wait:progress:)`` fetches a feed from a server and applies it.
    public func follow() async throws -> Follow {
        try await run { try $0.follow() }
    }

    /// Like ``Engine/followed()``.
    public func followed() async throws -> String? {
        try await run { try $0.followed() }
    }

    /// Like ``Engine/exportScope(scope:)``. Read the lines with `for try await`.
    public func exportScope(_ scope: Scope) async throws -> ExportedPieces {
        ExportedPieces(export: try await run { try $0.exportScope(scope: scope) }, engine: self)
    }

    /// Like ``Engine/export(credentials:)``. Read the lines with `for try await`.
    public func export(credentials: Credentials) async throws -> ExportedPieces {
        ExportedPieces(export: try await run { try $0.export(credentials: credentials) }, engine: self)
    }

    /// Like ``Engine/exportPseudonymised(key:)``. Read the lines with `for try await`.
    public func exportPseudonymised(key: Data) async throws -> ExportedPieces {
        ExportedPieces(export: try await run { try $0.exportPseudonymised(key: key) }, engine: self)
    }

    /// Like ``Engine/verify()``.
    public func verify() async throws -> Verification {
        try await run { try $0.verify() }
    }

    /// Like ``Engine/compact()``.
    public func compact() async throws {
        try await run { try $0.compact() }
    }

    /// Like ``Engine/backup(path:credentials:)``.
    public func backup(path: String, credentials: Credentials) async throws {
        try await run { try $0.backup(path: path, credentials: credentials) }
    }

    /// Like ``Engine/suspend()``.
    public func suspend() async throws {
        try await run { try $0.suspend() }
    }

    /// Like ``Engine/resume()``.
    public func resume() async throws {
        try await run { try $0.resume() }
    }

    /// Like ``Engine/stats()``.
    public func stats() async throws -> Stats {
        try await run { try $0.stats() }
    }

    /// Like ``Engine/close()``.
    public func close() async throws {
        try await run { try $0.close() }
    }
}

/// The lines of an export, in pieces of about 64 KiB. Each piece consists of complete lines.
///
/// If another call waits to erase, compact or suspend, and the sequence is not read completely
/// within five seconds, it fails as `reader_ended`.
public struct ExportedPieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    public typealias Element = String

    fileprivate let export: Export
    fileprivate let engine: AsyncEngine

    /// Returns the sequence itself, which can be read once.
    public func makeAsyncIterator() -> ExportedPieces { self }

    /// Returns the next lines, each with its line feed, or nil at the end.
    public func next() async throws -> String? {
        try Task.checkCancellation()
        return try await engine.run { [export] _ in try export.read() }
    }
}

extension AsyncEngine {
    fileprivate func run<T: Sendable>(_ call: @escaping @Sendable (Engine) throws -> T) async throws -> T {
        try await Self.onThread(of: threads) { [engine] in try call(engine) }
    }

    static func onThread<T: Sendable>(
        of queue: DispatchQueue, _ call: @escaping @Sendable () throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: call)) }
        }
    }

    private typealias ProgressHandler = @Sendable (LoadProgress) throws -> Bool

    /// Runs a load, which is cancelled with its task. It returns only after the call has ended.
    private func load(
        _ progress: ProgressHandler?,
        _ load: @escaping @Sendable (Engine, @escaping ProgressHandler) throws -> Summary
    ) async throws -> Summary {
        try Task.checkCancellation()
        let cancelled = Flag()
        return try await withTaskCancellationHandler {
            try await run { engine in
                do {
                    return try load(engine) { try !cancelled.isUp && progress?($0) ?? true }
                } catch let error as RollbookError where error.code == .cancelled && cancelled.isUp {
                    throw CancellationError()
                }
            }
        } onCancel: {
            cancelled.raise()
        }
    }

    /// Pushes the pieces of a sequence, and finishes the load.
    private func pushAll<Pieces: AsyncSequence>(
        _ pieces: Pieces, into load: Load, _ progress: ((LoadProgress) throws -> Bool)?
    ) async throws -> Summary where Pieces.Element == Data {
        do {
            for try await piece in pieces {
                try Task.checkCancellation()
                let reached = try await run { _ in try load.push(bytes: piece) }
                if let progress, try !progress(reached) { throw Load.cancelled }
            }
            try Task.checkCancellation()
            return try await run { _ in try load.finish() }
        } catch {
            try await run { _ in try load.cancel() }
            throw error
        }
    }
}

/// Joins single bytes into pieces for a load.
private struct Pieces<Bytes: AsyncSequence>: AsyncSequence where Bytes.Element == UInt8 {
    typealias Element = Data

    let bytes: Bytes

    func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var bytes: Bytes.AsyncIterator

        mutating func next() async throws -> Data? {
            var piece = Data(capacity: Load.pieceBytes)
            while piece.count < Load.pieceBytes, let byte = try await bytes.next() {
                piece.append(byte)
            }
            return piece.isEmpty ? nil : piece
        }
    }
}

/// A flag that one thread sets and others read.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var raised = false

    var isUp: Bool { lock.withLock { raised } }

    func raise() { lock.withLock { raised = true } }
}
